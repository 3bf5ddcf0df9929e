"""The options of `urlset build`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from urlset.building.candidate import EvidenceKind, PolicyReason
from urlset.building.evidence import DEFAULT_ORDER
from urlset.building.guard import SHRINK_PERCENT, Guard
from urlset.building.policy import NEVER_KEPT, By, SectionPolicy
from urlset.building.sources.source import IndexStyle, PageStyle
from urlset.settings.crawl import CrawlLimitSettings, RenderSettings
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Options, StrPath, argument, opt
from urlset.settings.groups import DATE_CHANGES, FetchSettings, RunSettings, TextOrJson, WorkerSettings
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.spec.page_kinds import BY_ADDRESS, BY_CONTENT, KIND_SIGNS

if TYPE_CHECKING:
    from datetime import datetime


def source_kinds() -> tuple[str, ...]:
    from urlset.building.sources.open import NAMES

    return NAMES


def page_kinds() -> tuple[str, ...]:
    """Kinds that show in the address of a page or in what it says."""
    return (*BY_ADDRESS, *BY_CONTENT)


def reasons() -> tuple[str, ...]:
    """Why a page is left out, as far as --keep can change it."""
    return tuple(verdict.value for verdict in PolicyReason if verdict not in NEVER_KEPT)


class SourceSettings(Options, heading="Sources"):
    source_kind: str | None = opt(
        None, "Read every source as this kind", "KIND", choices=source_kinds, default="by content"
    )
    db: str | None = opt(None, "Database to read, such as sqlite:///site.db", "URL", scope=NOT_IN_FILES, secret=True)
    sql: str | None = opt(None, "Query for a database", "QUERY")
    sql_changed: str | None = opt(None, "Query whose result changes when rows do", "QUERY")
    timezone: str | None = opt(None, "Offset of dates without one, such as +02:00", "OFFSET")
    source_dir: StrPath | None = opt(None, "Files a generator made the pages from, for dates", "DIR", exists="folder")
    page_style: PageStyle = opt("auto", "URL of about.html: /about.html, /about or /about/")
    index_style: IndexStyle = opt("auto", "URL of about/index.html: /about/ or /about")
    images: bool = opt(False, "List the images of each page")
    videos: bool = opt(False, "List the videos of each page")
    evidence: tuple[EvidenceKind, ...] = opt(DEFAULT_ORDER, "Sources of lastmod, best first", "KINDS", split=True)
    date_changes: tuple[Facet, ...] = opt(DATED_BY, DATE_CHANGES)
    lock: StrPath | None = opt(None, "Lock file that dates the pages, such as sitemap.lock", "FILE")
    strict: bool = opt(False, "Stop at the first row or page that is unusable")

    @property
    def source_folder(self) -> Path | None:
        return None if self.source_dir is None else Path(self.source_dir)


class SelectionSettings(Options, heading="Selection"):
    include: tuple[str, ...] = opt((), "List only matching URLs (glob or re:REGEX)", "PATTERN")
    exclude: tuple[str, ...] = opt((), "Exclude matching URLs (glob or re:REGEX)", "PATTERN")
    exclude_kind: tuple[str, ...] = opt(
        (), "Exclude a kind of pages, such as tag-archive", "KIND", split=True, choices=page_kinds
    )
    keep: tuple[str, ...] = opt(
        (), "List pages despite REASON, such as paginated", "REASON", split=True, choices=reasons
    )
    hosts: tuple[str, ...] = opt((), "Also list pages of this host", "URL", flag="--host", is_url=True)
    robots: StrPath | None = opt(None, "robots.txt to obey", "FILE", exists="file", default="the folder's own")

    @property
    def robots_file(self) -> Path | None:
        return None if self.robots is None else Path(self.robots)

    @property
    def not_listed(self) -> tuple[str, ...]:
        """Patterns of pages that are left out. A crawl follows pages of an excluded kind: they link to others."""
        return (*self.exclude, *(f"re:{each.pattern}" for each in KIND_SIGNS if each.kind in self.exclude_kind))

    @property
    def kept_reasons(self) -> frozenset[PolicyReason]:
        return frozenset(map(PolicyReason, self.keep))


class SectionSettings(Options, heading="Sections"):
    sections: tuple[str, ...] = opt((), "Write matching URLs to a separate sitemap", "NAME=PATTERN", flag="--section")
    sections_by: By = opt("none", "Split the remaining URLs")
    section_include: tuple[str, ...] = opt((), "In a section, list only matching URLs", "NAME=PATTERN")
    section_exclude: tuple[str, ...] = opt((), "In a section, exclude matching URLs", "NAME=PATTERN")
    section_keep: tuple[str, ...] = opt((), "In a section, list pages despite REASON", "NAME=REASON")

    @property
    def section_policies(self) -> dict[str, SectionPolicy]:
        """What is different in some sections, by their names."""
        found: dict[str, dict[str, list[str]]] = {}
        given = {"include": self.section_include, "exclude": self.section_exclude, "keep": self.section_keep}
        for part, values in given.items():
            for value in values:
                name, _, rest = value.partition("=")
                found.setdefault(name, {"include": [], "exclude": [], "keep": []})[part].append(rest)
        return {
            name: SectionPolicy(
                keep=frozenset(map(PolicyReason, it["keep"])),
                include=tuple(it["include"]),
                exclude=tuple(it["exclude"]),
            )
            for name, it in found.items()
        }

    def faults(self) -> Iterator[tuple[str, str]]:
        named = {each.partition("=")[0] for each in self.sections}
        for field in ("section_include", "section_exclude", "section_keep"):
            for value in getattr(self, field):
                name, equals, rest = value.partition("=")
                if not (name and equals and rest):
                    yield field, f"{value!r} is not of the form NAME=VALUE"
                elif self.sections_by == "none" and name not in named:
                    known = f"known: {', '.join(sorted(named))}" if named else "add --section NAME=PATTERN"
                    yield field, f"unknown section {name!r}; {known}"
        for value in self.section_keep:
            reason = value.partition("=")[2]
            if reason and reason not in reasons():
                yield "section_keep", f"{reason!r} is not one of {', '.join(reasons())}"


class BuildSettings(
    TextOrJson,
    SourceSettings,
    SelectionSettings,
    SectionSettings,
    CrawlLimitSettings,
    RenderSettings,
    FetchSettings,
    WorkerSettings,
    RunSettings,
):
    sources: tuple[str, ...] = argument((), "Where the pages come from", "URL|FOLDER|FILE|DATABASE|-...")
    now: datetime | None = None
    """the time of the build, instead of the clock"""
    base_url: str | None = opt(None, "URL that the output folder is served at", "URL", is_url=True)
    out: StrPath | None = opt(
        None,
        "Output folder, or s3://, gs://, az:// URL",
        "DIR|URL",
        short="-o",
        default="the source folder",
        command_only=True,
        or_storage=True,
    )
    state: StrPath | None = opt(None, "State folder of this output", "DIR", default="one per output in .urlset")
    seed_sitemaps: bool = opt(True, "Visit URLs of live sitemaps too (or --no-seed-sitemaps)")
    gzip: bool = opt(False, "Compress the files below the index")
    text: bool = opt(False, "Write plain text lists instead of XML")
    human_view: bool = opt(False, "Write an HTML page that lists the sitemaps")
    feed: tuple[Literal["atom", "rss"], ...] = opt((), "Write a feed of the newest changes", "FORMAT", split=True)
    llms: bool = opt(False, "Write llms.txt from titles and sections")
    write_robots: bool = opt(False, "Create robots.txt if there is none")
    indexnow_key: str | None = opt(None, "Write the IndexNow key file KEY.txt", "KEY", scope=NOT_IN_FILES, secret=True)
    replace_others: bool = opt(False, "Remove the sitemaps of another tool from the folder")
    compact: bool = opt(False, "Repack pages to fill gaps", scope=ONE_RUN)
    dry_run: bool = opt(False, "Show what would change and write nothing", scope=ONE_RUN)
    force: tuple[Guard, ...] = opt((), "Override a safety check", "CHECK", split=True, scope=NOT_IN_FILES)
    shrink_percent: float = opt(
        SHRINK_PERCENT, "Refuse a set that loses more URLs than this", "PERCENT", least=0, most=100
    )

    @property
    def all_sources(self) -> tuple[str, ...]:
        """Those named, and the database."""
        return (*self.sources, *([self.db] if self.db else []))

    @property
    def out_folder(self) -> Path:
        """Where the files are written. The command fills in its default before the build starts."""
        return Path(self.out or "")

    @property
    def state_folder(self) -> Path | None:
        """None: the build remembers nothing and knows nothing of earlier builds."""
        return None if self.state is None else Path(self.state)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.indexnow_key is not None:
            from urlset.submitting.webmasters import key_problem

            problem = key_problem(self.indexnow_key)
            if problem is not None or self.indexnow_key.startswith("-"):
                yield "indexnow_key", f"{self.indexnow_key!r}: {problem or 'a file name cannot start with -'}"
