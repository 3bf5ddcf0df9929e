"""A page that was looked at → the addresses it names that are new to this crawl, quickly."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from urlset.crawling.found import Looked, Via
from urlset.crawling.frontier import Find, QueuedUrl
from urlset.crawling.link_index import link_hash, packed
from urlset.crawling.links import links_of
from urlset.crawling.normalise import Reader, address_of, without_visitor
from urlset.crawling.page_signature import signature_of
from urlset.crawling.scope import Scope
from urlset.model.page import join

_MOST_REMEMBERED = 20_000


class Brought(NamedTuple):
    finds: list[Find]
    unfollowed: list[str]
    tracking: list[tuple[str, str]]
    links: bytes = b""
    """32 bits for each address of the site that the page links to, known before or not, see link_index.py"""
    signature: int | None = None
    """of a page that is in a row of similar ones"""


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

    def find(self, page: QueuedUrl, looked: Looked) -> Brought:
        brought = Brought([], [], [])
        visit = looked.visit
        if visit.hops:
            target = join(visit.hops[0].url, visit.hops[0].location)
            address = address_of(target) if target else None
            if address is not None and address != page.url and self._scope.may_belong(address):
                brought.finds.append(Find(address, hop=True, position=0, via=Via.REDIRECT))
            return brought
        if looked.facts is None and not looked.link_headers:
            return brought
        brought = brought._replace(links=self._links(page, looked, brought))
        if len(self._first) > _MOST_REMEMBERED:
            self._first.clear()
            self._hashes.clear()
        if len(self._unfollowed) > _MOST_REMEMBERED:
            self._unfollowed.clear()
        return brought._replace(signature=self._signature(page, looked)) if page.chain else brought

    def _links(self, page: QueuedUrl, looked: Looked, brought: Brought) -> bytes:
        reader = Reader(page.url, looked.facts.base_href if looked.facts is not None else None)
        at_home = reader.origin == self._scope.home
        number, first, hashes = page.id, self._first, self._hashes
        linked: set[int] = set()
        for position, (href, via, nofollow) in enumerate(links_of(looked, self._token), 1):
            if nofollow and not self._follow_nofollow:
                self._leave(href, reader, number, brought)
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

    def _signature(self, page: QueuedUrl, looked: Looked) -> int | None:
        facts = looked.facts
        if facts is None:
            return None
        reader = Reader(page.url, facts.base_href)
        links = (reader.read(href) for href, _, nofollow in links_of(looked, self._token) if not nofollow)
        into_site = (link for link in links if link and self._scope.may_belong(link))
        return signature_of(page.url, facts.title, into_site, looked.texts, today=self._today)

    def _leave(self, href: str, reader: Reader, number: int, brought: Brought) -> None:
        found = reader.read(href)
        if found is None or not self._scope.may_belong(found):
            return
        address = without_visitor(found)[0]
        if self._unfollowed.get(address, number + 1) > number:
            self._unfollowed[address] = number
            brought.unfollowed.append(address)
