"""The addresses that a site offers, in the order found → which of them lead nowhere but to more of their kind, and why.

Every verdict rests on addresses that were accepted before, never on how fast they came, so a crawl that was
killed and taken up again judges alike. Lists that are leafed through, and a shop with any number of products under
one path, are not traps: each of their addresses brings a new value, while facets only combine a few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from datetime import date, timedelta

from urlset.crawling.found import NO_ROW, Length, Trap, TrapKind
from urlset.crawling.trap_shapes import (
    choices_of,
    date_in,
    is_leafing,
    repeated,
    rest_of,
    return_address,
    shape_of,
    split,
)
from urlset.spec.generator_artifacts import (
    AMBIGUOUS_SESSION_PARAMETERS,
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
MOST_NEIGHBOURS = 2
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

    def judge(self, url: str, source: str, length: Length = NO_ROW) -> Trap | None:
        """`source` is the page it was found on, `length` that of the row of like pages that led to it."""
        found = self._judge(url, source, length)
        return None if found is None or found.kind in self._ignore else found

    def judge_hops(self, url: str, hops: int) -> Trap | None:
        """Redirects to ever new addresses, of whatever shape."""
        if hops <= MOST_HOPS or TrapKind.ENDLESS in self._ignore:
            return None
        return Trap(TrapKind.ENDLESS, shape_of(rest_of(url)), f"more than {MOST_HOPS} consecutive redirects")

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
            seen.choices.add(_hash_of(choices))
            seen.values.update(map(hash, choices))
            seen.name_sets.add(tuple(sorted(name for name, _ in choices)))
            if not seen.faceted and _is_faceted(seen):
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
        if len(choices) < 2 or _hash_of(choices) in seen.choices:
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
        limit = LEAFING_CHAIN if is_leafing(*split(url)) else BARREN_CHAIN
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
    if not (all(date_in(url) is not None for url in brought) if dated else len(brought) <= MOST_NEIGHBOURS):
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


def _is_faceted(seen: _Queries) -> bool:
    return (
        len(seen.choices) >= FACET_QUERIES
        and len(seen.name_sets) >= FACET_NAME_SETS
        and len(seen.choices) > FACET_RATIO * len(seen.values)
    )


def _hash_of(choices: list[tuple[str, str]]) -> int:
    return hash(tuple(sorted(choices)))
