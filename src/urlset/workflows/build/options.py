"""The options of a build, and its result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from urlset.building.candidate import EvidenceKind, PolicyReason, RowTrouble
from urlset.building.evidence import DEFAULT_ORDER
from urlset.building.guard import SHRINK_PERCENT, Refusal
from urlset.building.policy import SectionPolicy
from urlset.building.sections import By
from urlset.building.sources.options import IndexStyle, PageStyle
from urlset.building.sources.page_sources import SourceOfPages
from urlset.building.staging import Changes
from urlset.execution.workers import Workers
from urlset.model.shown import Shown
from urlset.settings.build import BuildSettings
from urlset.settings.declare import StrPath, field_names
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.spec.page_kinds import KIND_SIGNS
from urlset.workflows.live.rendering import Render

if TYPE_CHECKING:
    from urlset.workflows.crawl.options import CrawlOptions

LEDGER = "ledger.db"
"""its name in the state folder"""


class BuildOptions(msgspec.Struct, frozen=True, kw_only=True):
    """One build: where from, where to, and by which rules."""

    sources: tuple[str, ...] = ()
    base_url: str
    out: Path
    state: Path | None
    """None: nothing is remembered, and nothing known of earlier builds"""
    sections: tuple[str, ...] = ()
    """NAME=PATTERN"""
    sections_by: By = "none"
    per_section: dict[str, SectionPolicy] = msgspec.field(default_factory=dict)
    """what is different in some sections"""
    gzip: bool = False
    text: bool = False
    """plain text lists instead of XML"""
    human_view: bool = False
    feed: tuple[str, ...] = ()
    """atom, rss: a feed of the pages that changed last"""
    llms: bool = False
    """llms.txt: a map of the site by titles and sections"""
    indexnow_key: str | None = None
    """written as a separate file, which IndexNow requires"""
    dry_run: bool = False
    force: tuple[str, ...] = ()
    strict: bool = False
    """a row that cannot be used stops the build"""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_kind: tuple[str, ...] = ()
    keep: frozenset[PolicyReason] = frozenset()
    hosts: tuple[str, ...] = ()
    robots: Path | None = None
    write_robots: bool = False
    live_robots: bytes | None = None
    """what the site answers for /robots.txt, where it was crawled"""
    source_kind: str | None = None
    sql: str | None = None
    timezone: str | None = None
    images: bool = False
    videos: bool = False
    source_dir: Path | None = None
    """the folder of the sources of a build folder's pages"""
    source_map: SourceOfPages | None = None
    """the source of each page, where a generator says so"""
    page_style: PageStyle = "auto"
    index_style: IndexStyle = "auto"
    order: tuple[EvidenceKind, ...] = DEFAULT_ORDER
    date_changes: tuple[Facet, ...] = DATED_BY
    """the parts of a page whose change moves its date"""
    shrink_percent: float = SHRINK_PERCENT
    compact: bool = False
    cut_short: str | None = None
    """why a source is known to offer only a part of its pages"""
    notes: tuple[str, ...] = ()
    """what is to be said before anything else"""
    workers: Workers = Workers()
    """where files are checked, packed and written"""

    @property
    def not_listed(self) -> tuple[str, ...]:
        """Patterns of pages that are left out. A crawl follows pages of an excluded kind: they link to others."""
        return (*self.exclude, *(f"re:{each.pattern}" for each in KIND_SIGNS if each.kind in self.exclude_kind))

    @classmethod
    def of(
        cls,
        settings: BuildSettings,
        *,
        sources: tuple[str, ...],
        out: Path,
        state: Path | None,
        notes: tuple[str, ...] = (),
    ) -> BuildOptions:
        """What the settings say. Fields of the same name mean the same."""
        known = set(field_names(type(settings)))
        alike = {name: getattr(settings, name) for name in cls.__struct_fields__ if name in known}
        told = {
            "sources": (*sources, *([settings.db] if settings.db else [])),
            "base_url": settings.base_url or "",
            "out": out,
            "state": state,
            "notes": notes,
            "workers": settings.workers,
            "keep": frozenset(map(PolicyReason, settings.keep)),
            "robots": _path(settings.robots),
            "source_dir": _path(settings.source_dir),
            "order": settings.evidence,
            "per_section": _policies(settings),
        }
        return cls(**{**alike, **told})


def crawl_for_build(settings: BuildSettings, site: str, state: Path) -> CrawlOptions:
    from urlset.workflows.crawl.options import CrawlOptions  # brings what crawls along, which lists do not need

    return CrawlOptions(
        url=site,
        state=state,
        prefix=settings.prefix,
        max_pages=settings.max_pages,
        max_depth=settings.max_depth,
        seed_sitemaps=settings.seed_sitemaps,
        fresh=settings.fresh,
        images=settings.images,
        videos=settings.videos,
        render=Render.of(settings),
        web=settings.fetching,
    )


def _path(given: StrPath | None) -> Path | None:
    return None if given is None else Path(given)


def _policies(settings: BuildSettings) -> dict[str, SectionPolicy]:
    include, exclude, keep = map(
        _by_section, (settings.section_include, settings.section_exclude, settings.section_keep)
    )
    return {
        name: SectionPolicy(
            keep=frozenset(map(PolicyReason, keep.get(name, ()))),
            include=tuple(include.get(name, ())),
            exclude=tuple(exclude.get(name, ())),
        )
        for name in {**include, **exclude, **keep}
    }


def _by_section(values: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        name, _, rest = value.partition("=")
        found.setdefault(name, []).append(rest)
    return found


class BuildReport(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """What became of it."""

    published: bool
    dry_run: bool
    listed: int
    added: int
    removed: int
    redated: int
    """pages that were known and got another lastmod"""
    dated: dict[str, int]
    """listed pages by the evidence for their date; `none` for those without"""
    left_out: dict[str, int]
    """pages not listed, by reason"""
    examples: dict[str, str]
    """for each reason the first page it left out"""
    changes: Changes
    files: tuple[str, ...]
    refusals: tuple[Refusal, ...] = ()
    findings: tuple[str, ...] = ()
    """what our own check says of the new set, errors first; the first 20"""
    finding_count: int = 0
    troubles: tuple[RowTrouble, ...] = ()
    trouble_count: int = 0
    notes: tuple[str, ...] = ()
    """why some evidence was not used, what happened to robots.txt"""


class BuildError(Exception):
    """The build failed; everything published is unchanged."""
