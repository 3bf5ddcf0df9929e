"""MkDocs → sitemaps dated by front matter and the git history of each page's source, instead of the build day."""

from __future__ import annotations

import logging
from pathlib import Path

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from urlset.building.journal import PublishError
from urlset.building.sources.options import SourceError
from urlset.integrations.generators import build_site
from urlset.workflows.build.options import BuildError

_BUILT_IN = "sitemap.xml"
_log = logging.getLogger("mkdocs.plugins.urlset")


class UrlsetConfig(Config):  # type: ignore[no-untyped-call]
    state = config_options.Optional(config_options.Type(str))
    """folder that is kept from build to build"""


class UrlsetPlugin(BasePlugin[UrlsetConfig]):  # type: ignore[no-untyped-call]
    """Enable with `plugins: [urlset]` in mkdocs.yml."""

    def __init__(self) -> None:
        self._pages: dict[str, str | None] = {}

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        if not config.site_url:
            raise PluginError("urlset needs site_url in mkdocs.yml")
        config.theme.static_templates.discard(_BUILT_IN)  # it dates every page with the day of the build
        return config

    def on_page_context(self, context: object, page: Page, config: MkDocsConfig, nav: object) -> None:
        del context, config, nav
        hidden = page.meta.get("hidden") or page.meta.get("sitemap") is False
        if not hidden:
            self._pages[page.file.dest_uri] = page.file.src_uri

    def on_env(self, env: object, config: MkDocsConfig, files: Files) -> None:
        del env, config
        # a page that was removed while `mkdocs serve` runs is no longer among the files
        there = {file.dest_uri for file in files.documentation_pages()}
        self._pages = {page: source for page, source in self._pages.items() if page in there}

    def on_post_build(self, config: MkDocsConfig) -> None:
        state = Path(self.config.state) if self.config.state else None
        try:
            report = build_site(
                Path(config.site_dir), config.site_url or "", Path(config.docs_dir), self._pages, state=state
            )
        except (BuildError, PublishError, SourceError, OSError) as error:
            raise PluginError(f"urlset could not build the sitemap: {error}") from error
        for note in report.notes:
            _log.info("urlset: %s", note)
        for refusal in report.refusals:
            _log.warning("urlset: sitemap not published: %s", refusal.text)
