"""Rules × deliveries → verdict on how sitemaps and robots.txt were served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import FindingCollector
from urlset.checking.live_page import NOWHERE, Delivery
from urlset.checking.placing import Kept, ProblemCollector
from urlset.checking.subjects import Child, ListedPage, Sitemap
from urlset.checking.tree import DocumentSummary
from urlset.findings.finding import Finding, Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.document import Document, Kind
from urlset.model.place import Place


class Deliveries(ProblemCollector):
    """Checks deliveries as they arrive; findings get their places at the end.

    A problem of the line that lists a sitemap is reported at that line; a problem of its delivery has no place.
    """

    def __init__(self, rules: Sequence[AnyRule], context: Context, *, overrides: dict[str, Severity]) -> None:
        self._known: dict[str, DocumentSummary] = {}
        super().__init__(context, self._known, overrides)
        self._rules = [rule for rule in rules if rule.on is Delivery]

    def read(self, leaf: DocumentSummary) -> None:
        """A document was read: its comments may suppress findings on it and on what it lists."""
        self._known[leaf.source] = leaf

    def judge_delivery(self, delivery: Delivery) -> None:
        for rule in self._rules:
            self.judge(rule, partial(rule.check, delivery), delivery.url)

    def conclude(self, leaves: Sequence[DocumentSummary], reopen: Callable[[str], Document]) -> Verdict:
        """`leaves` in report order; `reopen` may raise OSError for a document that was released."""
        self._known.clear()
        self._known.update((leaf.source, leaf) for leaf in leaves)
        return self.verdict(self._rules, reopen)

    def _placed(self, source: str, problems: list[Kept], reopen: Callable[[str], Document]) -> list[Finding]:
        somewhere = [(rule, problem) for rule, problem in problems if _has_place(problem)]
        found = [self._placeless(rule, problem) for rule, problem in problems if not _has_place(problem)]
        if not somewhere:
            return found
        try:
            document = reopen(source)
        except OSError:
            return found + [self._placeless(rule, problem) for rule, problem in somewhere]
        tally = FindingCollector(document, self._context, overrides=self._overrides)
        for rule, problem in somewhere:
            tally.add(rule, _with_place(problem, document, self._context), None)
        return found + [finding.made() for _, _, finding in tally.problems]


def _has_place(problem: Problem) -> bool:
    return problem.row is not None or problem.place != NOWHERE


def _with_place(problem: Problem, document: Document, context: Context) -> Problem:
    place = problem.place
    if place == NOWHERE and problem.row is not None:
        place = _place_of(problem.row, document, context)
    return Problem(place, problem.message, problem.fix, problem.subject, problem.count, problem.severity)


def _place_of(row: int, document: Document, context: Context) -> Place:
    """The URL of an entry, or the value of a Sitemap line."""
    if document.robots is not None:
        lines = document.robots.sitemaps
        return lines[row].value_place if row < len(lines) else NOWHERE
    if row >= len(document.columns):
        return NOWHERE
    row_class = Child if document.kind is Kind.SITEMAPINDEX else ListedPage
    return row_class(Sitemap(document, context), row).locate_whole()
