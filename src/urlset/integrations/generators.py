"""A site that a generator has just written, and the source of each page → its sitemaps, dated by the sources."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from urlset.building.journal import PublishError
from urlset.building.sources.page_sources import SourceOfPages
from urlset.building.sources.source import SourceBroken, SourceError
from urlset.model.errors import UrlsetError
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildError, BuildRun
from urlset.writing.sqlite_store import StateError


class SiteBuildError(UrlsetError):
    """The sitemaps of a site could not be built. The message is for the user of the generator."""


def build_site(
    site: Path,
    base_url: str,
    source_dir: Path,
    pages: Mapping[str, str | None],
    log: logging.Logger | logging.LoggerAdapter[logging.Logger],
    *,
    alternates: Mapping[str, Mapping[str, str]] | None = None,
    modified: Mapping[str, str] | None = None,
    state: Path | None = None,
) -> None:
    """Write the sitemaps of a built site into it.

    `pages` names the source below `source_dir` of each built page, both with `/`. Pages that are not named are left
    out. `alternates` names the translations of a page by hreflang, itself included. `modified` are dates that only the
    generator can read.
    """
    sources = SourceOfPages(source_dir, pages, only=True, alternates=alternates or {}, modified=modified or {})
    settings = BuildSettings(sources=(str(site),), base_url=base_url, out=site, state=state)
    try:
        report = build(settings, BuildRun(source_map=sources))
    except (BuildError, PublishError, SourceBroken, SourceError, StateError, OSError) as error:
        raise SiteBuildError(f"urlset could not build the sitemap: {error}") from error
    for note in report.notes:
        log.info("urlset: %s", note)
    for refusal in report.refusals:
        log.warning("urlset: sitemap not published: %s", refusal.text)
