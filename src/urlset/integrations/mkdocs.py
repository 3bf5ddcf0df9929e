"""MkDocs → sitemaps dated by front matter and the git history of each page's source, instead of the build day."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from urlset.integrations.generators import SiteBuildError, build_site

_BUILT_IN = "sitemap.xml"
_I18N = "i18n"
"""mkdocs-static-i18n, which builds the site once for each language, one inside the other"""
_log = logging.getLogger("mkdocs.plugins.urlset")


class UrlsetConfig(Config):  # type: ignore[no-untyped-call]
    state = config_options.Optional(config_options.Type(str))
    """folder that is kept from build to build"""


class UrlsetPlugin(BasePlugin[UrlsetConfig]):  # type: ignore[no-untyped-call]
    """Enable with `plugins: [urlset]` in mkdocs.yml."""

    def __init__(self) -> None:
        self._pages: dict[str, str | None] = {}
        self._alternates: dict[str, dict[str, str]] = {}

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        if not config.site_url:
            raise PluginError("urlset needs site_url in mkdocs.yml")
        config.theme.static_templates.discard(_BUILT_IN)  # it dates every page with the day of the build
        return config

    @event_priority(-200)
    def on_page_context(self, context: object, page: Page, config: MkDocsConfig, nav: object) -> None:
        """After mkdocs-static-i18n, which puts its own template back on `on_config`."""
        del context, nav
        config.theme.static_templates.discard(_BUILT_IN)
        i18n = config.plugins.get(_I18N)
        file: Any = page.file
        # a page that is not translated is built from the default language a second time
        is_copy = i18n is not None and getattr(file, "locale", None) != getattr(i18n, "current_language", None)
        if page.meta.get("hidden") or page.meta.get("sitemap") is False or is_copy:
            self._pages.pop(file.dest_uri, None)
            return
        self._pages[file.dest_uri] = file.src_uri
        if i18n is not None:
            others = getattr(file, "alternates", {})
            self._alternates[file.dest_uri] = {locale: other.dest_uri for locale, other in others.items()}

    def on_env(self, env: object, config: MkDocsConfig, files: Files) -> None:
        del env
        # a page that was removed while `mkdocs serve` runs is no longer among the files
        if config.plugins.get(_I18N) is None:
            there = {file.dest_uri for file in files.documentation_pages()}
            self._pages = {page: source for page, source in self._pages.items() if page in there}

    @event_priority(-200)
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Once for all languages: after mkdocs-static-i18n has built the others."""
        if getattr(config.plugins.get(_I18N), "building", False):
            return
        state = Path(self.config.state) if self.config.state else None
        site = Path(config.site_dir)
        there = {page: source for page, source in self._pages.items() if (site / page).is_file()}
        listed = {
            page: {locale: other for locale, other in others.items() if other in there}
            for page, others in self._alternates.items()
        }
        translations = {page: others for page, others in listed.items() if len(others) > 1}
        try:
            build_site(
                site, config.site_url or "", Path(config.docs_dir), there, _log, alternates=translations, state=state
            )
        except SiteBuildError as error:
            raise PluginError(str(error)) from error
