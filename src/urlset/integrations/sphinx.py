"""Sphinx → sitemaps of its documents, dated by the git history of their sources."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError
from sphinx.util import logging

from urlset.building.journal import PublishError
from urlset.building.sources.options import SourceError
from urlset.integrations.generators import build_site
from urlset.version import __version__
from urlset.workflows.build.options import BuildError

_log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, object]:
    """Enable with `extensions = ["urlset.integrations.sphinx"]` and `html_baseurl` in conf.py."""
    app.connect("build-finished", _build)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _build(app: Sphinx, exception: Exception | None) -> None:
    builder = app.builder
    if exception is not None or not isinstance(builder, StandaloneHTMLBuilder):
        return
    if not app.config.html_baseurl:
        _log.warning("urlset: no sitemap: set html_baseurl in conf.py")
        return
    source_dir = Path(app.srcdir)
    pages: dict[str, str | None] = {}
    for name in sorted(app.env.found_docs):
        # search pages, indexes and highlighted code have no document
        page = Path(builder.get_outfilename(name)).relative_to(app.outdir).as_posix()
        pages[page] = Path(app.env.doc2path(name)).resolve().relative_to(source_dir.resolve()).as_posix()
    try:
        report = build_site(Path(app.outdir), app.config.html_baseurl, source_dir, pages)
    except (BuildError, PublishError, SourceError, OSError) as error:
        raise ExtensionError(f"urlset could not build the sitemap: {error}") from error
    for note in report.notes:
        _log.info("urlset: %s", note)
    for refusal in report.refusals:
        _log.warning("urlset: sitemap not published: %s", refusal.text)
