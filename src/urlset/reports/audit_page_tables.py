"""Audited pages → the rows of two tables: pages with problems, and pages that could not be checked; both limited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reports.pages import AuditReport, PageRow

BROKEN_ROWS, UNJUDGED_ROWS = 500, 200
_BROKEN = (State.GONE, State.ERROR, State.LOGIN, State.REDIRECTED, State.OK)
_UNJUDGED = (State.BLOCKED, State.UNKNOWN)
"""states in display order"""


class PageTable:
    """The first pages of each state and their total number; memory use is constant."""

    def __init__(self, states: tuple[State, ...], most: int) -> None:
        self._most = most
        self._kept: dict[State, list[PageRow]] = {state: [] for state in states}
        self.count = 0

    def take(self, row: PageRow) -> None:
        self.count += 1
        kept = self._kept[row.state]
        if len(kept) < self._most:
            kept.append(row)

    @property
    def rows(self) -> list[PageRow]:
        return [row for kept in self._kept.values() for row in kept][: self._most]


def page_tables(report: AuditReport) -> Iterator[tuple[str, str, PageTable]]:
    """Pages that were not fetched are in neither; one sentence gives the reason. Read when the template gets here."""
    minded = _minded(report.verdict)
    broken, unjudged = PageTable(_BROKEN, BROKEN_ROWS), PageTable(_UNJUDGED, UNJUDGED_ROWS)
    for row in report.pages():
        if row.state in _UNJUDGED:
            if row.asked:
                unjudged.take(row)
        elif row.state is not State.OK or minded.intersection(row.codes):
            broken.take(row)
    yield "Pages with problems", "missing, failing, redirected, or with an error or warning", broken
    yield "Pages that could not be checked", "blocked or unknown (not broken)", unjudged


def _minded(verdict: Verdict) -> set[str]:
    """Rules with an error or a warning; a page with only notes has no problem."""
    worst: defaultdict[str, int] = defaultdict(lambda: Severity.INFO.rank)
    for finding in verdict.findings:
        worst[finding.code] = min(worst[finding.code], finding.severity.rank)
    return {code for code, rank in worst.items() if rank < Severity.INFO.rank}
