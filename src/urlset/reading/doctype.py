"""The bytes of a DOCTYPE → where it ends, what it declares, and the entities that the document uses.

The internal subset is read by its grammar: `]>` in a comment, an instruction or a quoted value ends nothing. The
parser of the body never sees the file's own declarations. Each entity that is used is declared anew: with its text if
that is short and has no markup, and otherwise with the reference itself as text. So no document can grow by more than
its own size.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from pyexpat import ExpatError, ParserCreate

import msgspec

from urlset.model.place import Place, between
from urlset.spec.lazy_pattern import lazy_pattern

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
_LONGEST = 256
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
    if entity.value is None or len(entity.value) > _LONGEST:
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
