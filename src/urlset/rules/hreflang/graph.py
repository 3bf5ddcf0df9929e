"""A document → its distinct link sets and their pages: the pages of a correct cluster share one set.

The pages of a cluster usually repeat the same links byte for byte, so each distinct sequence of links is parsed only
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from urlset.model.address import key_of, respelled
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.model.entry import Alternate
from urlset.model.trouble import TroubleKind
from urlset.rules import Kind, Sitemap
from urlset.spec.languages import X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.checking.media_signals import RowLinks

_READ_ONE_BY_ONE = Mark.IRREGULAR | Mark.SALVAGED | Mark.COMMENTED
_READ_AT_ONCE = bytes(mark for mark in range(256) if not mark & _READ_ONE_BY_ONE)
_LINK = lazy_pattern(rb"(?i:link)")
_COMPLETE = lazy_pattern(r"https?://[A-Za-z0-9][^@/?#]*(?:[/?#]|\Z)")


class LinkBlock:
    """One distinct set of links, and its rows."""

    __slots__ = ("_named", "addresses", "languages", "only_languages", "rows", "targets", "whole")

    def __init__(
        self, named: tuple[str, ...], addresses: tuple[str, ...], *, whole: bool = True, only_languages: bool = True
    ) -> None:
        self._named = named
        self.addresses = addresses
        self.targets = frozenset(addresses)
        self.only_languages = only_languages
        self.whole = whole
        """all versions have a usable URL, so nothing is missing only because a link is invalid"""
        self.languages = _languages(named)
        self.rows: list[int] = []

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(language in lowercase, URL) of the links that have both"""
        return tuple(zip(self._named, self.addresses, strict=True))

    @classmethod
    def of(cls, alternates: Iterable[Alternate]) -> LinkBlock:
        named: list[str] = []
        addresses: list[str] = []
        whole = only_languages = True
        for link in alternates:
            hreflang, href = (link.hreflang or "").strip(), (link.href or "").strip()
            if hreflang and href:
                named.append(hreflang.lower())
                addresses.append(href)
                whole = whole and _COMPLETE.match(href) is not None
            else:
                only_languages = False
                # a link without a usable language or URL: it is unknown which version is missing
                whole = whole and not hreflang and (link.media is not None or link.rel not in (None, "alternate"))
        return cls(tuple(named), tuple(addresses), whole=whole, only_languages=only_languages)

    @property
    def has_x_default(self) -> bool:
        return X_DEFAULT in self.languages


@lru_cache(1024)
def _languages(named: tuple[str, ...]) -> frozenset[str]:
    """One shared object for equal sets of languages, which most pages of a site have."""
    return frozenset(named)


_RELATIVE = ("/", ".", "?", "#")


class LinkGraph:
    """The link sets of one document; holds only text and row numbers."""

    def __init__(self, blocks: list[LinkBlock], locs: list[str | None]) -> None:
        self.blocks = blocks
        self._locs = locs

    def loc(self, row: int) -> str:
        return (self._locs[row] or "").strip()

    @cached_property_unlocked
    def block_of(self) -> dict[int, LinkBlock]:
        return {row: block for block in self.blocks for row in block.rows}

    @cached_property_unlocked
    def row_of(self) -> dict[str, int]:
        """URL → its first row."""
        rows: dict[str, int] = {}
        for row, loc in enumerate(self._locs):
            if loc:
                rows.setdefault(loc.strip(), row)
        return rows

    @cached_property_unlocked
    def _are_keys(self) -> bool:
        """Whether each URL is its own key."""
        return not respelled(self.row_of)

    @cached_property_unlocked
    def _by_key(self) -> tuple[dict[str, int], dict[int, int]]:
        """Key → its first row; and that row for each other row with an equivalent URL."""
        if self._are_keys:
            return self.row_of, {}
        first: dict[str, int] = {}
        again: dict[int, int] = {}
        for loc, row in self.row_of.items():
            found = first.setdefault(key_of(loc), row)
            if found != row:
                again[row] = found
        return first, again

    def find(self, address: str) -> int | None:
        """The first row with the URL or an equivalent one."""
        first, again = self._by_key
        row = self.row_of.get(address)
        if row is None and self._are_keys and address.startswith(_RELATIVE):
            return None  # keys of absolute URLs are absolute
        return first.get(key_of(address)) if row is None else again.get(row, row)

    @cached_property_unlocked
    def repeats(self) -> dict[int, list[int]]:
        """For pages listed more than once: first row → the other rows."""
        again = self._by_key[1]
        others: dict[int, list[int]] = {}
        for row, loc in enumerate(self._locs):
            first = self.row_of[loc.strip()] if loc else row
            first = again.get(first, first)
            if first != row:
                others.setdefault(first, []).append(row)
        return others

    @cached_property_unlocked
    def suspect(self) -> list[LinkBlock]:
        """The blocks whose links are not exactly the pages that have them."""
        return [block for block in self.blocks if block.targets != {self.loc(row) for row in block.rows}]

    @cached_property_unlocked
    def connected(self) -> list[LinkBlock]:
        """The suspect blocks with a link to another page in this file."""
        if not self.suspect:
            return []
        find: Callable[[str], int | None] = self.find
        if self._are_keys:
            unlisted = set().union(*[block.targets for block in self.suspect]).difference(self.row_of)
            if not respelled(unlisted):
                find = self.row_of.get
        return [block for block in self.suspect if _names_others(block, find)]

    @cached_property_unlocked
    def isolated(self) -> list[LinkBlock]:
        """The suspect blocks whose other versions are all in other files, or missing."""
        connected = {id(block) for block in self.connected}
        return [block for block in self.suspect if id(block) not in connected]

    @cached_property_unlocked
    def hosts(self) -> set[str]:
        """The hosts of the listed pages."""
        return self._hosts_and_heads[0]

    @cached_property_unlocked
    def origins(self) -> tuple[str, ...]:
        """Some origins of listed pages."""
        return self._hosts_and_heads[1]

    @cached_property_unlocked
    def _hosts_and_heads(self) -> tuple[set[str], tuple[str, ...]]:
        hosts: set[str] = set()
        origins: list[str] = []
        latest = _NO_HEAD
        for loc in self.row_of:
            if not loc.startswith(latest):
                hosts.add(host_of(loc))
                head = _HEAD.match(loc)
                latest = head[0] if head is not None else _NO_HEAD
                if head is not None and len(origins) < _MOST_HEADS and latest not in origins:
                    origins.append(latest)
        return hosts, tuple(origins)


def _names_others(block: LinkBlock, find: Callable[[str], int | None]) -> bool:
    found = {*map(find, block.targets)} - {None}
    return bool(found) and (len(block.rows) > 1 or found != {block.rows[0]})


_NO_HEAD = "\0 no address begins so"
_HEAD = lazy_pattern(r"[a-z]+://[^/]+/")
_MOST_HEADS = 8


def host_of(address: str) -> str:
    """The host in lowercase, with the port."""
    return address.partition("://")[2].partition("/")[0].lower()


_NONE_KNOWN: Mapping[int, RowLinks] = {}
_GRAPHS: WeakKeyDictionary[Sitemap, LinkGraph] = WeakKeyDictionary()
"""Several rules share one graph; it lives as long as its sitemap."""


def graph_of(sitemap: Sitemap) -> LinkGraph:
    graph = _GRAPHS.get(sitemap)
    if graph is None:
        # without links no rule needs the URL of a row
        known = sitemap.ordinary_links if sitemap.extended and sitemap.signals else {}
        graph = _GRAPHS[sitemap] = read_graph(sitemap.document, known) if sitemap.extended else LinkGraph([], [])
    return graph


def read_graph(document: Document, known: Mapping[int, RowLinks] = _NONE_KNOWN) -> LinkGraph:
    """Plain links that are known already are not parsed again."""
    blocks: dict[bytes | RowLinks, LinkBlock] = {}
    singles: list[LinkBlock] = []
    if document.kind is not Kind.URLSET:
        return LinkGraph([], [])
    if not document.columns.extended:
        return LinkGraph([], document.columns.locs)
    for row, stretch in _link_stretches(document, known):
        block = blocks.get(stretch)
        if block is None:
            if isinstance(stretch, tuple):
                block = LinkBlock(*stretch)
            else:
                alternates = document.media(row).alternates
                if not alternates:
                    continue
                block = LinkBlock.of(alternates)
            if stretch:
                blocks[stretch] = block
            else:
                singles.append(block)
        block.rows.append(row)
    return LinkGraph([*blocks.values(), *singles], document.columns.locs)


def _link_stretches(document: Document, known: Mapping[int, RowLinks]) -> Iterator[tuple[int, bytes | RowLinks]]:
    """Each row with links and what it says, if known, or the bytes from its first link on.

    No bytes if the row has to be parsed.
    """
    columns, data = document.columns, document.data
    starts, ends = columns.starts, columns.ends
    simple = not document.troubles.has(TroubleKind.TWO_ROOTS)
    if simple and b":link" not in data and b"<link" not in data and not columns.marks.translate(None, _READ_AT_ONCE):
        return
    for row, mark in enumerate(columns.marks):
        if not mark & Mark.EXTENDED:
            continue
        links = known.get(row)
        if links is not None:
            yield row, links
            continue
        if not simple or mark & _READ_ONE_BY_ONE:
            if _LINK.search(data, starts[row], ends[row]):
                yield row, b""
            continue
        first = data.find(b":link", starts[row], ends[row])
        if first != -1:
            yield row, data[data.rfind(b"<", starts[row], first) : ends[row]]
        elif data.find(b"<link", starts[row], ends[row]) != -1:  # the namespace is declared without a prefix
            yield row, b""
