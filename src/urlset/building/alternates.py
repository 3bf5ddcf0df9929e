"""Pages that name each other as translations → the full set on each of them, the page itself included."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator
from itertools import filterfalse, pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from urlset.building.candidate import RowTrouble
from urlset.building.pages import pages_module
from urlset.building.spool import Pieces
from urlset.model.entry import Alternate, Entry
from urlset.writing.media import translation_line
from urlset.writing.xml import escaped_attribute

_DEFAULT = "x-default"
_NONE = 0xFFFFFFFF
_MARK = "*"
_CLOSING = translation_line("", _MARK).partition(_MARK)[2]
_DELICATE = re.compile(rb"[&'<>\\]")
"""what an address, in JSON, may have and an attribute may not"""
_REMEMBERED = 1 << 12
MOST_LINKS = 1000
"""of a set of translations: every page of it gets them all, so the output grows with the square of their number"""
_ENCODE = msgspec.json.Encoder().encode
_DECODE = msgspec.json.Decoder(dict[str, str]).decode
_PAIRS = msgspec.json.Decoder(list[tuple[str, str]]).decode

Links = set[tuple[str, str]]
"""(hreflang in lowercase, href)"""


class _Naming(NamedTuple):
    """The languages that a page names."""

    is_doubtful: bool
    """one is named twice"""
    translations: list[int] | None
    """which of them join pages; None for all"""


class Alternates:
    """`add` every page, then `complete` every page.

    Pages belong together when one names the other under a language. `x-default` joins no pages: half a site
    may name the home page so. Where the joined set would give one language two pages, it is not a set of
    translations: each page keeps its own links, and `troubles` says so. The same holds for more than `MOST_LINKS`.

    What pages say is kept in a file, and what several pages of a set say is kept once: some twenty bytes of memory for
    each address.
    """

    def __init__(self, path: Path) -> None:
        self._claims = pages_module().Claims()
        """for each address the first piece that names it"""
        self._pieces = Pieces(path)
        """what pages say; those of one set are chained"""
        self._parents, self._next, self._last = array("I"), array("I"), array("I")
        """by piece: a piece of the same set, the next one of the chain (itself at the end), and by root the last one"""
        self._hashes = array("q")
        self._doubtful: set[int] = set()
        """pieces that name a language twice"""
        self._spelling: dict[str, str] = {}
        self._lower: dict[str, str] = {}
        self._several: set[int] = set()
        """roots of sets with more than one default"""
        self._finished: dict[int, tuple[Alternate, ...] | None] = {}
        self._lines: dict[int, bytes] = {}
        self._openings: dict[str, str] = {}
        self._namings: dict[tuple[str, ...], _Naming] = {}
        self._openings_of: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        """the languages that a page names → the same in the order of a file, each with its opening"""

    def add(self, entry: Entry, language: str | None = None) -> int | None:
        """`language` is the page's own, if known; it names the page in the set when no page does.

        Gives a number for `lines`; None where these do not say all that the page says of other versions.
        """
        links = [(link.hreflang or "", link.href or "") for link in entry.alternates if _joins(link)]
        if not (links and entry.loc):
            return None
        named = dict(links)
        if len(named) == len(links):
            piece = self._add_named(entry.loc, named, _ENCODE(named), language)
        else:
            names, hrefs = zip(*links, strict=True)
            piece = self._add(entry.loc, names, hrefs, _ENCODE(links), language)
        return piece if len(links) == len(entry.alternates) <= MOST_LINKS else None

    def add_links(self, loc: str, said: bytes, language: str | None = None) -> int:
        """The same for an object of JSON, legal addresses by language."""
        return self._add_named(loc, _DECODE(said), said, language)

    def _add_named(self, loc: str, links: dict[str, str], said: bytes, language: str | None) -> int:
        piece: int = self._claims.get(loc, _NONE)
        if (
            piece != _NONE
            and self._hashes[piece] == hash(said)
            and loc in links.values()
            and links.get(_DEFAULT) != loc
        ):
            return piece
        return self._add(loc, tuple(links), tuple(links.values()), said, language)

    def _add(self, loc: str, names: tuple[str, ...], hrefs: tuple[str, ...], said: bytes, language: str | None) -> int:
        piece = self._pieces.append(said)
        for column in (self._parents, self._next, self._last):
            column.append(piece)
        self._hashes.append(hash(said))
        if (naming := self._namings.get(names)) is None:
            naming = self._naming(names)
        translations = hrefs if naming.translations is None else [hrefs[at] for at in naming.translations]
        root = piece
        claim = self._claims.setdefault
        for other in [found for each in (loc, *translations) if (found := claim(each, piece)) != piece]:
            root = self._join(root, other)
        if naming.is_doubtful:
            self._doubtful.add(piece)
        if language and loc not in translations:
            self._add(loc, (language,), (loc,), _ENCODE([(language, loc)]), None)
        return piece

    def _naming(self, names: tuple[str, ...]) -> _Naming:
        """What the languages of a page come to; most pages name the same."""
        lower = [self._lower.get(name) or self._spelled(name) for name in names]
        others = [at for at, name in enumerate(lower) if name != _DEFAULT]
        found = _Naming(len({*lower}) < len(lower), others if len(others) < len(lower) else None)
        if len(self._namings) >= _REMEMBERED:
            self._namings.clear()
        self._namings[names] = found
        return found

    def complete(self, entry: Entry) -> Entry:
        piece = self._claims.get(entry.loc or "", _NONE)
        if piece == _NONE:
            return entry
        own = entry.alternates
        full = self._full(self._find(piece))
        if full is None:
            full = tuple(sorted(filter(_joins, own), key=lambda link: _rank(link.hreflang or "")))
            return replace(entry, media=replace(entry.media, alternates=(*full, *filterfalse(_joins, own))))
        # several defaults in one set: each page keeps its own
        defaults = () if full[-1:] and _is_default(full[-1]) else tuple(link for link in own if _is_default(link))
        others = tuple(link for link in own if not _joins(link))
        return replace(entry, media=replace(entry.media, alternates=(*full, *defaults, *others)))

    def lines_at(self, loc: str) -> bytes:
        """The elements of a page that names no other version itself."""
        piece = self._claims.get(loc, _NONE)
        if piece == _NONE or (full := self._full(root := self._find(piece))) is None:
            return b""
        return self.lines(piece) if root not in self._several else self._written(_pairs(full))

    def lines(self, piece: int) -> bytes:
        """The elements of a page, by the number that `add` gave."""
        root = self._find(piece)
        found = self._lines.get(root)
        if found is not None:
            return found
        if self._last[root] == root and root not in self._doubtful:
            found = self._written_once(self._pieces.read(root))
        else:
            full = self._full(root)
            own = () if full is not None and root not in self._several else _links_in(self._pieces.read(piece))
            if full is None:
                return self._written(sorted(own, key=lambda link: _rank(link[0])))
            found = self._written([*_pairs(full), *(each for each in own if each[0].lower() == _DEFAULT)])
            if own:  # each page keeps its own default
                return found
        if len(self._lines) >= _REMEMBERED:
            self._lines.clear()
        self._lines[root] = found
        return found

    # for rows that are recalled

    @property
    def languages(self) -> frozenset[str]:
        """As pages spell them."""
        return frozenset(self._lower)

    def own_lines(self, piece: int) -> bytes:
        """What one page says, as lines; nothing where it names a language twice."""
        said = self._pieces.read(piece)
        return self._written_once(said) if said.startswith(b"{") else b""

    def members(self, piece: int) -> list[str]:
        """The pages that a page names as its translations."""
        return [href for name, href in _links_in(self._pieces.read(piece)) if self._lower[name] != _DEFAULT]

    def is_whole(self, piece: int) -> bool:
        """Whether one page says all that is known of its translations, and each language has one spelling."""
        root = self._find(piece)
        if len(self._lower) != len(self._spelling):
            return False
        if self._last[root] == root and root not in self._doubtful:
            return True
        return self._full(root) is not None and self.own_lines(piece) == self.lines(piece)

    def _written_once(self, said: bytes) -> bytes:
        """What one page says, as `_full` spells and sorts it."""
        links = dict(_links_in(said))
        names = tuple(links)
        openings = self._openings_of.get(names)
        if openings is None:
            ordered = sorted(names, key=lambda name: (self._lower[name] == _DEFAULT, self._lower[name]))
            spelled = self._spelling | {_DEFAULT: _DEFAULT}
            openings = [(name, self._opening(spelled[self._lower[name]])) for name in ordered]
            if len(self._openings_of) >= _REMEMBERED:
                self._openings_of.clear()
            self._openings_of[names] = openings
        if _DELICATE.search(said):
            links = {name: escaped_attribute(href) for name, href in links.items()}
        return "".join([f"{opening}{links[name]}{_CLOSING}" for name, opening in openings]).encode()

    def troubles(self) -> list[RowTrouble]:
        """Sets that contradict themselves, and pages whose language is not declared; whatever the order of rows."""
        return sorted(self._troubles(), key=lambda trouble: trouble.origin)

    def _troubles(self) -> Iterator[RowTrouble]:
        for root, parent in enumerate(self._parents):
            if parent != root or (self._last[root] == root and root not in self._doubtful):
                continue
            links = self._links(root)
            if (clash := _clash(links)) is not None:
                name, one, other = clash
                yield RowTrouble(one, f"hreflang {self._spelling[name]!r} is used for this page and for {other!r}")
            elif len(links) > MOST_LINKS:
                said = f"one of {len(links):,} pages that name each other as translations; links left as they are"
                yield RowTrouble(min(links)[1], said)

    # sets

    def _links(self, root: int) -> Links:
        """Everything that the pages of a set say."""
        piece = root
        found = self._said_by(piece)
        while self._next[piece] != piece:
            piece = self._next[piece]
            found |= self._said_by(piece)
        return found

    def _said_by(self, piece: int) -> Links:
        return {(self._lower[name], href) for name, href in _links_in(self._pieces.read(piece))}

    def _full(self, root: int) -> tuple[Alternate, ...] | None:
        if root not in self._finished:
            if len(self._finished) >= _REMEMBERED:
                self._finished.clear()
            links = self._links(root)
            if sum(name == _DEFAULT for name, _ in links) > 1:
                self._several.add(root)
            full: list[Alternate] | None = None
            if len(links) <= MOST_LINKS and not _clash(links):
                defaults = [Alternate(_DEFAULT, href) for name, href in links if name == _DEFAULT]
                named = sorted(link for link in links if link[0] != _DEFAULT)
                full = [Alternate(self._spelling[name], href) for name, href in named]
                full += defaults if len(defaults) == 1 else []
            self._finished[root] = None if full is None else tuple(full)
        return self._finished[root]

    def _spelled(self, name: str) -> str:
        """Lowercase; keeps the smallest original form, so the order of pages does not matter."""
        lower = name.lower()
        known = self._spelling.get(lower)
        if known is None or name < known:
            self._spelling[lower] = name
        self._lower[name] = lower
        return lower

    # who belongs together

    def _find(self, piece: int) -> int:
        parents = self._parents
        while parents[piece] != piece:
            parents[piece] = parents[parents[piece]]
            piece = parents[piece]
        return piece

    def _join(self, root: int, piece: int) -> int:
        """The root of both; the earlier one, which begins the chain."""
        other = self._find(piece)
        if root == other:
            return root
        kept, gone = min(root, other), max(root, other)
        self._parents[gone] = kept
        self._next[self._last[kept]] = gone
        self._last[kept] = self._last[gone]
        return kept

    def _written(self, links: Iterable[tuple[str, str]]) -> bytes:
        lines = [f"{self._opening(name)}{escaped_attribute(href)}{_CLOSING}" for name, href in links]
        return "".join(lines).encode()

    def _opening(self, name: str) -> str:
        found = self._openings.get(name)
        if found is None:
            found = self._openings[name] = translation_line(name, _MARK).removesuffix(_MARK + _CLOSING)
        return found

    def close(self) -> None:
        self._pieces.close()


def _links_in(said: bytes) -> Collection[tuple[str, str]]:
    """An object of JSON, or a list of pairs."""
    return _DECODE(said).items() if said.startswith(b"{") else _PAIRS(said)


def _pairs(links: Iterable[Alternate]) -> list[tuple[str, str]]:
    return [(link.hreflang or "", link.href or "") for link in links]


def _rank(name: str) -> tuple[bool, str]:
    """Of a link in a set that contradicts itself: like those of other sets by language, with the default last."""
    lower = name.lower()
    return lower == _DEFAULT, lower


def _joins(link: Alternate) -> bool:
    """A translation; not a page for other devices, nor a link of another kind."""
    is_alternate = link.rel == "alternate" or (link.rel or "").lower() == "alternate"
    return bool(link.hreflang and link.href and link.media is None and is_alternate)


def _is_default(link: Alternate) -> bool:
    return _joins(link) and (link.hreflang or "").lower() == _DEFAULT


def _clash(links: Links) -> tuple[str, str, str] | None:
    """The first language that two pages claim."""
    ordered = sorted(link for link in links if link[0] != _DEFAULT)
    return next(
        ((one[0], one[1], other[1]) for one, other in pairwise(ordered) if one[0] == other[0]),
        None,
    )
