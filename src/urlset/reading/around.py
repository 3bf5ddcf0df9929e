"""Comments, instructions and DOCTYPE around the root → their faults with places, and the entities that are declared.

Expat decides whether a piece is legal; the patterns here only find the exact bytes that make it illegal.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
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
    parser = limits.new_parser()
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
    parser = limits.new_parser()
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
        offset = min(index, len(data))
        line = data[offset : offset + 120].split(b"\n", 1)[0].rstrip()
        place, shown = Place(offset, len(line)), line.decode("utf-8", "replace")
        if error.code == _AFTER_ROOT:
            kind = TroubleKind.TWO_ROOTS if _TAG_BEGINS.match(line) else TroubleKind.CONTENT_AFTER_ROOT
            return Trouble(kind, place, shown)
        if error.code in _CUT_SHORT or not line:
            return Trouble(TroubleKind.TRUNCATED, place, shown or "its end")
        return Trouble(TroubleKind.OTHER_MALFORMED, place, shown)
    return None


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


# A reference by name that XML does not define → the characters that HTML means by it.


@lru_cache(maxsize=1024)
def meaning(reference: bytes) -> bytes:
    """The characters as UTF-8; the reference itself where HTML does not know the name either."""
    from html.entities import html5

    character = html5.get(reference[1:].decode("ascii"))
    return reference if character is None else character.encode("utf-8")


@lru_cache(maxsize=1024)
def escaped(reference: bytes) -> bytes:
    """The same as it must be written in XML."""
    from html import escape

    return escape(meaning(reference).decode("utf-8")).encode("utf-8")


def is_space(reference: bytes) -> bool:
    """Whether it means whitespace, as `&nbsp;` does."""
    return meaning(reference).decode("utf-8").isspace()


_PREDEFINED_NAMES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&"))
"""the ampersand last, so what it uncovers is not unescaped twice"""


def unescaped(value: bytes) -> str:
    """The text of a value that has no references but those of XML itself."""
    if b"&" in value:
        for reference, character in _PREDEFINED_NAMES:
            value = value.replace(reference, character)
    return value.decode()


_HEAD = lazy_pattern(rb"<!DOCTYPE(?:[^\[\]<>\"']++|\"[^\"]*+\"|'[^']*+')*+", re.IGNORECASE)
_EXTERNAL = lazy_pattern(rb"<!DOCTYPE\s++[^\s\[>\"']++\s++(?:SYSTEM|PUBLIC)\b", re.IGNORECASE)
_PIECE = lazy_pattern(
    rb"\s++|<!--.*?-->|<\?.*?\?>|(?P<reference>%[^\s;<>&%]++;)"
    rb"|(?P<declaration><!(?P<kind>[A-Z]++)(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+>)",
    re.DOTALL,
)
_SUBSET_END = lazy_pattern(rb"\]\s*+>")
_NAME = rb"[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
_ENTITY = lazy_pattern(
    rb"<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>" + _NAME + rb")\s+(?P<external>SYSTEM|PUBLIC)?"
    rb"(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')?"
)
REFERENCE = lazy_pattern(rb"&(" + _NAME + rb");")
_PREDEFINED = (b"amp", b"lt", b"gt", b"quot", b"apos")
_LONGEST_DOCTYPE = 256
"""bytes of a value that is worth expanding, such as a host"""
_MOST_BYTES = 8192
"""of declarations, which are fed to the parser again behind each malformed entry"""
_SPECIAL = lazy_pattern(rb"[&<>\"'%\[\]\r\n\t]")


class Entity(msgspec.Struct, frozen=True):
    """One declaration; `place` is its beginning, up to the value."""

    name: bytes
    place: Place
    is_external: bool
    is_parameter: bool
    value: bytes | None


class Doctype(msgspec.Struct, frozen=True):
    """What a DOCTYPE says that matters to a reader."""

    place: Place
    entities: tuple[Entity, ...] = ()
    attributes: tuple[bytes, ...] = ()
    """declarations of attributes, which may have default values"""
    is_open: bool = False
    """further declarations are elsewhere: in an external subset or a parameter entity"""


def doctype_at(data: bytes, at: int) -> Doctype:
    """The DOCTYPE that begins at `at`; the rest of the document if it never ends."""
    head = _HEAD.match(data, at)
    assert head is not None
    is_open = _EXTERNAL.match(data, at) is not None
    end, entities, attributes = head.end(), list[Entity](), list[bytes]()
    if data.startswith(b"[", end):
        end += 1
        while (piece := _PIECE.match(data, end)) is not None:
            end = piece.end()
            is_open = is_open or piece["reference"] is not None
            if piece["kind"] == b"ENTITY" and (found := _ENTITY.match(data, piece.start(), end)) is not None:
                entities.append(_entity(found))
            elif piece["kind"] == b"ATTLIST":
                attributes.append(piece.group())
        close = _SUBSET_END.search(data, end)
        end = len(data) if close is None else close.end()
    else:
        close_at = data.find(b">", end)
        end = len(data) if close_at == -1 else close_at + 1
    return Doctype(between(at, end), tuple(entities), tuple(attributes), is_open)


def _entity(found: re.Match[bytes]) -> Entity:
    external = found["external"] is not None
    value = found["double"] if found["double"] is not None else found["single"]
    end = found.end("external") if external else found.end("name")
    is_parameter = found["parameter"] is not None
    return Entity(found["name"], between(found.start(), end), external, is_parameter, None if external else value)


class UsedEntities(msgspec.Struct, frozen=True):
    """The declarations to feed to a parser, the names in them, and the first reference."""

    declarations: bytes = b""
    names: frozenset[bytes] = frozenset()
    first: Place | None = None


def used_entities(data: bytes, doctype: Doctype, *, standalone: bool) -> UsedEntities:
    """The references behind a DOCTYPE that it makes legal."""
    declared = {each.name: each for each in reversed(doctype.entities) if not each.is_parameter}
    is_open = doctype.is_open and not standalone
    counts: Counter[bytes] = Counter()
    first: Place | None = None
    for match in REFERENCE.finditer(data, doctype.place.end):
        name = match[1]
        if name not in _PREDEFINED and (is_open or name in declared):
            counts[name] += 1
            first = first or between(*match.span())
    texts = {name: _text(declared[name]) if name in declared else None for name in list(counts)[:_MOST_BYTES]}
    growth = sum(counts[name] * len(text) for name, text in texts.items() if text is not None)
    written = [_declaration(name, None if growth > len(data) else text) for name, text in texts.items()]
    defaults = [each for each in doctype.attributes if b"]>" not in each]
    for parts in ([*defaults, *written], written):
        declarations = b"<!DOCTYPE r[" + b"".join(parts) + b"]>"
        if parts and len(declarations) <= _MOST_BYTES and _is_legal(declarations):
            return UsedEntities(declarations, frozenset(counts), first)
    return UsedEntities(first=first)


def _text(entity: Entity) -> bytes | None:
    """The text that an entity means; None if it is long, external, or has markup or other entities in it."""
    if entity.value is None or len(entity.value) > _LONGEST_DOCTYPE:
        return None
    pieces: list[str] = []
    opened: list[str] = []
    parser = ParserCreate("utf-8")
    parser.CharacterDataHandler = pieces.append
    parser.StartElementHandler = lambda name, _attributes: opened.append(name)
    quote = b"'" if b'"' in entity.value else b'"'
    declared = b"<!DOCTYPE r[<!ENTITY a " + quote + entity.value + quote + b">]>"
    try:
        parser.Parse(declared + b"<r>&a;</r>", True)
    except ExpatError:
        return None
    return "".join(pieces).encode() if len(opened) == 1 else None


def _declaration(name: bytes, text: bytes | None) -> bytes:
    """Of an entity with this text, or with the text of its own reference."""
    text = b"&%s;" % name if text is None else text
    return b'<!ENTITY %s "%s">' % (name, _SPECIAL.sub(lambda match: b"&#38;#%d;" % match[0][0], text))


def _is_legal(declarations: bytes) -> bool:
    try:
        ParserCreate("utf-8", " ").Parse(declarations + b"<r/>", True)
    except ExpatError:
        return False
    return True


def open_tag(frame: bytes) -> int:
    """Where the tag begins in a frame, which may have declarations in front of it."""
    return frame.index(b"]>") + 2 if frame.startswith(b"<!DOCTYPE") else 0
