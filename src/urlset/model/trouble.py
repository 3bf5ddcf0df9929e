"""What went wrong while reading, as data: rules turn it into findings, the reader has no notion of severity."""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from enum import StrEnum
from operator import add, eq
from typing import Final, Self, overload

import msgspec

from urlset.model.place import Place
from urlset.model.shown import Shown


class TroubleKind(StrEnum):
    """Every way in which reading can meet something that should not be there, with a few words for people."""

    _value_: str
    words: str

    def __new__(cls, value: str, words: str) -> Self:
        self = str.__new__(cls, value)
        self._value_, self.words = value, words
        return self

    # the bytes as delivered
    EMPTY = "empty", "empty file"
    TRUNCATED_GZIP = "truncated-gzip", "truncated gzip stream"
    CORRUPT_GZIP = "corrupt-gzip", "corrupt gzip stream"
    GZIP_TRAILING_GARBAGE = "gzip-trailing-garbage", "extra bytes after the gzip stream"
    GZIP_IN_GZIP = "gzip-in-gzip", "compressed twice"
    COMPRESSION_BOMB = "compression-bomb", "decompresses to far more than the limit; reading stopped"
    OTHER_COMPRESSION = "other-compression", "compressed, but not with gzip"
    TOO_LARGE = "too-large", "larger than the limit; reading stopped"
    UNREADABLE = "unreadable", "could not be read completely"
    # characters
    BYTE_ORDER_MARK = "byte-order-mark", "starts with a byte order mark"
    NOT_UTF8 = "not-utf8", "encoding is not UTF-8"
    BAD_UTF8 = "bad-utf8", "invalid UTF-8"
    ENCODING_MISMATCH = "encoding-mismatch", "declared encoding does not match the content"
    UNKNOWN_ENCODING = "unknown-encoding", "unknown encoding declared"
    CONTROL_CHARACTER = "control-character", "control characters, which XML does not allow"
    # before, around and after the root
    TEXT_BEFORE_DECLARATION = "text-before-declaration", "text before <?xml"
    BAD_DECLARATION = "bad-declaration", "malformed <?xml … ?> line"
    BAD_INSTRUCTION = "bad-instruction", "malformed processing instructions"
    BAD_PROLOG = "bad-prolog", "malformed before the root element"
    XML_VERSION = "xml-version", "XML version is not 1.0"
    DOCTYPE = "doctype", "DOCTYPE, which sitemaps do not need"
    ENTITY_DECLARED = "entity-declared", "entity declarations"
    EXTERNAL_ENTITY = "external-entity", "external entity; not opened"
    ENTITY_USED = "entity-used", "references to declared entities; expanded if short"
    MISSING_ROOT = "missing-root", "no root element"
    BROKEN_ROOT = "broken-root", "malformed root tag"
    CONTENT_AFTER_ROOT = "content-after-root", "content after the root element"
    TWO_ROOTS = "two-roots", "more than one root element"
    TRUNCATED = "truncated", "truncated"
    NOT_A_SITEMAP = "not-a-sitemap", "not a sitemap"
    UNRENDERED = "unrendered-template", "template that was not rendered"
    # inside
    BARE_AMPERSAND = "bare-ampersand", "unescaped &; write &amp;"
    STRAY_LT = "stray-lt", "unescaped <; write &lt;"
    UNDEFINED_ENTITY = "undefined-entity", "undefined entities"
    BAD_CHARACTER_REFERENCE = "bad-character-reference", "invalid character references"
    MISMATCHED_TAG = "mismatched-tag", "mismatched closing tag"
    UNCLOSED_TAG = "unclosed-tag", "unclosed element"
    BROKEN_TAG = "broken-tag", "malformed tags"
    MISSPELLED_TAG = "misspelled-tag", "misspelled tags"
    DUPLICATE_ATTRIBUTE = "duplicate-attribute", "duplicate attribute"
    BAD_ATTRIBUTE = "bad-attribute", "malformed attributes"
    UNBOUND_PREFIX = "unbound-prefix", "prefix without a namespace"
    BAD_COMMENT = "bad-comment", "malformed comments"
    CDATA_END_IN_TEXT = "cdata-end-in-text", "]]> in plain text"
    STRAY_TEXT = "stray-text", "misplaced text"
    MISPLACED_ELEMENT = "misplaced-element", "misplaced elements"
    OTHER_MALFORMED = "other-malformed", "malformed XML"
    MALFORMED = "malformed", "malformed; the rest is skipped"
    """syntax of a format that is not XML; the rest is not read"""
    # limits that protect the reader
    TOO_DEEP = "too-deep", "nested too deeply"
    TOKEN_TOO_LONG = "token-too-long", "tag or text is too long"
    TOO_DAMAGED = "too-damaged", "too many malformed places; the rest is skipped"
    TOO_MANY_ENTRIES = "too-many-entries", "too many entries; the rest is skipped"
    # what it cost
    ENTRY_LOST = "entry-lost", "unreadable entries"
    # text lists and robots.txt
    NOT_AN_ADDRESS = "not-an-address", "lines that are not URLs"
    BAD_LINE = "bad-line", "unrecognized lines"


class Trouble(Shown, msgspec.Struct, frozen=True, gc=False):
    """One thing met while reading: what, where, the words of it, and the entry it touched."""

    kind: TroubleKind
    place: Place
    detail: str = ""
    row: int | None = None
    """The entry that was salvaged in spite of it; None when it touched no entry or the entry was lost."""


# Troubles → columns of kinds, places, rows and details, so a million of them are a few numbers each.

_KINDS: Final = tuple(TroubleKind)
_NUMBERS: Final = {kind: number for number, kind in enumerate(_KINDS)}
_MOST_SHARED = 4096
MOST_PLACED: Final = 250_000
"""troubles of one kind that keep their places; the rest is counted, so the memory they take has a bound"""


class Troubles(Sequence[Trouble]):
    """A sequence of troubles that makes each of them on access.

    A trouble takes 33 bytes, and its detail where few others have the same. Those beyond `MOST_PLACED` of a kind are
    no items of the sequence: only their number is known.
    """

    __slots__ = ("_details", "_known", "_lengths", "_numbers", "_offsets", "_placed", "_rows", "_unplaced")

    def __init__(self, troubles: Iterable[Trouble] = ()) -> None:
        self._numbers = bytearray()
        self._offsets: array[int] = array("Q")
        self._lengths: array[int] = array("Q")
        self._rows: array[int] = array("q")
        self._details: list[str] = []
        self._known: dict[str, str] = {}
        self._placed = [0] * len(_KINDS)
        self._unplaced: dict[TroubleKind, int] = {}
        self += troubles

    def append(self, trouble: Trouble) -> None:
        self.add(trouble.kind, trouble.place.offset, trouble.place.length, trouble.detail, trouble.row)

    def add(self, kind: TroubleKind, offset: int, length: int, detail: str, row: int | None = None) -> None:
        number = _NUMBERS[kind]
        if self._placed[number] == MOST_PLACED:
            self._unplaced[kind] = self.unplaced(kind) + 1
            return
        self._placed[number] += 1
        self._numbers.append(number)
        self._offsets.append(offset)
        self._lengths.append(length)
        self._rows.append(-1 if row is None else row)
        known = self._known.get(detail)
        if known is None:
            known = detail
            if len(self._known) < _MOST_SHARED:
                self._known[detail] = detail
        self._details.append(known)

    def __iadd__(self, troubles: Iterable[Trouble]) -> Self:
        others = troubles if isinstance(troubles, Troubles) else None
        placed = list(map(add, self._placed, others._placed)) if others is not None else []
        if others is None or max(placed) > MOST_PLACED:
            for trouble in troubles:
                self.append(trouble)
        else:
            self._placed = placed
            self._numbers += others._numbers
            self._offsets.extend(others._offsets)
            self._lengths.extend(others._lengths)
            self._rows.extend(others._rows)
            self._details.extend(others._details)
        for kind, number in others._unplaced.items() if others is not None else ():
            self._unplaced[kind] = self.unplaced(kind) + number
        return self

    def in_order(self) -> Troubles:
        """By offset; itself where they are in order already."""
        offsets = self._offsets
        if all(offsets[at - 1] <= offsets[at] for at in range(1, len(offsets))):
            return self
        return self._picked(sorted(range(len(self)), key=offsets.__getitem__), _KINDS)

    def only(self, kinds: Container[TroubleKind]) -> Troubles:
        return self._picked([at for at, kind in enumerate(self.kinds()) if kind in kinds], kinds)

    def of(self, kinds: Iterable[TroubleKind]) -> Iterator[Trouble]:
        """Those of some kinds, in order; the others cost next to nothing."""
        if not self._numbers:
            return iter(())
        wanted = re.compile(b"[" + b"".join(re.escape(bytes([_NUMBERS[kind]])) for kind in kinds) + b"]")
        return (self[found.start()] for found in wanted.finditer(self._numbers))

    def has(self, *kinds: TroubleKind) -> bool:
        return any(self._placed[_NUMBERS[kind]] for kind in kinds)

    def count_of(self, kind: TroubleKind) -> int:
        return self._placed[_NUMBERS[kind]] + self.unplaced(kind)

    def unplaced(self, *kinds: TroubleKind) -> int:
        """How many of these kinds are known only by number."""
        return sum(self._unplaced.get(kind, 0) for kind in kinds)

    @property
    def total(self) -> int:
        return len(self) + sum(self._unplaced.values())

    def kinds(self) -> Iterator[TroubleKind]:
        return (_KINDS[number] for number in self._numbers)

    def offsets(self, *, but: Container[TroubleKind]) -> list[int]:
        """Where those of other kinds begin."""
        return [offset for kind, offset in zip(self.kinds(), self._offsets, strict=True) if kind not in but]

    def places(self) -> Iterator[tuple[int, int, int]]:
        """The row of each, -1 for none, its offset and its length."""
        return zip(self._rows, self._offsets, self._lengths, strict=True)

    def rows(self) -> set[int]:
        """The entries that some of them are about."""
        found = set(self._rows)
        found.discard(-1)
        return found

    def __len__(self) -> int:
        return len(self._details)

    @overload
    def __getitem__(self, at: int) -> Trouble: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Trouble, ...]: ...
    def __getitem__(self, at: int | slice) -> Trouble | tuple[Trouble, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        row = self._rows[at]
        place = Place(self._offsets[at], self._lengths[at])
        return Trouble(_KINDS[self._numbers[at]], place, self._details[at], None if row < 0 else row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"Troubles({list(self)!r})"

    def _picked(self, numbers: Sequence[int], kinds: Container[TroubleKind]) -> Troubles:
        found = Troubles()
        found._numbers = bytearray(self._numbers[at] for at in numbers)
        found._offsets = array("Q", (self._offsets[at] for at in numbers))
        found._lengths = array("Q", (self._lengths[at] for at in numbers))
        found._rows = array("q", (self._rows[at] for at in numbers))
        found._details = [self._details[at] for at in numbers]
        found._placed = [placed if kind in kinds else 0 for kind, placed in zip(_KINDS, self._placed, strict=True)]
        found._unplaced = {kind: number for kind, number in self._unplaced.items() if kind in kinds}
        return found
