"""The texts of all pages → what each host repeats on its pages, which is not a page's own text.

Menus and footers are those of a host: counted over several hosts together, those of the smaller ones would pass for
what their pages have to say.
"""

from __future__ import annotations

from collections import Counter

from urlset.auditing.page_look import unpack_text
from urlset.auditing.page_text import FEWEST, TextSample
from urlset.auditing.store import AuditStore, What
from urlset.reading.fingerprint import MOST_DISTINCT, BlockCounter, boilerplate_of
from urlset.reading.host_robots import origin_of

_HOSTS = 8
"""counted by themselves, the largest; the others together"""
_LARGE = 20
"""pages from which a host is"""
_MOST_HOSTS = 10_000


class Boilerplate:
    """Counted once, then looked up for each page."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._sample = TextSample(store.count(chosen=True, kind=What.PAGE))
        self._large = self._large_hosts()
        self._of_host = {origin: self._found(origin) for origin in self._large}
        self._of_others = self._found(None)

    def of(self, url: str) -> frozenset[int]:
        return self._of_host.get(origin_of(url) or "", self._of_others) if self._of_host else self._of_others

    def _large_hosts(self) -> tuple[str, ...]:
        """None where one host has all pages."""
        pages: Counter[str] = Counter()
        for _, url, _ in self._store.texts():
            pages[origin_of(url) or ""] += 1
            if len(pages) > _MOST_HOSTS:
                return ()
        if len(pages) == 1:
            return ()
        return tuple(origin for origin, count in pages.most_common(_HOSTS) if count >= _LARGE)

    def _found(self, origin: str | None) -> frozenset[int]:
        counter = self._counted(origin, sampled=True)
        if counter.pages < FEWEST:
            counter = self._counted(origin, sampled=False)
        return boilerplate_of(counter)

    def _counted(self, origin: str | None, *, sampled: bool) -> BlockCounter:
        """The pages of one host; None for those of all hosts that are not counted by themselves."""
        counter = BlockCounter(MOST_DISTINCT // (len(self._large) + 1))
        for page, url, text in self._store.texts():
            if (not sampled or page in self._sample) and self._belongs(url, origin):
                counter.add(unpack_text(text)[0])
        return counter

    def _belongs(self, url: str, origin: str | None) -> bool:
        if not self._large:
            return True
        own = origin_of(url)
        return own == origin if origin is not None else own not in self._large
