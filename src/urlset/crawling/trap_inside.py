"""A crawl that met traps → the pages it had visited inside them before it could tell, by their number.

A trap is seen only after some of its addresses were requested. The page that leads into it is not inside: the first
month of a calendar, the first page of a row, a list with one filter.
"""

from __future__ import annotations

from urlset.crawling.found import Fate, Trap, TrapKind
from urlset.crawling.frontier import CrawlFrontier, Step
from urlset.crawling.trap_shapes import choices_of, date_in, rest_of, return_address, shape_of, split
from urlset.crawling.traps import BARREN_CHAIN

IN_A_ROW = frozenset({TrapKind.CALENDAR, TrapKind.ENDLESS})
"""pages identified by their place in a row, regardless of content; the others by their address"""
_BY_QUERY = frozenset({TrapKind.FACETS, TrapKind.ORDER, TrapKind.RETURN})


def inside_traps(frontier: CrawlFrontier) -> dict[int, Trap]:
    """The number of each such page, and its trap."""
    inside: dict[int, Trap] = {}
    calendars: dict[str, Trap] = {}
    by_query: dict[str, dict[TrapKind, Trap]] = {}
    for end, trap in frontier.trap_ends():
        if trap.kind is TrapKind.CALENDAR:
            calendars.setdefault(trap.place, trap)
        elif trap.kind is TrapKind.ENDLESS:
            _walk_back(frontier, end, trap, inside)
        elif trap.kind is TrapKind.REPEATED:
            _unrepeat(frontier, end, trap, inside)
        elif trap.kind in _BY_QUERY:
            by_query.setdefault(split(end.url).path, {}).setdefault(trap.kind, trap)
    if calendars:
        _add_dates(frontier, calendars, inside)
    if by_query:
        _add_queries(frontier, by_query, inside)
    return inside


def _walk_back(frontier: CrawlFrontier, end: Step, trap: Trap, inside: dict[int, Trap]) -> None:
    """As far as each page showed nothing that the one before it had not shown: there the chain counts on."""
    if end.chain < BARREN_CHAIN:
        return  # a trap for another reason, such as a row of pages that all differ
    after = end
    while after.source is not None and after.source not in inside:
        page = frontier.step(after.source)
        if page.chain < 1 or after.chain != page.chain + 1:
            return
        inside[page.id] = trap
        after = page


def _unrepeat(frontier: CrawlFrontier, end: Step, trap: Trap, inside: dict[int, Trap]) -> None:
    """The page with two of three repetitions came from the same wrong link."""
    run = trap.place.removeprefix("…/").partition("/…")[0].split("/")
    once = "/".join(run[: len(run) // 3])
    after = end
    while after.source is not None:
        after = frontier.step(after.source)
        if f"/{once}/{once}/" not in f"{split(after.url).path}/":
            return
        inside.setdefault(after.id, trap)


def _add_dates(frontier: CrawlFrontier, calendars: dict[str, Trap], inside: dict[int, Trap]) -> None:
    """Of calendars that are endless every month that shows nothing, and its days; others interrupt the chain.

    The days of such a month show nothing either, unless one leads to something other than a date.
    """
    months: dict[int | None, Trap] = {}
    seconds: dict[int | None, int | None] = {}
    for each in frontier.steps():
        if each.chain == 2:
            seconds[each.id] = each.source
        elif each.chain > 2 and (trap := calendars.get(shape_of(rest_of(each.url)))):
            months[each.source] = trap
            if each.source in seconds:  # only the second of a chain shows whether the first was like it
                months[seconds[each.source]] = trap
    days: dict[int | None, Trap] = {
        each.id: months[each.source]
        for each in frontier.steps()
        if each.source in months and each.fate is Fate.ASK and not each.chain and date_in(each.url) is not None
    }
    for each in frontier.steps():
        if each.source in days and date_in(each.url) is None:
            del days[each.source]
    inside.update((page, trap) for page, trap in (months | days).items() if page is not None)


def _add_queries(frontier: CrawlFrontier, traps: dict[str, dict[TrapKind, Trap]], inside: dict[int, Trap]) -> None:
    orders: set[tuple[str, tuple[str, ...]]] = set()
    for number, url in frontier.accepted():
        path, query = split(url)
        here = traps.get(path)
        if here is None or not query:
            continue
        order = path, tuple(sorted(query.split("&")))
        is_again = order in orders
        orders.add(order)
        found = (
            (TrapKind.RETURN, return_address(query) is not None),
            (TrapKind.ORDER, is_again),
            (TrapKind.FACETS, len(choices_of(query)) > 1),
        )
        trap = next((here[kind] for kind, fits in found if fits and kind in here), None)
        if trap is not None:
            inside.setdefault(number, trap)
