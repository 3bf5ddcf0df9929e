"""A site that a generator has just written, and the source of each page → its sitemaps, dated by the sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from urlset.building.sources.page_sources import SourceMap
from urlset.workflows.build.build import build
from urlset.workflows.build.options import BuildOptions, BuildReport


def build_site(
    site: Path,
    base_url: str,
    source_dir: Path,
    pages: Mapping[str, str | None],
    *,
    alternates: Mapping[str, Mapping[str, str]] | None = None,
    modified: Mapping[str, str] | None = None,
    only: bool = True,
    state: Path | None = None,
) -> BuildReport:
    """Write the sitemaps of a built site into it.

    `pages` names the source below `source_dir` of each built page, both with `/`. With `only`, pages that are not
    named are left out. `alternates` names the translations of a page by hreflang, itself included. `modified` are dates
    that only the generator can read. Raises as `urlset.workflows.build.build.build` does.
    """
    sources = SourceMap(source_dir, pages, only=only, alternates=alternates or {}, modified=modified or {})
    return build(BuildOptions(sources=(str(site),), base_url=base_url, out=site, state=state, source_map=sources))
