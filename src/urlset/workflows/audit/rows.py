"""One listed page, its visit and its findings → its report row: which engines can index it, why not, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

from urlset.auditing.indexable import Remedy, indexable_by, remedy
from urlset.auditing.page_kinds import kind_by_content
from urlset.auditing.store import AuditedUrl
from urlset.checking.context import Context
from urlset.checking.live_page import agents
from urlset.model.visit import Likelihood, State, Visit, first_canonical
from urlset.reading.host_robots import HostRobots
from urlset.reports.pages import PageRow
from urlset.workflows.audit.explained import Explainer

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
        if visit is None:
            return PageRow(
                url=listed.url,
                source=listed.source,
                entry=entry,
                lastmod=listed.lastmod,
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
        return PageRow(
            url=listed.url,
            source=listed.source,
            entry=entry,
            lastmod=listed.lastmod,
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
