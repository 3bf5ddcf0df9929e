"""The pages of a crawl → rows for people and programs, a later build among them."""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from urlset.building.policy import DEFAULT_AGENT, forbidding_line
from urlset.building.sources.crawled import candidate_of, is_surely_an_error
from urlset.crawling.found import Fate, TrapKind
from urlset.crawling.frontier import CrawlFrontier, end_of
from urlset.model.canonicals import conflicting
from urlset.model.crawl_row import ENDLESS, EXCLUDED, NO_RULES, NOT_ASKED, NOT_YET, OUTSIDE, CrawlRow
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit
from urlset.reading.read import read
from urlset.reading.robots import matcher_for
from urlset.workflows.crawl.look import JudgedRow, judged_rows

_FATES = {
    Fate.ASK: NOT_YET,
    Fate.FORBIDDEN: "disallowed by robots.txt",
    Fate.NO_RULES: NO_RULES,
    Fate.FILE: "not a page, by its file name",
    Fate.EXCLUDED: EXCLUDED,
    Fate.OUTSIDE: OUTSIDE,
    Fate.TRAPPED: ENDLESS,
}
_Forbidding = Callable[[str], str | None]


def crawl_rows(frontier: CrawlFrontier, robots_txt: bytes | None = None) -> Generator[CrawlRow]:
    """In the order of discovery; addresses linked only with nofollow last."""
    forbidding = _forbidding(robots_txt)
    for judged in judged_rows(frontier):
        yield _row(judged, frontier, forbidding)
    for url, source in frontier.only_unfollowed():
        yield CrawlRow(url=url, state=NOT_ASKED, reason="only nofollow links", depth=-1, via="link", found_on=source)


def _forbidding(robots_txt: bytes | None) -> _Forbidding:
    """An address → the line that forbids it to the robot a build asks for."""
    robots = read(robots_txt).robots if robots_txt is not None else None
    if robots is None:
        return lambda _url: None
    matcher = matcher_for(robots, DEFAULT_AGENT)
    return lambda url: forbidding_line(matcher, url)


def _row(judged: JudgedRow, frontier: CrawlFrontier, forbidding: _Forbidding) -> CrawlRow:
    row = judged.row
    visit = row.visit
    if visit is None:
        reason = _FATES[row.fate]
        if row.trap is not None:
            reason = f"{reason}: {TrapKind(msgspec.json.decode(row.trap)['kind']).value}"
        return CrawlRow(
            url=row.url, state=NOT_ASKED, reason=reason, depth=row.depth, via=row.via.shown, found_on=row.found_on
        )
    page = candidate_of(visit)
    return CrawlRow(
        url=row.url,
        state=visit.state.value,
        reason=visit.reason,
        status=visit.status,
        depth=row.depth,
        via=row.via.shown,
        found_on=row.found_on,
        redirects_to=end_of(frontier, visit) if visit.state is State.REDIRECTED else page.redirects_to,
        canonical=page.canonical,
        indexable=is_indexable(visit) and page.canonical in (None, row.url),
        title=visit.title,
        language=visit.language,
        media_type=visit.media_type,
        size=visit.size or (None if visit.unchanged else 0),
        seconds=round(visit.seconds, 3),
        last_modified=visit.last_modified,
        asked=visit.moment or None,
        robots=page.directives or None,
        disallowed=forbidding(row.url),
        soft_404="; ".join(visit.soft_404.signs) if is_surely_an_error(visit.soft_404) else None,
        thin=page.thin,
        endless=judged.endless,
        dates=visit.dates or None,
        alternates=page.entry.media.alternates or None,
    )


def is_indexable(visit: Visit) -> bool | None:
    """By what the page says of itself; None where that does not decide it."""
    marks = visit.marks
    there = visit.state is State.OK and visit.size > 0 and visit.refresh is None and not (marks and marks.blank)
    if not there or not NOINDEX.isdisjoint(visit.directives_for()):
        return False
    is_open = bool(conflicting(visit)) or (marks is not None and (marks.only_login or marks.only_scripts))
    return None if is_open else True
