"""Pages that name each other as translations → the full set on each of them, the page itself included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from urlset.building.candidate import RowTrouble
from urlset.model.entry import Entry
from urlset.model.media import Alternate
from urlset.writing.media import translation_line

_DEFAULT = "x-default"
_REMEMBERED_LINES = 1 << 14
_PACK = msgspec.msgpack.Encoder().encode
_UNPACK = msgspec.msgpack.Decoder(dict[str, str]).decode

Links = set[tuple[str, str]]
"""(hreflang in lower case, href)"""


class Alternates:
    """`add` every page, then `complete` every page.

    Pages belong together when one names the other under a language. `x-default` joins nobody: half a site
    may name the home page so. Where the joined set would give one language two pages, it is not a set of
    translations: its pages are left as they came, and `troubles` says so.

    Holds the addresses of all pages with alternates: some 400 bytes each.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._parents: list[int] = []
        self._links: dict[int, Links] = {}
        self._spelling: dict[str, str] = {}
        self._finished: dict[int, tuple[Alternate, ...] | None] = {}
        self._whole: set[int] = set()
        """hashes of the links of pages that name themselves: the next page that names the same adds nothing"""
        self._latest: Mapping[str, str] | None = None
        """of the last page that names itself"""
        self._lines: dict[int, bytes] = {}

    def add(self, entry: Entry, language: str | None = None) -> None:
        """`language` is the page's own, if known; it names the page in the set when no page does."""
        links = {(self._spelled(link.hreflang or ""), link.href or "") for link in entry.alternates if _joins(link)}
        if links and entry.loc:
            self._add(entry.loc, links, language)

    def add_links(self, loc: str, links: Mapping[str, str], language: str | None = None) -> None:
        """The same for addresses by hreflang, none of them empty."""
        names_itself = loc in links.values() and links.get(_DEFAULT) != loc
        if names_itself and links is self._latest:
            return
        said = hash(tuple(links.items()))
        if not names_itself or said not in self._whole:
            self._add(loc, {(self._spelled(name), href) for name, href in links.items()}, language)
        if names_itself:
            self._whole.add(said)
            self._latest = links

    def _add(self, loc: str, links: Links, language: str | None) -> None:
        if language and not any(href == loc for name, href in links if name != _DEFAULT):
            links.add((self._spelled(language), loc))
        root = self._find(self._node(loc))
        for name, href in links:
            if name != _DEFAULT:
                root = self._join(root, self._find(self._node(href)))
        self._links.setdefault(root, set()).update(links)

    def complete(self, entry: Entry) -> Entry:
        node = self._nodes.get(entry.loc or "")
        if node is None:
            return entry
        full = self._full(self._find(node))
        if full is None:
            return entry
        own = entry.alternates
        # several defaults in one set: each page keeps its own
        defaults = () if full[-1:] and _is_default(full[-1]) else tuple(link for link in own if _is_default(link))
        others = tuple(link for link in own if not _joins(link))
        return replace(entry, media=replace(entry.media, alternates=(*full, *defaults, *others)))

    def lines(self, loc: str, packed: msgspec.Raw) -> bytes:
        """The elements of a page that was added by `add_links`, with the same links."""
        root = self._find(self._nodes[loc])
        found = self._lines.get(root)
        if found is not None:
            return found
        full = self._full(root)
        links = _UNPACK(packed)
        if full is None:
            return _written(links.items())
        has_default = bool(full) and _is_default(full[-1])
        defaults = [] if has_default else [each for each in links.items() if each[0].lower() == _DEFAULT]
        found = _written([*((link.hreflang or "", link.href or "") for link in full), *defaults])
        if not self._has_several_defaults(root):
            if len(self._lines) >= _REMEMBERED_LINES:
                self._lines.clear()
            self._lines[root] = found
            del self._finished[root]  # the lines say the same in less room
        return found

    def troubles(self) -> Iterator[RowTrouble]:
        """Sets that contradict themselves, and pages whose language nobody names."""
        for root in sorted({self._find(node) for node in self._parents}):
            clash = _clash(self._links.get(root, set()))
            if clash is not None:
                name, one, other = clash
                yield RowTrouble(one, f"hreflang {self._spelling[name]!r} is used for this page and for {other!r}")

    # sets

    def _full(self, root: int) -> tuple[Alternate, ...] | None:
        if root not in self._finished:
            links = self._links.get(root, set())
            self._finished[root] = None if _clash(links) else self._spelled_out(links)
        return self._finished[root]

    def _has_several_defaults(self, root: int) -> bool:
        return sum(name == _DEFAULT for name, _ in self._links.get(root, set())) > 1

    def _spelled_out(self, links: Links) -> tuple[Alternate, ...]:
        defaults = sorted(href for name, href in links if name == _DEFAULT)
        named = sorted(link for link in links if link[0] != _DEFAULT)
        full = [Alternate(self._spelling[name], href) for name, href in named]
        if len(defaults) == 1:
            full.append(Alternate(_DEFAULT, defaults[0]))
        return tuple(full)

    def _spelled(self, name: str) -> str:
        """Lower case, remembering the smallest spelling so that the order of pages does not matter."""
        lower = name.lower()
        known = self._spelling.get(lower)
        if known is None or name < known:
            self._spelling[lower] = name
        return lower

    # who belongs together

    def _node(self, url: str) -> int:
        node = self._nodes.setdefault(url, len(self._parents))
        if node == len(self._parents):
            self._parents.append(node)
        return node

    def _find(self, node: int) -> int:
        parents = self._parents
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def _join(self, one: int, other: int) -> int:
        if one == other:
            return one
        mine, others = self._links.get(one, set()), self._links.get(other, set())
        kept, gone = (one, other) if len(mine) >= len(others) else (other, one)
        self._parents[gone] = kept
        moved = self._links.pop(gone, None)
        if moved:
            self._links.setdefault(kept, set()).update(moved)
        return kept


def packed_links(links: Mapping[str, str]) -> msgspec.Raw:
    """What `lines` takes."""
    return msgspec.Raw(_PACK(links))


def _written(links: Iterable[tuple[str, str]]) -> bytes:
    return "".join([translation_line(name, href) for name, href in links]).encode()


def _joins(link: Alternate) -> bool:
    """A translation; not a page for other devices, nor a link of another kind."""
    return bool(link.hreflang and link.href and link.media is None and (link.rel or "").lower() == "alternate")


def _is_default(link: Alternate) -> bool:
    return _joins(link) and (link.hreflang or "").lower() == _DEFAULT


def _clash(links: Links) -> tuple[str, str, str] | None:
    """The first language that two pages claim."""
    ordered = sorted(link for link in links if link[0] != _DEFAULT)
    return next(
        ((one[0], one[1], other[1]) for one, other in pairwise(ordered) if one[0] == other[0]),
        None,
    )
