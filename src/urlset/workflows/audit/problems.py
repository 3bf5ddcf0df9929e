"""Judged pages, a compared crawl and checked sitemaps → one row for each problem and URL, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge

import msgspec

from urlset.auditing.causes import action_for
from urlset.auditing.indexable import Remedy
from urlset.auditing.store import AuditStore, KnownProblem
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.visit import Visit
from urlset.reports.audit_wording import cause_line
from urlset.reports.pages import CauseRow, ProblemRow
from urlset.workflows.audit.explained import Explainer, subjects_of

LINKED_FROM = 3
"""pages named that link to one with a problem"""
Inlinks = Callable[[str], Sequence[str]]
FindRemedy = Callable[[Visit, tuple[str, ...]], Remedy | None]


class ProblemRows:
    """Reads the problems of pages from the store each time; those of sitemaps are findings in memory."""

    def __init__(
        self,
        store: AuditStore,
        verdict: Verdict,
        others: Collection[Finding],
        causes: Sequence[CauseRow],
        *,
        numbers: Explainer,
        remedy: FindRemedy,
        inlinks: Inlinks = lambda _url: (),
        accepted: Collection[tuple[str, str]] = (),
    ) -> None:
        """`verdict` is what is reported; `others` are its findings that are not in the store.

        `accepted` are rule and URL of findings that a baseline accepts.
        """
        self._store, self._others, self._inlinks, self._remedy = store, others, inlinks, remedy
        self._cards: Mapping[str, Card] = verdict.cards
        self._numbers = numbers
        self._of_rule = dict(numbers.numbered_rules())
        self._causes, self._accepted = causes, accepted

    def __call__(self) -> Iterator[ProblemRow]:
        self._store.number_problems(self._numbers.numbered_groups(), self._numbers.numbered_rules())
        found = (self._row(problem, visit, number) for problem, number, visit in self._store.problems())
        of_pages = (each for each in found if (each.code, each.url) not in self._accepted)
        of_sitemaps = sorted(_merged(self._of_findings()), key=_place)
        return merge(_merged(of_pages), of_sitemaps, key=_place)

    def _of_findings(self) -> Iterator[ProblemRow]:
        for finding in self._others:
            for url in subjects_of(finding):
                listed = finding.source if finding.source != url else ""
                said = KnownProblem(url, finding.code, finding.severity.value, finding.message, listed)
                number = self._of_rule.get(finding.code)
                fix = finding.fix.title if finding.fix is not None else ""
                yield self._row(said, self._store.find(url), number, fix)

    def _row(self, problem: KnownProblem, visit: Visit | None, number: int | None, fix: str = "") -> ProblemRow:
        card = self._cards.get(problem.code)
        cause = self._causes[number - 1] if number is not None and number <= len(self._causes) else None
        return ProblemRow(
            url=problem.url,
            code=problem.code,
            name=card.name if card is not None else "",
            severity=Severity(problem.severity),
            cause=f"{number}. {cause_line(cause)}" if cause is not None else "",
            evidence=_split(problem.message)[0],
            status=visit.first_status if visit is not None else None,
            final_url=(visit.final_url or visit.url) if visit is not None else None,
            listed_in=problem.source,
            linked_from=tuple(self._inlinks(problem.url))[:LINKED_FROM],
            action=self._action(problem, visit, cause) or fix,
            number=number,
        )

    def _action(self, problem: KnownProblem, visit: Visit | None, cause: CauseRow | None) -> str:
        """The URL to list instead, else what its cause advises, else what the message ends with."""
        remedy = self._remedy(visit, (problem.code,)) if visit is not None else None
        if remedy is not None and remedy.to:
            return f"list {remedy.to} instead"
        if cause is not None and cause.code == problem.code and cause.advice:
            return cause.advice[0]
        removed = "remove the entry from the sitemap" if remedy is not None else ""
        return action_for(problem.code) or removed or _split(problem.message)[1]


_VERBS = frozenset(
    """add allow cache change check correct exclude find fix give keep link list make move open redirect remove replace
    restore return send set update use write""".split()  # noqa: SIM905
)


def _split(message: str) -> tuple[str, str]:
    """The fact and what to do: a message that says both has the action last."""
    fact, mark, action = message.rpartition("; ")
    return (fact, action) if mark and action.partition(" ")[0] in _VERBS else (message, "")


def _place(row: ProblemRow) -> tuple[bool, int]:
    return row.number is None, row.number or 0


def _merged(rows: Iterable[ProblemRow]) -> Iterator[ProblemRow]:
    """A rule may find several faults on one page, one after the other; that is one row."""
    last: ProblemRow | None = None
    for row in rows:
        if last is not None and (last.code, last.url, last.listed_in) == (row.code, row.url, row.listed_in):
            last = msgspec.structs.replace(last, evidence=f"{last.evidence}; {row.evidence}")
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last
