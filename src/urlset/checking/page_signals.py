"""A live page → the signals that make its rules run; most pages have no problem and raise none.

A signal may be raised on more pages than a rule reports, never on fewer: a test compares all rules on all pages.
"""

from __future__ import annotations

import re

from urlset.checking.live_page import SURE_ENOUGH, LivePage, agents
from urlset.model.page import BotDirectives
from urlset.model.visit import Likelihood, PageMarks, State, Visit
from urlset.spec.protocol import HTML_BYTES_GOOGLE
from urlset.spec.signals import PageSignal

_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) \d\d:\d\d:\d\d GMT")
_MONTHS = {
    "Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06",
    "Jul": "07", "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}  # fmt: skip
_HARMLESS = frozenset(
    {"index", "follow", "max-image-preview:large", "max-snippet:-1", "max-video-preview:-1"}
)  # none of them contradicts another


def page_signals(page: LivePage) -> int:
    """Bits of PageSignal."""
    visit = page.visit
    found = 0
    if visit.state is not State.OK or visit.status != 200 or visit.failure is not None:
        found |= PageSignal.ANSWER
    if visit.hops:
        found |= PageSignal.REDIRECTS
    if visit.refresh is not None:
        found |= PageSignal.REFRESH
    if not (_unlikely(visit.soft_404) and _unlikely(visit.thin) and _shows_itself(visit.marks)):
        found |= PageSignal.NOT_A_PAGE
    if visit.media_type != "text/html":
        found |= PageSignal.TYPE
    if not 0 < visit.size <= HTML_BYTES_GOOGLE:
        found |= PageSignal.SIZE
    if visit.alternates or page.listing.alternates:
        found |= PageSignal.ALTERNATES
    if not page.url.startswith("https://"):
        found |= PageSignal.NOT_SECURE
    if not _names_itself(visit, page.url):
        found |= PageSignal.CANONICALS
    if not (_harmless(visit.robots) and _harmless(visit.header_robots)):
        found |= PageSignal.DIRECTIVES
    if not _dates_agree(page):
        found |= PageSignal.DATES
    if visit.rendered is not None:
        found |= PageSignal.RENDERED | PageSignal.CANONICALS | PageSignal.DIRECTIVES
    if not _allowed(page):
        found |= PageSignal.DISALLOWED
    return found


def _unlikely(judgement: Likelihood | None) -> bool:
    return judgement is None or judgement.certainty < SURE_ENOUGH


def _shows_itself(marks: PageMarks | None) -> bool:
    return marks is None or not (marks.blank or marks.only_login or marks.only_scripts)


def _names_itself(visit: Visit, url: str) -> bool:
    if visit.link_canonicals or visit.qualified_canonicals or len(visit.canonicals) > 1:
        return False
    return not visit.canonicals or (visit.canonicals[0].in_head and visit.canonicals[0].href == url and "#" not in url)


def _harmless(reported: tuple[BotDirectives, ...]) -> bool:
    return all(word in _HARMLESS for each in reported for word in each.directives)


def _dates_agree(page: LivePage) -> bool:
    """All dates match the sitemap's day; only a Last-Modified header may be later."""
    lastmod = page.listing.lastmod
    if not lastmod:
        return True
    header = page.visit.last_modified
    if header is not None and not _day_of(header) >= lastmod.strip()[:10]:
        return False
    reported = [date.raw for date in page.visit.dates]
    if page.seen_changed:
        reported.append(page.seen_changed)
    return all(text.strip()[:10] == lastmod.strip()[:10] for text in reported)


def _day_of(header: str) -> str:
    """`2026-11-15` from an HTTP date; empty for anything else."""
    found = _HTTP_DATE.fullmatch(header)
    return f"{found[3]}-{_MONTHS[found[2]]}-{found[1]}" if found and found[2] in _MONTHS else ""


def _allowed(page: LivePage) -> bool:
    robots = page.robots
    return robots is None or all(
        robots.match(agent, page.url).allowed for agent in agents(page.context.engines).values()
    )
