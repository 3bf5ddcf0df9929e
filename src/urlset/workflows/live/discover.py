"""An address as people give it → the sitemaps to start from: itself, those robots.txt names, or the usual places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from urlset.model.address import Address, key_of
from urlset.model.answer import Answer
from urlset.model.document import Document, Kind
from urlset.model.page import join
from urlset.model.shown import few
from urlset.model.trouble import Troubles
from urlset.reading.decode import decode
from urlset.reading.host_robots import Access, HostRobots, origin_of, path_of
from urlset.reading.read import read, sniff
from urlset.reading.robots import read_robots
from urlset.reading.unpack import unpack
from urlset.rules.fetch_state import FetchState, challenged, no_way_in, outcome_of, said
from urlset.rules.index_entries import resolved
from urlset.web.guard import advice
from urlset.workflows.live.harvest import Arrival, Harvest

ROBOTS_TXT = "/robots.txt"
USUAL_PLACES = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/sitemap.xml.gz",
    "/wp-sitemap.xml",
    "/sitemapindex.xml",
    "/sitemaps.xml",
    "/sitemap/sitemap.xml",
    "/sitemap/index.xml",
    "/sitemap.txt",
)
"""tried in this order where robots.txt names none: what the large site builders and the older engines agree on"""
_LIKE_A_SITEMAP = (".xml", ".gz", ".txt", ".rss", ".atom", ".php")
_HEAD = 65536
_GIVEN_UP_AFTER = 2
"""answers that say the server is not well, robots.txt included: the other places would only add to its load"""
_NAMED_PLACES = 3
_GONE = (404, 410)
_REFUSED = (FetchState.LOCKED, FetchState.BLOCKED, FetchState.LIMITED)


class Lead(msgspec.Struct, frozen=True):
    """One sitemap to start from, fetched already where that was needed to find out."""

    url: str
    robots_txt: str | None = None
    """the robots.txt whose Sitemap line names it"""
    row: int | None = None
    arrival: Arrival | None = None


class Discovery(msgspec.Struct, frozen=True):
    """Where one address leads."""

    target: str
    robots: HostRobots
    leads: tuple[Lead, ...] = ()
    reached: bool = True
    """False where it could not be found out whether there is a sitemap"""
    note: str = ""
    """why there is no lead, or what was tried to get one; empty where nothing had to be tried"""
    refused: bool = False
    """every place was refused to this client, so there may be a sitemap"""

    @property
    def is_site(self) -> bool:
        """Not one sitemap, but what robots.txt or the usual places have."""
        return not any(lead.url == self.target for lead in self.leads)


def discover(harvest: Harvest, target: str) -> Discovery:
    """Never raises for what a server does. `target` must be http or https."""
    robots = harvest.robots(target)
    path = path_of(target)
    if path == ROBOTS_TXT:
        note = why_not(robots.answer) if robots.answer is not None and robots.access is not Access.RULES else ""
        return Discovery(target, robots, tuple(_named(robots)), reached=not note, note=note)
    if path != "/":
        arrival = harvest.fetch(target)
        if not _is_a_page(target, arrival):
            return Discovery(target, robots, (Lead(target, arrival=arrival),))
        arrival.discard()
        if origin_of(arrival.answer.final_url) not in (None, robots.origin):
            robots = harvest.robots(arrival.answer.final_url)
    named = tuple(_named(robots))
    if named:
        return Discovery(target, robots, named)
    if robots.answer is not None and no_way_in(robots.answer):
        return Discovery(target, robots, reached=False, note=why_not(robots.answer))
    tried: dict[str, list[str]] = {}
    reached = refused = True
    unwell = int(robots.answer is not None and _is_unwell(robots.answer))
    for place in USUAL_PLACES:
        arrival = harvest.fetch(robots.origin + place)
        answer, outcome = arrival.answer, outcome_of(arrival.answer)
        kind = kind_of(arrival) if outcome is FetchState.READ else Kind.UNKNOWN
        if kind.is_sitemap and (kind.is_xml or place.endswith(".txt")):
            note = f"{_of_robots(robots)}; found {place}" + (f" after {_in_words(tried)}" if tried else "")
            return Discovery(target, robots, (_guessed(arrival),), note=note)
        arrival.discard()
        tried.setdefault("not a sitemap" if outcome is FetchState.READ else why_not(answer), []).append(place)
        unwell += _is_unwell(answer)
        refused = refused and outcome in _REFUSED
        reached = reached and outcome in (FetchState.READ, FetchState.MISSING) and not _is_unwell(answer)
        if no_way_in(answer) or challenged(answer) is not None or unwell >= _GIVEN_UP_AFTER:
            break  # the next ones would fail alike
    note = f"no sitemap found: {_of_robots(robots)}; {_in_words(tried)}"
    return Discovery(target, robots, reached=reached, note=note, refused=refused)


def why_not(answer: Answer) -> str:
    """What was said, and what to do where that is in our hands."""
    return said(answer) + advice(answer)


def robots_address(robots: HostRobots) -> str:
    return robots.origin + ROBOTS_TXT


def robots_document(robots: HostRobots) -> Document | None:
    """robots.txt as a document; whatever is in it, it is read as robots.txt."""
    if robots.access is not Access.RULES or robots.answer is None:
        return None
    address = robots_address(robots)
    document = read(robots.answer.body, name=address, url=address)
    if document.kind is Kind.ROBOTS:
        return document
    lines, troubles = read_robots(document.data)
    return msgspec.structs.replace(
        document,
        kind=Kind.ROBOTS,
        robots=lines,
        troubles=Troubles(troubles),
        columns=type(document.columns)(),
        root=None,
    )


def kind_of(arrival: Arrival) -> Kind:
    """What a fetched file is, by its beginning."""
    head = arrival.head(_HEAD)
    return sniff(decode(unpack([head], cap=_HEAD * 8).data).data).kind if head else Kind.EMPTY


def _named(robots: HostRobots) -> Iterator[Lead]:
    """By the Sitemap lines, each address once; one that is not complete is read as it must be meant."""
    seen: set[str] = set()
    lines = robots.robots.sitemaps if robots.robots is not None else ()
    for row, line in enumerate(lines):
        several = line.value.split()
        for value in several if all(map(origin_of, several)) else [line.value.strip()]:
            url = complete(value, robots_address(robots))
            if url is not None and key_of(url) not in seen:
                seen.add(key_of(url))
                yield Lead(url, robots_address(robots), row)


def complete(loc: str, base: str) -> str | None:
    """An address that can be fetched: `loc` itself, or what an incomplete one must mean in a file at `base`."""
    whole = loc if origin_of(loc) is not None else resolved(loc, base)
    return None if whole is None or origin_of(whole) is None else join(whole, "")


def _is_a_page(target: str, arrival: Arrival) -> bool:
    """A web page of the site, given as the target for the whole site; a page in place of a sitemap is not one."""
    if outcome_of(arrival.answer) is not FetchState.READ or path_of(target).partition("?")[0].lower().endswith(
        _LIKE_A_SITEMAP
    ):
        return False
    kind = kind_of(arrival)
    return "sitemap" not in path_of(target).lower() and kind.reader is None and not kind.is_xml


def _is_unwell(answer: Answer) -> bool:
    """It does not say that nothing is there, only that the server cannot or will not tell now."""
    return answer.status is not None and (answer.status >= 500 or answer.status == 429)


def _in_words(tried: dict[str, list[str]]) -> str:
    """`404 Not Found at /a, /b, /c and 7 more`."""
    return ", ".join([f"{reason} at {few(places, _NAMED_PLACES)}" for reason, places in tried.items()])


def _guessed(arrival: Arrival) -> Lead:
    """Not named by any file or target, so a redirect on the way to it is not a finding."""
    answer = arrival.answer
    if answer.hops:
        answer = msgspec.structs.replace(answer, url=answer.final_url, hops=())
        arrival = msgspec.structs.replace(arrival, url=answer.url, answer=answer)
    return Lead(arrival.url, arrival=arrival)


def _of_robots(robots: HostRobots) -> str:
    answer = robots.answer
    if answer is None or (answer.failure is None and answer.status in _GONE):
        return "no robots.txt"
    if robots.access is Access.RULES and challenged(answer) is None:
        return "robots.txt lists no sitemap"
    return f"robots.txt cannot be read ({said(answer)})"


# Other hosts that a sitemap lists → those whose robots.txt names that sitemap.

MAX_HOSTS = 100
"""robots.txt files of other hosts that are requested in one run"""


class Vouching:
    """Asks each host once, and only so many."""

    def __init__(self, harvest: Harvest) -> None:
        self._harvest = harvest
        self._names: dict[str, frozenset[str]] = {}
        """origin → the sitemaps its robots.txt names"""

    def sites(self, addresses: Iterable[str], sitemaps: Iterable[str]) -> frozenset[str]:
        """Sites of `addresses` that vouch for one of `sitemaps`: the file itself or an index that leads to it."""
        origins = {origin: loc for loc in addresses if (origin := origin_of(loc)) is not None}
        unknown = [origin for origin in origins if origin not in self._names][: MAX_HOSTS - len(self._names)]
        for robots in self._harvest.all_robots(f"{origin}/" for origin in unknown):
            self._names[robots.origin] = frozenset(map(key_of, robots.sitemaps))
        wanted = frozenset(map(key_of, sitemaps))
        vouching = (loc for origin, loc in origins.items() if wanted & self._names.get(origin, frozenset()))
        return frozenset(Address.parse(loc).site for loc in vouching)


def why_not_fetched(url: str) -> str | None:
    """The reason why this URL cannot be a target; None where it can."""
    if origin_of(url) is None:
        return f"{url} is not a URL that can be fetched"
    if "@" in url.partition("//")[2].partition("/")[0]:
        return "a URL with a user name or password is not fetched: remove it from the URL"
    return None
