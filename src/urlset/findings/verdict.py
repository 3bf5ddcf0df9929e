"""The result of a run: findings, checked documents, and skipped rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.model.document import Kind
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown


class Checked(msgspec.Struct, frozen=True):
    """One document that was checked."""

    source: str
    url: str | None
    kind: str
    bytes: int
    entries: int
    sha256: str


class NotChecked(msgspec.Struct, frozen=True):
    """A rule that could not be checked, and why: skipped is not passed."""

    code: str
    reason: str
    source: str | None = None


class Suppressed(msgspec.Struct, frozen=True):
    """Findings that were suppressed on purpose."""

    code: str
    source: str
    count: int
    by: str


class PageCount(msgspec.Struct, frozen=True):
    """The listed pages of an audit."""

    listed: int
    judged: int
    """with a usable response"""


class Verdict(Shown, Tabular, msgspec.Struct, frozen=True):
    """Findings are capped per rule and document; `counts` is exact.

    A finding may cover many entries (`Finding.count`); in `counts` and `severity_counts` it is one finding, in
    `concerned` it counts for all of them.
    """

    documents: tuple[Checked, ...] = ()
    findings: tuple[Finding, ...] = ()
    counts: dict[str, int] = {}
    severity_counts: dict[str, int] = {}
    """exact number of findings by severity, including those beyond the cap"""
    beyond: dict[str, int] = {}
    """by code, the entries covered by findings beyond the cap"""
    fixable: int = 0
    not_checked: tuple[NotChecked, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    cards: dict[str, Card] = {}
    """the cards of the rules that were run"""
    troubled: tuple[str, ...] = ()
    """sources that could not be opened, with the reason"""
    empty: tuple[str, ...] = ()
    """folders and sites without anything to check"""
    pages: PageCount | None = None
    """the pages that were audited; None for a check of sitemaps only"""

    def at_or_above(self, level: Severity) -> int:
        return sum(count for name, count in self.severity_counts.items() if Severity(name).at_least(level))

    @property
    def concerned(self) -> dict[str, int]:
        """Code → affected entries, exact: a finding counts for all entries it covers."""
        found: Counter[str] = Counter()
        at_hand: Counter[str] = Counter()
        for finding in self.findings:
            found[finding.code] += finding.count
            at_hand[finding.code] += 1
        return {
            code: found[code] + max(self.beyond.get(code, 0), count - at_hand[code])
            for code, count in self.counts.items()
        }

    @property
    def entries(self) -> int:
        """Listed pages, with duplicates; the sitemaps that an index lists count only where nothing else was read."""
        pages = [document.entries for document in self.documents if document.kind != Kind.SITEMAPINDEX]
        return sum(pages) if any(pages) else sum(document.entries for document in self.documents)

    @property
    def unread(self) -> tuple[str, ...]:
        """What was named and not looked at."""
        return (*self.troubled, *self.empty)

    @property
    def is_partial(self) -> bool:
        """Something that was named could not be read, so the absence of findings proves nothing about it."""
        return bool(self.troubled)

    @property
    def covers_nothing(self) -> bool:
        """No page was judged, or no sitemap was read: a robots.txt next to a missing sitemap does not count."""
        if self.pages is not None:
            return not self.pages.judged
        return not any(document.kind != Kind.ROBOTS or not self.unread for document in self.documents)

    has_preview = True

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "documents", len(self.documents)
        yield "entries", self.entries
        yield from self.severity_counts.items()
        if self.troubled:
            yield "troubled", len(self.troubled)

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: findings, documents, not_checked."""
        return {
            "findings": lambda: table_of(Finding, lambda: self.findings, skip=("excerpt", "places")),
            "documents": lambda: table_of(Checked, lambda: self.documents),
            "not_checked": lambda: table_of(NotChecked, lambda: self.not_checked),
        }


def join(verdicts: list[Verdict]) -> Verdict:
    """The verdicts of several documents combined, in the given order."""
    counts: Counter[str] = Counter()
    severities: Counter[str] = Counter()
    beyond: Counter[str] = Counter()
    cards: dict[str, Card] = {}
    for verdict in verdicts:
        counts.update(verdict.counts)
        severities.update(verdict.severity_counts)
        beyond.update(verdict.beyond)
        cards.update(verdict.cards)
    return Verdict(
        documents=tuple(document for verdict in verdicts for document in verdict.documents),
        findings=tuple(finding for verdict in verdicts for finding in verdict.findings),
        counts=dict(sorted(counts.items())),
        severity_counts=dict(severities),
        beyond=dict(beyond),
        fixable=sum(verdict.fixable for verdict in verdicts),
        not_checked=tuple(dict.fromkeys(item for verdict in verdicts for item in verdict.not_checked)),
        suppressed=tuple(item for verdict in verdicts for item in verdict.suppressed),
        cards=cards,
        troubled=tuple(line for verdict in verdicts for line in verdict.troubled),
        empty=tuple(line for verdict in verdicts for line in verdict.empty),
        pages=next((verdict.pages for verdict in verdicts if verdict.pages is not None), None),
    )
