"""The addresses that a site offers, in the order found → which of them lead nowhere but to more of their kind, and why.

Every verdict rests on addresses that were accepted before, never on how fast they came, so a crawl that was
killed and taken up again judges alike. Lists that are leafed through, and a shop with any number of products under
one path, are not traps: each of their addresses brings a new value, while facets only combine a few.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection
from datetime import date, timedelta

from urlset.crawling.found import NO_ROW, Fate, Length, Trap, TrapKind
from urlset.crawling.frontier import CrawlFrontier, Step
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
    PAGE_IN_PATH,
    PAGE_PARAMETERS,
    RETURN_PARAMETERS,
    SESSION_IN_PATH,
    SESSION_PARAMETERS,
    SESSION_PREFIXES,
    SESSION_VALUE,
)
from urlset.spec.protocol import LOC_LENGTH_BELOW

DEEPEST_PATH = 20
RETURNS = 10
"""addresses with a return address that are requested under one path"""
REORDERED = 10
"""the same for parameters that were met before in another order"""
FACET_QUERIES, FACET_NAME_SETS, FACET_RATIO = 60, 5, 4
"""a path is faceted once so many queries use so many sets of names, and each value occurs in so many queries"""
LEARNED_QUERIES = 15
"""the same number for a path that is filtered by the names of a faceted one"""
AHEAD = timedelta(days=400)
EARLIEST = date(1990, 1, 1)
"""no calendar on the web extends beyond this"""
BARREN_CHAIN = 40
"""pages of one shape in a row of which each led to nothing but the next"""
LEAFING_CHAIN = 250
"""the same for lists that are leafed through by number"""
CALENDAR_CHAIN = 60
"""months (or days) in a row of which each led to nothing but dates"""
LONGEST_ROW = 5_000
"""the same if every page also shows something else: a comic read backwards, a diary"""
MOST_NEIGHBORS = 2
"""a page before and a page behind"""
SURE_CHAIN = 3
"""dates in a row that make a calendar; two numbers alone may be a topic and its page"""
MOST_HOPS = 20
"""where browsers give up"""
_MOST_PATHS = 4_000
_MOST_QUERIES = 20_000
"""remembered of one path"""


class _Queries:
    """The queries accepted under one path."""

    __slots__ = ("choices", "faceted", "name_sets", "returns", "shuffled", "sorted", "values")

    def __init__(self) -> None:
        self.choices: set[int] = set()
        """leafing through the pages of one choice is not another choice"""
        self.values: set[int] = set()
        self.name_sets: set[tuple[str, ...]] = set()
        self.returns = 0
        self.sorted: set[int] = set()
        self.shuffled = 0
        self.faceted = False


class TrapWatch:
    """Asked about each new address, told about each that was accepted."""

    def __init__(
        self, today: date, *, known: Callable[[str], bool] = lambda _url: False, ignore: Collection[TrapKind] = ()
    ) -> None:
        """`known`: whether an address is in the frontier; `ignore`: traps to walk into."""
        self.today, self._latest = today, today + AHEAD
        self._known = known
        self._ignore = frozenset(ignore)
        self._paths: OrderedDict[str, _Queries] = OrderedDict()
        self._facet_names: set[str] = set()
        self._sessions: set[int] = set()

    def judge(self, url: str, source: str, length: Length = NO_ROW, hops: int = 0) -> Trap | None:
        """`source` is the page it was found on, `length` that of the row of like pages that led to it.

        `hops` are the redirects in a row that led there, to addresses of whatever shape.
        """
        found = self._judge(url, source, length)
        if (found is None or found.kind in self._ignore) and hops > MOST_HOPS:
            found = Trap(TrapKind.ENDLESS, shape_of(rest_of(url)), f"more than {MOST_HOPS} consecutive redirects")
        return None if found is None or found.kind in self._ignore else found

    def _judge(self, url: str, source: str, length: Length) -> Trap | None:
        path, query = split(url)
        if len(url) >= LOC_LENGTH_BELOW:
            return Trap(TrapKind.LONG, path[:80], f"URLs of {LOC_LENGTH_BELOW:,} or more characters")
        if path.count("/") > DEEPEST_PATH:
            return Trap(TrapKind.DEEP, f"{path[:60]}…", f"more than {DEEPEST_PATH} folders deep")
        run = repeated(path)
        if run is not None:
            return Trap(TrapKind.REPEATED, f"…/{run}/{run}/{run}/…", "the path repeats itself")
        bare = without_session(url)
        if bare is not None and (hash(bare) in self._sessions or self._known(bare)):
            return Trap(TrapKind.SESSION, shape_of(path), "the same page with another session ID")
        if query:
            found = self._query_trap(path, query)
            if found is not None:
                return found
        return self._chain_trap(url, source, length)

    def accept(self, url: str) -> None:
        """Remember what later verdicts rest on."""
        bare = without_session(url)
        if bare is not None:
            self._sessions.add(hash(bare))
        path, query = split(url)
        if not query:
            return
        seen = self._paths.get(path)
        if seen is None:
            seen = self._paths[path] = _Queries()
            if len(self._paths) > _MOST_PATHS:
                self._paths.popitem(last=False)
        else:
            self._paths.move_to_end(path)
        if return_address(query):
            seen.returns += 1
        if len(seen.sorted) >= _MOST_QUERIES:
            return  # a shop by now, or judged already
        parts = hash(tuple(sorted(query.split("&"))))
        if parts in seen.sorted:
            seen.shuffled += 1
        seen.sorted.add(parts)
        choices = choices_of(query)
        if choices:
            seen.choices.add(hash(tuple(sorted(choices))))
            seen.values.update(map(hash, choices))
            seen.name_sets.add(tuple(sorted(name for name, _ in choices)))
            many = len(seen.choices) >= FACET_QUERIES and len(seen.name_sets) >= FACET_NAME_SETS
            if many and not seen.faceted and len(seen.choices) > FACET_RATIO * len(seen.values):
                seen.faceted = True
                self._facet_names.update(name for names in seen.name_sets for name in names)

    def _query_trap(self, path: str, query: str) -> Trap | None:
        seen = self._paths.get(path)
        if seen is None:
            return None
        if seen.returns >= RETURNS and (name := return_address(query)):
            return Trap(TrapKind.RETURN, f"{path}?{name}=…", "URLs that differ only in their return target")
        if seen.shuffled >= REORDERED and hash(tuple(sorted(query.split("&")))) in seen.sorted:
            return Trap(TrapKind.ORDER, f"{path}?…", "the same parameters in a different order")
        choices = choices_of(query)
        if len(choices) < 2 or hash(tuple(sorted(choices))) in seen.choices:
            return None
        names = {name for name, _ in choices}
        learned = len(seen.choices) >= LEARNED_QUERIES and len(seen.name_sets) > 1 and names <= self._facet_names
        if seen.faceted or learned:
            shown = ", ".join(sorted(names)[:6])
            return Trap(TrapKind.FACETS, f"{path}?…", f"ever-growing filter combinations, such as {shown}")
        return None

    def _chain_trap(self, url: str, source: str, length: Length) -> Trap | None:
        if length.row >= LONGEST_ROW:
            said = f"{LONGEST_ROW:,} consecutive pages, each linked only from the previous one"
            return Trap(TrapKind.ENDLESS, shape_of(rest_of(url)), said)
        day, before = date_in(url), date_in(source)
        if day is not None and before is not None:
            reason = self._calendar(day, before, length.chain)
            return Trap(TrapKind.CALENDAR, shape_of(rest_of(url)), reason) if reason else None
        path, query = split(url)
        names = (piece.partition("=")[0].lower() for piece in query.split("&"))
        is_leafing = PAGE_IN_PATH.search(path) or not _LEAFING.isdisjoint(names)  # ?page=7, ?start=40, /page/7
        limit = LEAFING_CHAIN if is_leafing else BARREN_CHAIN
        if length.chain < limit:
            return None
        reason = f"{limit} consecutive pages led only to the next of their kind"
        return Trap(TrapKind.ENDLESS, shape_of(rest_of(url)), reason)

    def _calendar(self, day: date, before: date, chain: int) -> str | None:
        """It is judged where it leaves the time that people plan or remember: numbers beyond may be anything."""
        if chain >= CALENDAR_CHAIN:
            return f"{CALENDAR_CHAIN} consecutive dates led only to more dates"
        if chain >= SURE_CHAIN and before <= self._latest < day:
            return f"a calendar that extends more than {AHEAD.days} days ahead"
        if chain >= SURE_CHAIN and day < EARLIEST <= before:
            return f"a calendar that extends before {EARLIEST.year}"
        return None


def chains(source: str, length: Length, brought: list[str], *, alike: bool = True) -> list[Length]:
    """How long the row of like pages is that leads to each address one page brought.

    A row continues where a page brought nothing but one or two addresses of its own shape, or dates where it is a date
    itself; whatever else is new on it starts afresh. `alike`: whether the page showed nothing that the page before
    it had not shown; a list of things met elsewhere before is a list all the same.
    """
    dated = date_in(source) is not None
    if not (all(date_in(url) is not None for url in brought) if dated else len(brought) <= MOST_NEIGHBORS):
        return [NO_ROW] * len(brought)
    shape = shape_of(source)
    same = [shape_of(url) == shape for url in brought]
    longer = Length(length.chain + 1 if alike else 1, length.row + 1)
    return [longer if like and (dated or all(same)) else NO_ROW for like in same]


def without_session(url: str) -> str | None:
    """The address without the session id it carries; None where it carries none."""
    path, mark, query = url.partition("?")
    bare = SESSION_IN_PATH.sub("", path)
    kept = query
    if mark:
        kept = "&".join(piece for piece in query.split("&") if not _is_session(piece))
    if bare == path and kept == query:
        return None
    return f"{bare}?{kept}" if kept else bare


def _is_session(piece: str) -> bool:
    name, _, value = piece.partition("=")
    name = name.lower()
    if name in AMBIGUOUS_SESSION_PARAMETERS:
        return SESSION_VALUE.fullmatch(value) is not None
    return bool(value) and (name in SESSION_PARAMETERS or name.startswith(SESSION_PREFIXES))


# An address → the parts that betray endless ones: its shape, the date in it, repeated segments, return addresses.

_HEAD = re.compile(r"https?://[^/?]*")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9]++")
_DIGITS = re.compile(r"[0-9]+")
_ID_LENGTH = 16
# A date that ends the path, or is a separate folder in it that is followed only by the name of a view.
_VIEW = r"(?:/(?:month|week|day|list|agenda|year|photo|map|summary))?/?"
_DATE_IN_PATH = re.compile(
    rf"/(?:(?P<y>[0-9]{{4}})[/-](?P<m>0?[1-9]|1[0-2])(?:[/-](?P<d>0?[1-9]|[12][0-9]|3[01]))?|(?P<w>[0-9]{{4}})-?W[0-9]{{2}}){_VIEW}\Z"
)
_DATE_VALUE = re.compile(
    r"(?P<y>[0-9]{4})-?(?P<m>0[1-9]|1[0-2])(?:-?(?P<d>0[1-9]|[12][0-9]|3[01]))?(?:T[0-9:%A-Za-z.+-]*)?"
)
_YEAR_NAMES = frozenset({"year", "y", "yr", "jahr", "annee", "cal_year", "yyyy"})
_MONTH_NAMES = frozenset({"month", "m", "mon", "monat", "mois", "cal_month", "mm", "mo"})
_DAY_NAMES = frozenset({"day", "d", "tag", "jour", "cal_day", "dd"})
# Only under these a bare number such as 202405 is a date and no article number.
_DATE_NAMES = frozenset(
    {*("date", "day", "dt", "cal", "calendar", "month", "week", "ym", "ymd", "when", "datum", "tribe-bar-date"),
     *("startdate", "start_date", "fromdate", "from_date", "cal_date", "caldate", "eventdate", "event_date")}
)  # fmt: skip
# Parameters that page through lists, other than those named `page`.
_LEAFING = PAGE_PARAMETERS | {"p", "start", "offset", "skip", "from", "first", "limit", "cursor", "after", "before"}
_ADDRESS_VALUE = re.compile(r"(?:https?(?::|%3A)|/|%2F|%252F)", re.IGNORECASE)


def split(url: str) -> tuple[str, str]:
    """Path and query, without the host."""
    path, _, query = rest_of(url).partition("?")
    return path or "/", query


def rest_of(url: str) -> str:
    """What follows the host."""
    head = _HEAD.match(url)
    return url[head.end() :] if head else url


def shape_of(url: str) -> str:
    """The address with numbers and ids as `…`: equal for the months of a calendar and the pages of a list."""
    path, mark, query = url.partition("?")
    shape = _RUN.sub(_shape_of_run, _UUID.sub("…", path))
    if not mark:
        return shape
    pieces = (piece.partition("=") for piece in query.split("&"))
    return (
        f"{shape}?{'&'.join(name + sign + ('…' if _DIGITS.search(value) else value) for name, sign, value in pieces)}"
    )


def _shape_of_run(run: re.Match[str]) -> str:
    shape = _DIGITS.sub("…", run[0])
    return "…" if len(run[0]) >= _ID_LENGTH and shape != run[0] else shape


def date_in(url: str) -> date | None:
    """The date of a calendar page: alone at the end of the path, or in parameters; `/2024/05/a-post` has none."""
    path, query = split(url)
    found = _DATE_IN_PATH.search(path)
    if found and found["y"]:
        return _date(found["y"], found["m"], found["d"])
    if found:
        return _date(found["w"], "1", None)
    year = month = day = None
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        name = name.lower()
        if name in _YEAR_NAMES and value.isdecimal() and len(value) == 4:
            year = value
        elif name in _MONTH_NAMES and value.isdecimal() and len(value) <= 2:
            month = value
        elif name in _DAY_NAMES and value.isdecimal() and len(value) <= 2:
            day = value
        elif (written := _DATE_VALUE.fullmatch(value)) and (name in _DATE_NAMES or "-" in value):
            return _date(written["y"], written["m"], written["d"])
    return _date(year, month, day) if year and month else None


def _date(year: str, month: str | None, day: str | None) -> date | None:
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


def repeated(path: str) -> str | None:
    """The run of segments that occurs three times in a row, or a name that occurs four times: a broken link."""
    segments = [segment for segment in path.split("/") if segment]
    count = len(segments)
    if count < 3:
        return None
    for length in range(1, count // 3 + 1):
        for at in range(count - 3 * length + 1):
            run = segments[at : at + length]
            if any(map(_is_name, run)) and run == segments[at + length : at + 2 * length] == segments[
                at + 2 * length : at + 3 * length
            ]:  # fmt: skip
                return "/".join(run)
    for segment in segments:
        if _is_name(segment) and segments.count(segment) >= 4:
            return segment
    return None


def _is_name(segment: str) -> bool:
    """Numbers repeat by chance: /01/01/01 is a day, /1/1/1 a place in a table."""
    return not segment.isdecimal() and len(segment) > 1


def choices_of(query: str) -> list[tuple[str, str]]:
    """(name, value) of the parameters, lists of values taken apart; without those by which lists are leafed through."""
    found: list[tuple[str, str]] = []
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        name = name.lower()
        if not piece or name in _LEAFING:
            continue
        found.extend((name, each) for each in re.split(r"[,|;]|%2C|%7C|%3B", value) if each)
        if not value:
            found.append((name, ""))
    return found


def return_address(query: str) -> str | None:
    """The parameter that holds the address to go back to, such as `return` of `?return=/a/b`."""
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if name.lower() in RETURN_PARAMETERS and _ADDRESS_VALUE.match(value):
            return name
    return None


# A trap → the pattern for `--exclude` that keeps a crawl out of it, where there is one.

_NUMBER = re.compile(r"[0-9]+")
_SPECIAL = re.compile(r"[*\s\x00-\x1f]")


def exclude_pattern(trap: Trap, example: str) -> str | None:
    """`example` is a URL that was skipped. None if no pattern separates the trap from the pages around it."""
    path, query = split(example)
    if _SPECIAL.search(trap.place) or _SPECIAL.search(path):
        return None  # a star of its own would be taken for any text
    if trap.kind is TrapKind.FACETS:
        return f"{path}?*&*"
    if trap.kind is TrapKind.RETURN:
        return f"{path}?*{trap.place.rpartition('?')[2].removesuffix('…')}*"
    if trap.kind is TrapKind.REPEATED:
        run = trap.place.removeprefix("…/").removesuffix("/…").split("/")
        once = "/".join(run[: len(run) // 3])
        return f"*/{once}/{once}/*"
    if trap.kind not in (TrapKind.CALENDAR, TrapKind.ENDLESS):
        return None
    if query and "…" not in trap.place.partition("?")[0]:
        return trap.place.replace("…", "*")
    # a star would reach beyond the next slash: /cal/*/* is also /cal/2026/05/concert
    varying = "[0-9]+" if _NUMBER.sub("…", rest_of(example)) == trap.place else "[0-9A-Za-z-]+"
    return f"re:^https?://[^/]+{varying.join(map(re.escape, trap.place.split('…')))}$"


# A crawl that met traps → the pages it had visited inside them before it could tell, by their number.
#
# A trap is seen only after some of its addresses were requested. The page that leads into it is not inside: the first
# month of a calendar, the first page of a row, a list with one filter.

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
            by_query.setdefault(split(end.url)[0], {}).setdefault(trap.kind, trap)
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
        if f"/{once}/{once}/" not in f"{split(after.url)[0]}/":
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
        if each.source in months and each.fate == Fate.ASK and not each.chain and date_in(each.url) is not None
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
