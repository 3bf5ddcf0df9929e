"""The result of an audit for each listed page and in total: the input of audit reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from urlset.auditing.indexable import Remedy
from urlset.auditing.page_kinds import KindShare, PageKind
from urlset.auditing.robots_gate import BotAccess
from urlset.auditing.sections import CauseScope
from urlset.auditing.speed import SectionSpeed
from urlset.findings.card import Severity
from urlset.findings.verdict import PageCount, Verdict
from urlset.model.answer import Hop
from urlset.model.frames import ColumnType, FrameColumn, FrameTable, ListOf, Tabular, table_of
from urlset.model.shown import Shown
from urlset.model.visit import State


class PageRow(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """One listed page."""

    url: str
    source: str
    entry: int | None = None
    """its number in that sitemap, from 1"""
    lastmod: str | None = None
    state: State
    reason: str = ""
    """the evidence for the state"""
    asked: bool = True
    status: int | None = None
    """at the listed URL: 301 for a redirect"""
    hops: tuple[Hop, ...] = ()
    final_url: str | None = None
    final_status: int | None = None
    """at the final URL; the same where nothing redirects"""
    canonical: str | None = None
    """absolute; None if the page has none"""
    media_type: str | None = None
    bytes: int = 0
    first_byte: float = 0.0
    seconds: float = 0.0
    """to the last byte"""
    retried: str = ""
    """how the first try failed, where there were several"""
    title: str | None = None
    indexable: dict[str, bool | None] = {}
    """by engine; None if unknown"""
    reasons: tuple[str, ...] = ()
    """why it is not indexable, or why that is unknown"""
    codes: tuple[str, ...] = ()
    """rules with a finding on it"""
    soft_404: float | None = None
    thin: float | None = None
    unchanged: bool = False
    remedy: Remedy | None = None
    """what `urlset fix --using` would do with the entry"""
    kind: PageKind | None = None
    """an archive, a filter, a search: pages that many sites do not list"""
    cause: int | None = None
    """the number of its root cause, from 1"""


def _engines(row: PageRow, *, able: bool) -> list[str]:
    return [engine for engine, verdict in row.indexable.items() if verdict is able]


_ENGINES = ListOf(ColumnType.TEXT)
_BY_ENGINE = (
    FrameColumn("indexable", _ENGINES, lambda rows: [_engines(row, able=True) for row in rows]),
    FrameColumn("not_indexable", _ENGINES, lambda rows: [_engines(row, able=False) for row in rows]),
)


class NotAsked(msgspec.Struct, frozen=True):
    """Listed pages that were not fetched, and why."""

    count: int
    reason: str


class Consequence(msgspec.Struct, frozen=True):
    """Findings of another rule that go away with the cause."""

    code: str
    count: int
    text: str


class CauseRow(Shown, msgspec.Struct, frozen=True):
    """A common cause of many findings."""

    title: str
    count: int
    of: int
    """the total of that kind"""
    kind: str
    """what they have in common: redirected, not canonical, missing …"""
    code: str = ""
    """the rule of most of these findings"""
    examples: tuple[tuple[str, str], ...] = ()
    """listed URL and replacement, which may be empty"""
    lost: int = 0
    """pages that no engine can index because of it, under this URL or another"""
    affected: int = 0
    """its pages, and other pages with a finding that goes away with it"""
    severity: Severity = Severity.WARNING
    where: tuple[CauseScope, ...] = ()
    sitemaps: tuple[tuple[str, int], ...] = ()
    """sitemaps that list its pages, and how many"""
    consequences: tuple[Consequence, ...] = ()
    advice: tuple[str, ...] = ()
    """what to do, the most direct way first"""
    is_rest: bool = False
    """findings of one kind that share nothing else"""


class ProblemRow(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """One problem of one URL: what a person works through."""

    url: str
    code: str
    name: str
    severity: Severity
    cause: str = ""
    """its line in the report, with its number"""
    evidence: str = ""
    status: int | None = None
    """of the first hop: 301 for a redirect"""
    final_url: str | None = None
    listed_in: str = ""
    linked_from: tuple[str, ...] = ()
    """the first three pages that link to it, where the site was crawled"""
    action: str = ""
    number: int | None = None
    """of its cause, from 1"""


class ChangedRule(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of one rule compared with an earlier audit."""

    code: str
    name: str
    new: int = 0
    resolved: int = 0
    unchanged: int = 0
    new_examples: tuple[str, ...] = ()
    resolved_examples: tuple[str, ...] = ()


class FindingChanges(msgspec.Struct, frozen=True, kw_only=True):
    """All findings compared with an earlier audit; rules with the most new findings first."""

    since: str
    """the report or state of the earlier audit"""
    rules: tuple[ChangedRule, ...] = ()
    unlisted: int = 0
    """resolved findings on pages that are no longer listed"""

    @property
    def new(self) -> int:
        return sum(each.new for each in self.rules)

    @property
    def resolved(self) -> int:
        return sum(each.resolved for each in self.rules)

    @property
    def unchanged(self) -> int:
        return sum(each.unchanged for each in self.rules)


class EstimateRow(msgspec.Struct, frozen=True):
    """An estimate for all pages from a sample: a share with its 95% interval."""

    what: str
    found: int
    share: float
    low: float
    high: float
    pages_low: int
    pages_high: int


class AuditTotals(msgspec.Struct, frozen=True):
    """One finished audit of the target, in a few numbers."""

    at: str
    listed: int
    ok: int
    """pages that answered at their listed URL"""
    errors: int
    warnings: int


class AuditReport(Shown, Tabular, msgspec.Struct, frozen=True, kw_only=True):
    """Everything that reports need; pages are read from disk while writing."""

    target: str
    again: str = ""
    """the arguments that give the same report without requests"""
    verdict: Verdict
    listed: int
    states: dict[State, int]
    not_asked: tuple[NotAsked, ...] = ()
    causes: tuple[CauseRow, ...] = ()
    """at most fifteen, by damage"""
    others: tuple[CauseRow, ...] = ()
    """further causes, numbered on, and findings that share nothing"""
    unexplained: int = 0
    """pages with an error or a warning that have none of these causes"""
    bots: tuple[BotAccess, ...] = ()
    """crawlers of search engines and AI services, and how many listed pages robots.txt lets them fetch"""
    changes: FindingChanges | None = None
    """compared with an earlier audit, if one was given"""
    trend: tuple[AuditTotals, ...] = ()
    """finished audits of the same target, this one last"""
    speeds: tuple[SectionSpeed, ...] = ()
    """how fast the parts of the site are, the slowest first"""
    kinds: tuple[KindShare, ...] = ()
    """kinds of pages by sitemap, the largest share first"""
    generators: tuple[str, ...] = ()
    """programs that made the site, the most specific first"""
    estimates: tuple[EstimateRow, ...] = ()
    none_of: float | None = None
    """for a sample: the largest share of all pages, with 95% confidence, with a problem it does not show"""
    page_codes: frozenset[str] = frozenset()
    """the rules on pages, images, and videos; the others are about the sitemaps"""
    media: dict[State, int] = {}
    """images and videos, if they were fetched"""
    unchanged: int = 0
    """pages that the server confirmed with 304"""
    remedies: dict[str, int] = {}
    """pages that `urlset fix --using` would remove or replace"""
    reasons: tuple[tuple[State, str, int], ...] = ()
    """the most common reasons for blocked, failed, or unknown pages, with counts"""
    notices: tuple[str, ...] = ()
    finished: bool = True
    pages: Callable[[], Iterator[PageRow]] = lambda: iter(())
    problems: Callable[[], Iterator[ProblemRow]] = lambda: iter(())
    """one row for each rule and URL with a finding, by cause"""

    @property
    def seen(self) -> int:
        return sum(self.states.values())

    @property
    def judged(self) -> int:
        """Pages with a usable response."""
        return self.seen - self.states.get(State.BLOCKED, 0) - self.states.get(State.UNKNOWN, 0)

    def __post_init__(self) -> None:
        """Every format summarizes the verdict, so the verdict has the number of pages behind it."""
        pages = PageCount(self.listed, self.judged)
        msgspec.structs.force_setattr(self, "verdict", msgspec.structs.replace(self.verdict, pages=pages))

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "target", self.target
        yield "listed", self.listed
        yield "states", {state.value: count for state, count in self.states.items()}
        yield "findings", self.verdict.severity_counts
        if not self.finished:
            yield "finished", False

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: pages, problems, findings, causes, estimates. Pages and problems are valid inside the block."""
        return {
            "problems": lambda: table_of(ProblemRow, self.problems),
            "pages": lambda: table_of(PageRow, self.pages, times=("lastmod",), instead={"indexable": _BY_ENGINE}),
            "findings": lambda: self.verdict.table("findings"),
            "causes": lambda: table_of(CauseRow, lambda: self.causes),
            "estimates": lambda: table_of(EstimateRow, lambda: self.estimates),
        }
