"""Judged pages, a compared crawl and checked sitemaps → the rows of the report: of each page, of each problem.

The row of a page says which engines can index it, why not, and what to do; that of a problem, what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge
from typing import Generic, TypeVar

import msgspec

from urlset.auditing.causes import action_for
from urlset.auditing.indexable import Remedy, indexable_by, remedy
from urlset.auditing.page_kinds import kind_by_content
from urlset.auditing.store import AuditedUrl, AuditStore, KnownProblem
from urlset.checking.context import Context
from urlset.checking.live_page import agents
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.visit import Likelihood, State, Visit, first_canonical
from urlset.reading.host_robots import HostRobots
from urlset.reports.audit_wording import cause_line
from urlset.reports.pages import CauseRow, PageRow, ProblemRow
from urlset.workflows.audit.explained import Explainer, subjects_of

_REDIRECT = "A003"

Find = Callable[[str], Visit | None]
T = TypeVar("T")


class Repeated(Generic[T]):
    """Made anew whenever it is walked through, because it may be as long as a site."""

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[T]:
        return iter(self._make())


def was_asked(visit: Visit) -> bool:
    """False for a page that was not requested, such as one that robots.txt disallows."""
    return bool(visit.moment) or visit.status is not None or visit.failure is not None or visit.from_disk is not None


class PageVerdict(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """What is kept of the judgement of one page until the report is written."""

    codes: tuple[str, ...] = ()
    soft_404: float | None = None
    thin: float | None = None
    content: int | None = None
    """the fingerprint of its main text, without what the site repeats"""
    group: int | None = None
    """pages with the same symptom in the same part of the site"""
    facets: tuple[int, ...] | None = None
    """hashes of its facets, see reading/fingerprint.py"""


class ReportRows:
    """Makes rows; `robots` and `find` answer from the store."""

    def __init__(
        self,
        context: Context,
        robots: Callable[[str], HostRobots | None],
        find: Find,
        unasked: str = "",
        explainer: Explainer | None = None,
    ) -> None:
        self._engines = tuple(agents(context.engines))
        self._now = context.now
        self._robots, self._find = robots, find
        self._explainer = explainer
        self._unasked = unasked
        """why pages without an answer have none"""

    def row(self, row: AuditedUrl) -> PageRow:
        listed, visit = row.listed, row.visit
        entry = None if listed.row is None else listed.row + 1
        page_row = partial(PageRow, url=listed.url, source=listed.source, entry=entry, lastmod=listed.lastmod)
        if visit is None:
            return page_row(
                state=State.UNKNOWN,
                reason=self._unasked if row.chosen else "not requested: outside the sample",
                asked=False,
                indexable=dict.fromkeys(engine.value for engine in self._engines),
            )
        said = msgspec.msgpack.decode(row.verdict, type=PageVerdict) if row.verdict else PageVerdict()
        if said.soft_404 is not None:  # what is kept of a visit was written down before all pages were seen
            visit = msgspec.structs.replace(visit, soft_404=Likelihood(said.soft_404))
        able, reasons = self._indexable(visit)
        why = self._explainer
        return page_row(
            state=visit.state,
            reason=visit.reason,
            asked=was_asked(visit),
            status=visit.first_status,
            hops=visit.hops,
            final_url=visit.final_url or visit.url,
            final_status=visit.status,
            canonical=first_canonical(visit),
            media_type=visit.media_type,
            bytes=visit.size,
            first_byte=round(visit.first_byte, 3),
            seconds=round(visit.seconds, 3),
            retried=visit.retried,
            title=visit.title,
            indexable=able,
            reasons=reasons,
            codes=said.codes,
            soft_404=said.soft_404,
            thin=said.thin,
            unchanged=visit.unchanged,
            remedy=self.remedy(visit, said.codes),
            cause=None if why is None else why.number_of(said.group),
            kind=None if why is None else why.kinds.kind_of(listed.url, kind_by_content(visit, self._now)),
        )

    def _indexable(self, visit: Visit) -> tuple[dict[str, bool | None], tuple[str, ...]]:
        """For each engine, and the reasons against it, those that do not hold for all with its name."""
        robots = self._robots(visit.url)
        answer: dict[str, bool | None] = {}
        reported: dict[str, list[str]] = {}
        verdicts = indexable_by(visit, self._engines, robots, self._now)
        for engine, (able, reasons) in zip(self._engines, verdicts, strict=True):
            answer[engine.value] = able
            for reason in reasons:
                reported.setdefault(reason, []).append(engine.value)
        every = len(self._engines)
        return answer, tuple(
            reason if len(engines) == every else f"{reason} ({', '.join(engines)})"
            for reason, engines in reported.items()
        )

    def remedy(self, visit: Visit, codes: tuple[str, ...]) -> Remedy | None:
        """Only what a selected rule supports."""
        if not codes:
            return None
        found = remedy(visit, find=self._find, now=self._now)
        if found.action == "keep":
            return None
        supported = found.code in codes or (visit.state is State.REDIRECTED and _REDIRECT in codes)
        return found if supported else None


# Problems of pages and sitemaps → a row for each problem and URL.

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
