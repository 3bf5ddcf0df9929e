"""A fetched page → the addresses it names that are new to this crawl."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from hashlib import blake2b
from zlib import crc32

from urlset.crawling.found import FetchedPage, FoundLink, Via
from urlset.crawling.frontier import Brought, Find, QueuedUrl
from urlset.crawling.scope import Reader, Scope, address_of, without_visitor
from urlset.crawling.traps import date_in, shape_of
from urlset.model.page import join

_MOST_REMEMBERED = 20_000


class Finder:
    """Remembers which links were seen on which page first, so menus cost one lookup per link.

    What is remembered is only a short cut: forgetting it changes nothing but the time it takes.
    """

    def __init__(self, scope: Scope, token: str, today: date, *, follow_nofollow: bool = False) -> None:
        self._scope, self._token, self._today, self._follow_nofollow = scope, token, today, follow_nofollow
        self._first: dict[str, int] = {}
        """by link as written (rooted ones) or address: the page of lowest number it was seen on"""
        self._unfollowed: dict[str, int] = {}
        self._hashes: dict[str, int] = {}
        """of links that mean the same on every page"""

    def find(self, page: QueuedUrl, fetched: FetchedPage) -> Brought:
        brought = Brought([], [], [])
        visit = fetched.visit
        if visit.hops:
            target = join(visit.hops[0].url, visit.hops[0].location)
            address = address_of(target) if target else None
            if address is not None and address != page.url and self._scope.may_belong(address):
                brought.finds.append(Find(address, hop=True, position=0, via=Via.REDIRECT))
            return brought
        if fetched.facts is None and not fetched.link_headers:
            return brought
        brought = brought._replace(links=self._links(page, fetched, brought))
        if len(self._first) > _MOST_REMEMBERED:
            self._first.clear()
            self._hashes.clear()
        if len(self._unfollowed) > _MOST_REMEMBERED:
            self._unfollowed.clear()
        return brought._replace(signature=self._signature(page, fetched)) if page.chain else brought

    def _links(self, page: QueuedUrl, fetched: FetchedPage, brought: Brought) -> bytes:
        reader = Reader(page.url, fetched.facts.base_href if fetched.facts is not None else None)
        at_home = reader.origin == self._scope.home
        number, first, hashes = page.id, self._first, self._hashes
        linked: set[int] = set()
        for position, (href, via, nofollow) in enumerate(links_of(fetched, self._token), 1):
            if nofollow and not self._follow_nofollow:
                left = reader.read(href)
                if left is not None and self._scope.may_belong(left):
                    address = without_visitor(left)[0]
                    if self._unfollowed.get(address, number + 1) > number:
                        self._unfollowed[address] = number
                        brought.unfollowed.append(address)
                continue
            # means the same on every page: a rooted link at home, and a whole address anywhere
            everywhere = (at_home and href[:1] == "/") or href[:4] == "http"
            if everywhere:
                if (known := hashes.get(href)) is not None:
                    linked.add(known)
                if first.get(href, number + 1) <= number:
                    continue
                first[href] = number
            found = reader.read(href)
            if found is None or not self._scope.may_belong(found):
                continue
            address, dropped = without_visitor(found)
            brought.tracking.extend((name, found) for name in dropped)
            linked.add(hashed := link_hash(address))
            if everywhere:
                hashes[href] = hashed
            if address != href:
                if first.get(address, number + 1) <= number:
                    continue
                first[address] = number
            brought.finds.append(Find(address, hop=False, position=position, via=via))
        return packed(linked)

    def _signature(self, page: QueuedUrl, fetched: FetchedPage) -> int | None:
        facts = fetched.facts
        if facts is None:
            return None
        reader = Reader(page.url, facts.base_href)
        links = (reader.read(href) for href, _, nofollow in links_of(fetched, self._token) if not nofollow)
        into_site = (link for link in links if link and self._scope.may_belong(link))
        return signature_of(page.url, facts.title, into_site, fetched.texts, today=self._today)


# A page → the links on it that a crawler may follow, and those marked nofollow.

_NEIGHBORS = frozenset({"next", "prev", "previous"})
_NOT_FOLLOWED = frozenset({"nofollow", "none"})


def links_of(fetched: FetchedPage, token: str) -> Iterator[FoundLink]:
    """In the order of the page, declarations of the head first; as written."""
    facts = fetched.facts
    # the page, or the header it came with, asks everyone or urlset not to follow any of its links
    whole = not _NOT_FOLLOWED.isdisjoint(fetched.visit.directives_for(token))
    for target, rels in fetched.link_headers:
        if "canonical" in rels:
            yield target, Via.CANONICAL, whole
        elif not _NEIGHBORS.isdisjoint(rels):
            yield target, Via.NEXT, whole
        elif "alternate" in rels:
            yield target, Via.ALTERNATE, whole
    if facts is None:
        return
    for canonical in facts.canonicals:
        yield canonical.href, Via.CANONICAL, whole
    for alternate in facts.alternates:
        yield alternate.href or "", Via.ALTERNATE, whole
    for href in facts.neighbors:
        yield href, Via.NEXT, whole
    if facts.refresh is not None:
        yield facts.refresh.target, Via.REFRESH, whole
    for link in facts.links:
        yield link.href, Via.LINK, whole or (bool(link.rel) and "nofollow" in link.rel)


# The links of every page in 32 bits each → which pages link to an address.


def link_hash(url: str) -> int:
    """Small, because there is one for each link of each page; of 100,000 addresses two are alike by chance."""
    return crc32(url.encode())


def packed(hashes: Iterable[int]) -> bytes:
    return array("I", sorted(hashes)).tobytes()


def linking(links: Iterable[tuple[str, bytes]], url: str) -> Iterator[str]:
    """`links` are pages with what `packed` gave for each."""
    wanted = link_hash(url)
    return (page for page, data in links if wanted in array("I", data))


# One page of a row → a number that stays the same while nothing but the place in the row changes.
#
# The empty months of a calendar differ in nothing but their dates, and so do the pages behind the end of a list. The
# pages of a real list, an archive or a comic show something else each time, also where all of it was met before. The
# products of a catalogue may be linked one to the next under names that are numbers; their texts differ. So do the days
# of a diary.

_NUMBERED = re.compile(r"\w*\d\w*")
_PROSE_WORDS = 20
"""words of one block that no calendar has: its cells and the names of its months are shorter"""


def signature_of(
    url: str,
    title: str | None,
    links: Iterable[str],
    texts: Callable[[], Iterable[str]] = tuple,
    *,
    today: date = date.max,
) -> int:
    """`links` are those into the site that may be followed, absolute; the neighbors in the row do not count.

    Words with digits do not count either: numbers, dates and counters change with the place in the row. Nor does the
    text of a date after `today`: a diary has no days to come.
    """
    shape = shape_of(url)
    day = date_in(url)
    counts = day is None or day <= today
    plain = (_NUMBERED.sub("", text) for text in ((title or "", *texts()) if counts else ()))
    if day is not None:
        # months have names: title and short texts of a calendar say nothing
        seen = {link for link in links if date_in(link) is None}
        seen.update(text for text in plain if len(text.split()) >= _PROSE_WORDS)
    else:
        seen = {link for link in links if shape_of(link) != shape}
        seen.update(plain)
    digest = blake2b("\n".join(sorted(seen)).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
