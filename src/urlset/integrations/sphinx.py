"""Sphinx → sitemaps of its documents, dated by the git history of their sources."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError
from sphinx.util import logging

from urlset.integrations.generators import SiteBuildError, build_site
from urlset.version import __version__

_log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, object]:
    """Enable with `extensions = ["urlset.integrations.sphinx"]` and `html_baseurl` in conf.py."""
    app.add_config_value("urlset_languages", {}, "")
    app.add_config_value("urlset_versions", [], "")
    app.connect("build-finished", _build)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _build(app: Sphinx, exception: Exception | None) -> None:
    builder = app.builder
    if exception is not None or not isinstance(builder, StandaloneHTMLBuilder):
        return
    base_url = app.config.html_baseurl
    if not base_url:
        _log.warning("urlset: no sitemap: set html_baseurl in conf.py")
        return
    listed = app.config.urlset_versions
    if listed and app.config.version not in listed:
        _log.info("urlset: no sitemap: version %s is not one of urlset_versions", app.config.version)
        return
    source_dir = Path(app.srcdir)
    pages: dict[str, str | None] = {}
    for name in sorted(app.env.found_docs):
        # search pages, indexes and highlighted code have no document
        page = Path(builder.get_outfilename(name)).relative_to(app.outdir).as_posix()
        pages[page] = Path(app.env.doc2path(name)).resolve().relative_to(source_dir.resolve()).as_posix()
    alternates = _alternates(app.config.urlset_languages, pages)
    try:
        build_site(Path(app.outdir), base_url, source_dir, pages, _log, alternates=alternates)
    except SiteBuildError as error:
        raise ExtensionError(str(error)) from error


def _alternates(languages: dict[str, str], pages: dict[str, str | None]) -> dict[str, dict[str, str]]:
    """Translations have the same documents, so the same paths below the URL of their language."""
    bases = {language: url if url.endswith("/") else f"{url}/" for language, url in languages.items()}
    return {page: {language: f"{url}{page}" for language, url in bases.items()} for page in pages} if bases else {}
