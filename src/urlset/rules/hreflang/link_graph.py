"""A document → its distinct link sets, and the pages that have each of them.

The pages of a cluster usually repeat the same links byte for byte, so each distinct sequence of links is parsed only
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from urlset.model.address import key_of, respelled
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Columns, Mark
from urlset.model.document import Document
from urlset.model.entry import Alternate
from urlset.model.trouble import TroubleKind
from urlset.rules import Kind, Signal, Sitemap
from urlset.rules.loc import only_origin
from urlset.spec.languages import X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import RESPELLABLE

if TYPE_CHECKING:
    from urlset.reading.signals import RowLinks


_READ_ONE_BY_ONE = Mark.IRREGULAR | Mark.SALVAGED | Mark.COMMENTED
_LINK = lazy_pattern(rb"(?i:link)")
_COMPLETE = lazy_pattern(r"https?://[A-Za-z0-9][^@/?#]*(?:[/?#]|\Z)")


class LinkBlock:
    """One distinct set of links, and its rows."""

    __slots__ = ("_named", "addresses", "only_languages", "rows", "targets", "whole")

    def __init__(
        self, named: tuple[str, ...], addresses: tuple[str, ...], *, whole: bool = True, only_languages: bool = True
    ) -> None:
        self._named = named
        self.addresses = addresses
        self.targets = frozenset(addresses)
        self.only_languages = only_languages
        self.whole = whole
        """all versions have a usable URL, so nothing is missing only because a link is invalid"""
        self.rows: list[int] = []

    @property
    def languages(self) -> frozenset[str]:
        return _languages(self._named)

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """(language in lowercase, URL) of the links that have both"""
        return tuple(zip(self._named, self.addresses, strict=True))

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for blocks that say the same in other bytes; for ordinary links equal to their `RowLinks`."""
        ordinary = self.whole and self.only_languages
        flags = () if ordinary else (self.whole, self.only_languages)
        return self._named, self.addresses, *flags

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
        return X_DEFAULT in self._named


@lru_cache(1024)
def _languages(named: tuple[str, ...]) -> frozenset[str]:
    """One shared object for equal sets of languages, which most pages of a site have."""
    return frozenset(named)


_RELATIVE = ("/", ".", "?", "#")


class LinkGraph:
    """The link sets of one document, and the URLs of its rows."""

    def __init__(self, blocks: list[LinkBlock], columns: Columns, *, are_keys: bool = False) -> None:
        self.blocks = blocks
        self._columns = columns
        self._are_keys_for_sure = are_keys

    def loc(self, row: int) -> str:
        return (self._columns.locs[row] or "").strip()

    @cached_property_unlocked
    def block_of(self) -> dict[int, LinkBlock]:
        return {row: block for block in self.blocks for row in block.rows}

    @cached_property_unlocked
    def row_of(self) -> dict[str, int]:
        """URL → its first row."""
        rows: dict[str, int] = {}
        for row, loc in enumerate(self._columns.locs):
            if loc:
                rows.setdefault(loc.strip(), row)
        return rows

    @cached_property_unlocked
    def _are_keys(self) -> bool:
        """Whether each URL is its own key."""
        return self._are_keys_for_sure or not respelled(self.row_of)

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
        if not again and len(self.row_of) == len(self._columns.locs):
            return others
        for row, loc in enumerate(self._columns.locs):
            first = self.row_of[loc.strip()] if loc else row
            first = again.get(first, first)
            if first != row:
                others.setdefault(first, []).append(row)
        return others

    @cached_property_unlocked
    def unlike(self) -> list[LinkBlock]:
        """The blocks whose links are not exactly the pages that have them, as written."""
        locs = self._columns.locs if self.blocks else ()  # not needed otherwise, and large
        differ = [block for block in self.blocks if block.targets != {locs[row] for row in block.rows}]
        return [block for block in differ if block.targets != {self.loc(row) for row in block.rows}]

    @property
    def connected(self) -> list[LinkBlock]:
        """The unlike blocks with a link to another page in this file, if not all links are their pages."""
        return self._connected_and_isolated[0]

    @property
    def isolated(self) -> list[LinkBlock]:
        """The unlike blocks whose other versions are all in other files, or missing."""
        return self._connected_and_isolated[1]

    @cached_property_unlocked
    def _connected_and_isolated(self) -> tuple[list[LinkBlock], list[LinkBlock]]:
        connected: list[LinkBlock] = []
        isolated: list[LinkBlock] = []
        for block in self.unlike:
            found, own = {*map(self.find_target, block.targets)}, {*block.rows}
            if found != own:  # they may be the same pages in another spelling
                (connected if found - {None} and (len(own) > 1 or found - {None} != own) else isolated).append(block)
        return connected, isolated

    @cached_property_unlocked
    def self_contained(self) -> list[LinkBlock]:
        """The connected blocks of all listed versions of a page, with links that no other block has.

        Some versions are not listed; otherwise all links are mutual, and nothing else can be wrong with them.
        """
        if not self.connected:
            return []
        named = frozenset().union(*[block.targets for block in self.connected])
        times = Counter(chain.from_iterable([named & block.targets for block in self.blocks]))
        once = {target for target, count in times.items() if count == 1}
        return [
            block
            for block in self.connected
            if block.targets <= once and {*map(self.find_target, block.targets)} - {None} == {*block.rows}
        ]

    @property
    def find_target(self) -> Callable[[str], int | None]:
        """`find`, for links of unlike blocks; not kept, or the graph would hold itself until garbage is collected."""
        return self.row_of.get if self._targets_are_keys else self.find

    @cached_property_unlocked
    def _targets_are_keys(self) -> bool:
        """Whether a link of an unlike block names a row only by its URL as written."""
        if not self._are_keys:
            return False
        unlisted = set().union(*[block.targets for block in self.unlike]).difference(self.row_of)
        return not respelled(unlisted)

    def is_near(self, address: str) -> bool:
        """Whether the file lists pages of its host."""
        return address.startswith(self.origins) or host_of(address) in self.hosts

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


_NO_HEAD = "\0 no address begins so"
_HEAD = lazy_pattern(r"[a-z]+://[^/]+/")
_MOST_HEADS = 8


def host_of(address: str) -> str:
    """The host in lowercase, with the port."""
    return address.partition("://")[2].partition("/")[0].lower()


_NONE_KNOWN: Mapping[int, RowLinks] = {}
_OF_LINKS = Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF
"""raised by each entry with links that are not ordinary"""
_GRAPHS: WeakKeyDictionary[Sitemap, LinkGraph] = WeakKeyDictionary()
"""Several rules share one graph; it lives as long as its sitemap."""


def graph_of(sitemap: Sitemap) -> LinkGraph:
    graph = _GRAPHS.get(sitemap)
    if graph is None:
        others = sitemap.rows_with(_OF_LINKS) if sitemap.extended else ()
        known = sitemap.media_notes.links if sitemap.extended else {}
        are_keys = bool(known or others) and _are_keys(sitemap)
        graph = read_graph(sitemap.document, known, others, are_keys=are_keys)
        _GRAPHS[sitemap] = graph
    return graph


def _are_keys(sitemap: Sitemap) -> bool:
    """Whether each URL is its own key for sure, by its signals."""
    only = only_origin(sitemap)
    if only is None or sitemap.rows_with(RESPELLABLE | Signal.FRAGMENT):
        return False
    return not respelled([f"{only.text}/"])


def read_graph(
    document: Document,
    known: Mapping[int, RowLinks] = _NONE_KNOWN,
    rows: Iterable[int] | None = None,
    *,
    are_keys: bool = False,
) -> LinkGraph:
    """Of the rows that may have links, or of all; plain links that are known are not parsed again."""
    blocks: dict[bytes | tuple[object, ...], LinkBlock] = {}
    same: dict[int, LinkBlock] = {}
    for row, links in known.items():
        block = same.get(id(links))  # rows with the same links share one object, which lives as long as `known`
        if block is None:
            block = same[id(links)] = blocks.setdefault(links, LinkBlock(*links))
        block.rows.append(row)
    if document.kind is not Kind.URLSET or (rows is None and not document.columns.extended):
        rows = ()
    for row in range(len(document)) if rows is None else rows:
        stretch = None if row in known else _link_stretch(document, row)
        if stretch is None:
            continue
        block = blocks.get(stretch)
        if block is None:
            alternates = document.media(row).alternates
            if not alternates:
                continue
            block = LinkBlock.of(alternates)
            block = blocks.setdefault(block.meaning, block)
            if stretch:
                blocks[stretch] = block
        block.rows.append(row)
    found = list(dict.fromkeys(blocks.values()))
    if known and rows:
        for block in found:
            block.rows.sort()
        found.sort(key=lambda block: block.rows[0])
    return LinkGraph(found, document.columns, are_keys=are_keys)


def _link_stretch(document: Document, row: int) -> bytes | None:
    """The bytes of a row from its first link on; none if the row has to be parsed, None without links."""
    columns, data = document.columns, document.data
    start, end, mark = columns.starts[row], columns.ends[row], columns.marks[row]
    if not mark & Mark.EXTENDED:
        return None
    if mark & _READ_ONE_BY_ONE or document.troubles.has(TroubleKind.TWO_ROOTS):
        return b"" if _LINK.search(data, start, end) else None
    first = data.find(b":link", start, end)
    if first != -1:
        return data[data.rfind(b"<", start, first) : end]
    # the namespace may be declared without a prefix
    return b"" if data.find(b"<link", start, end) != -1 else None
