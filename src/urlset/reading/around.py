"""Comments and instructions before and after the root → what expat has against them, each fault with its place.

Expat decides whether a piece is legal; the patterns here only find the exact bytes that make it illegal.
"""

from __future__ import annotations

import re
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

import msgspec

from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading import limits
from urlset.reading.decode import control_characters, undecodable
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


BLANK = lazy_pattern(rb"[ \t\r\n]*+")
DECLARES = lazy_pattern(rb"<\?xml(?=[\s?])")
_OPENS = lazy_pattern(rb"<!--|<\?")
_LONGEST = limits.MAX_TOKEN + limits.CHUNK
_BLANKS = b"   "
"""behind a piece: expat waits for the rest of a character that the piece seems to end in"""


class MarkupPiece(msgspec.Struct, frozen=True):
    """A comment, an instruction or a declaration, complete with its closing marks."""

    kind: TroubleKind
    """what it is a case of when expat rejects it and no single character is to blame"""
    place: Place


def piece_at(data: bytes, at: int, seeker: Seeker) -> MarkupPiece | None:
    """The comment, instruction or declaration that begins at `at`; None when there is none or it never ends."""
    if data.startswith(b"<!--", at):
        kind, closer, end = TroubleKind.BAD_COMMENT, b"-->", seeker.find(b"-->", at + 4)
    elif data.startswith(b"<?", at):
        declares = DECLARES.match(data, at) is not None
        kind = TroubleKind.BAD_DECLARATION if declares else TroubleKind.BAD_INSTRUCTION
        closer, end = b"?>", seeker.find(b"?>", at + 2)
        if declares and data.find(b"<", at + 2, end) != -1:
            return None  # a declaration without its ?>; the one found belongs to the next instruction
    else:
        return None
    return None if end == -1 else MarkupPiece(kind, between(at, end + len(closer)))


def judged(data: bytes, pieces: Sequence[MarkupPiece], *, after_root: bool = False) -> Iterator[Trouble]:
    """What is wrong with the pieces, in the order given; a declaration is only legal as the first of them."""
    at = 0
    while at < len(pieces):
        at = _first_rejected(data, pieces, at, head=b"<r/>" if after_root else b"")
        if at < len(pieces):
            yield from _faults(data, pieces[at])
            at += 1


def is_legal(data: bytes, place: Place) -> bool:
    """Whether expat takes this comment or instruction inside an element."""
    piece = MarkupPiece(TroubleKind.BAD_INSTRUCTION, place)
    return _first_rejected(data, (piece,), 0, head=b"<r>") == 1


def _first_rejected(data: bytes, pieces: Sequence[MarkupPiece], first: int, *, head: bytes) -> int:
    """The number of the first piece that expat does not take; how many there are when it takes all."""
    parser = ParserCreate("utf-8", " ")
    view = memoryview(data)
    number = first
    try:
        parser.Parse(head)
        for number in range(first, len(pieces)):
            place = pieces[number].place
            if place.length > _LONGEST:
                return number
            parser.Parse(view[place.offset : place.end])
            parser.Parse(_BLANKS)
    except ExpatError:
        return number
    return len(pieces)


def _faults(data: bytes, piece: MarkupPiece) -> Iterator[Trouble]:
    """Every character that is not allowed in a rejected piece; the piece itself when all are, or it has -- inside."""
    place = piece.place
    if place.length > _LONGEST:
        yield Trouble(TroubleKind.TOKEN_TOO_LONG, Place(place.offset, 1))
        return
    found = [*control_characters(data, place), *undecodable(data, place)]
    yield from found
    text = place.cut(data)
    doubled = piece.kind is TroubleKind.BAD_COMMENT and has_double_hyphen(text)
    if doubled or not found or piece.kind is TroubleKind.BAD_DECLARATION:
        yield Trouble(piece.kind, place, text[:120].decode("utf-8", "replace"))


def has_double_hyphen(comment: bytes) -> bool:
    """Whether a comment, given with its marks, has -- inside or a - before its -->."""
    return comment.find(b"--", 4, len(comment) - 3) != -1 or comment.endswith(b"--->", 4)


class Behind(msgspec.Struct, frozen=True):
    """What follows the root: pieces that belong there, stretches that do not, and where reading can go on."""

    pieces: list[MarkupPiece]
    junk: list[Place]
    at: int
    """where a root or a row begins; the end of the data when there is none"""


def behind_root(data: bytes, at: int, seeker: Seeker, root: re.Pattern[bytes], row: re.Pattern[bytes]) -> Behind:
    """Walk from the root's close tag to the next root or row that is not inside a comment or an instruction."""
    pieces: list[MarkupPiece] = []
    junk: list[Place] = []
    while (at := _after_blank(data, at)) < len(data):
        piece = piece_at(data, at, seeker)
        if piece is not None and piece.kind is not TroubleKind.BAD_DECLARATION:
            pieces.append(piece)
            at = piece.place.end
            continue
        found = [offset for needle in (root, row) if (offset := seeker.find(needle, at)) != -1]
        target = min(found, default=len(data))
        if target == at:
            break
        opens = seeker.find(_OPENS, at + 1)
        stop = min(target, opens) if opens != -1 else target
        if junk and junk[-1].end == at:  # a comment that never ends is one stretch with what precedes it
            junk[-1] = between(junk[-1].offset, stop)
        else:
            junk.append(between(at, stop))
        at = stop
    return Behind(pieces, junk, at)


def _after_blank(data: bytes, at: int) -> int:
    blank = BLANK.match(data, at)
    assert blank is not None
    return blank.end()


def whole_fault(data: bytes, doctype: Place | None = None, declared: bytes = b"") -> Trouble | None:
    """The first thing expat has against a document that is read as no usual sitemap.

    It gets the declarations instead of the DOCTYPE.
    """
    parser = ParserCreate("utf-8", " ")
    view = memoryview(data)
    skipped = Place(0) if doctype is None else doctype
    shift = skipped.length - len(declared)
    try:
        parser.Parse(view[: skipped.offset])
        parser.Parse(declared)
        for at in range(skipped.end, len(data), limits.CHUNK):
            parser.Parse(view[at : at + limits.CHUNK])
            here = parser.CurrentByteIndex + shift
            if at - here > _LONGEST:
                return Trouble(TroubleKind.TOKEN_TOO_LONG, Place(max(0, here), 1))
        parser.Parse(b"", True)
    except ExpatError as error:
        index = parser.ErrorByteIndex
        if index >= skipped.offset:
            index = max(skipped.offset, index + shift)
        return _whole_trouble(data, min(index, len(data)), error.code)
    return None


def _whole_trouble(data: bytes, offset: int, code: int) -> Trouble:
    line = data[offset : offset + 120].split(b"\n", 1)[0].rstrip()
    place, shown = Place(offset, len(line)), line.decode("utf-8", "replace")
    if code == _AFTER_ROOT:
        kind = TroubleKind.TWO_ROOTS if _TAG_BEGINS.match(line) else TroubleKind.CONTENT_AFTER_ROOT
        return Trouble(kind, place, shown)
    if code in _CUT_SHORT or not line:
        return Trouble(TroubleKind.TRUNCATED, place, shown or "its end")
    return Trouble(TroubleKind.OTHER_MALFORMED, place, shown)


_TAG_BEGINS = lazy_pattern(rb"<[^\s!?/<>]")
_AFTER_ROOT = 9
_CUT_SHORT = frozenset({3, 5})
"""expat's codes for: junk after document element; no element found, unclosed token"""


# A needle such as `-->` → its next offset; queries at rising offsets take linear time in total.


class Seeker:
    """Remembers the last answer for each needle, so hostile input cannot make searches quadratic."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._answers: dict[bytes | re.Pattern[bytes], tuple[int, int]] = {}

    def find(self, needle: bytes | re.Pattern[bytes], at: int) -> int:
        """The offset of the first `needle` at or behind `at`, or -1."""
        asked, answer = self._answers.get(needle, (0, -2))
        if asked <= at and (answer == -1 or at <= answer):
            return answer
        if isinstance(needle, bytes):
            answer = self._data.find(needle, at)
        else:
            match = needle.search(self._data, at)
            answer = -1 if match is None else match.start()
        self._answers[needle] = (at, answer)
        return answer
