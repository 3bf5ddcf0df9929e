"""One row of a document → its media, its element with all places, or the place of one field."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

import msgspec

from urlset.model.columns import Mark
from urlset.model.edits import Edits
from urlset.model.element import Element, Value
from urlset.model.media import NOTHING, Media
from urlset.model.place import Place
from urlset.reading.detail import DetailReader, SourceMap
from urlset.reading.media import read_media
from urlset.reading.plain_element import plain_element
from urlset.reading.salvage import apply_edits
from urlset.reading.scanner import is_compiled
from urlset.reading.vocabulary import FIELD_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlset.model.document import Document
    from urlset.model.edits import Edit
    from urlset.reading.compiled import ElementReader, MediaReader
    from urlset.reading.decode import OffsetMap
    from urlset.reading.frame import OpenTag
    from urlset.reading.prefixes import Prefixes
    from urlset.reading.vocabulary import NamespaceMap


class RootScope(msgspec.Struct, frozen=True):
    """The rows under one root: documents that were glued together have several."""

    first_row: int
    frame: OpenTag
    namespace_map: NamespaceMap
    prefixes: Prefixes


class RowReader:
    """Answers `Document.element` and `Document.media`."""

    def __init__(self, offsets: OffsetMap, scopes: Sequence[RootScope] = ()) -> None:
        self._offsets = offsets
        self._scopes = scopes
        self._firsts = [scope.first_row for scope in scopes]
        self._latest: tuple[int, Element] | None = None
        """rules ask for one row many times in a row"""

        self._latest_field: tuple[int, str, int | None] = (-1, "", None)
        self._namespaces: dict[tuple[int, bytes], str] = {}
        self._fields: dict[tuple[bytes, str], re.Pattern[bytes]] = {}
        self._compiled: tuple[RootScope, MediaReader] | None = None
        self._elements: tuple[RootScope, ElementReader] | None = None
        self._repaired: tuple[RootScope, ElementReader] | None = None

    def _scope(self, row: int) -> RootScope | None:
        return self._scopes[bisect_right(self._firsts, row) - 1] if self._scopes else None

    def element(self, document: Document, row: int) -> Element:
        if self._latest is None or self._latest[0] != row:
            self._latest = (row, self._read_element(document, row))
        return self._latest[1]

    def _read_element(self, document: Document, row: int) -> Element:
        place = document.place(row)
        scope = self._scope(row)
        if scope is None:
            value = Value(document.columns.locs[row] or "", place)
            return Element("", "loc", "loc", place, place, place, (), value, ())
        edits = document.columns.edits.get(row, ()) if document.columns.marks[row] & Mark.SALVAGED else ()
        quick = None if edits else self._quick_element(document, scope, place)
        if quick is not None:
            return quick
        text = apply_edits(document.data, place.offset, place.end, edits)
        quick = self._quick_repaired(scope, place, text, edits)
        if quick is not None:
            return quick
        places = SourceMap(place.offset, edits)
        element = DetailReader(text, scope.frame.around(text), places).read()
        if element is None:  # declared by something around the row that is not a root
            element = DetailReader(text, scope.frame.binding(text), places).read()
        return element or Element("", "", "", place, Place(place.offset), Place(place.end), (), Value("", place), ())

    def _quick_element(self, document: Document, scope: RootScope, place: Place) -> Element | None:
        """Where nothing in the row needs expat."""
        if not is_compiled():
            return plain_element(place.cut(document.data), place.offset, self._namespace(scope))
        if self._elements is None or self._elements[0] is not scope:
            self._elements = (scope, self._element_reader(scope, document.data))
        return self._elements[1].read(place.offset, place.end)

    def _quick_repaired(self, scope: RootScope, place: Place, text: bytes, edits: Sequence[Edit]) -> Element | None:
        """The same for a row as it reads after edits."""
        if not is_compiled() or not isinstance(edits, Edits):
            return None
        if self._repaired is None or self._repaired[0] is not scope:
            self._repaired = (scope, self._element_reader(scope, b""))
        return self._repaired[1].read_repaired(text, place.offset, edits)

    def _element_reader(self, scope: RootScope, data: bytes) -> ElementReader:
        from urlset.reading.compiled import ElementReader

        own, known = scope.prefixes.own, scope.prefixes.known
        return ElementReader(data, own, known, tuple(self._namespace(scope, prefix) for prefix in (*known, own)))

    def _namespace(self, scope: RootScope, prefix: bytes = b"") -> str:
        """What a name with this prefix belongs to; the prefix has its colon or is empty."""
        known = self._namespaces.get((scope.first_row, prefix))
        if known is None:
            text = b"<%sa/>" % prefix
            bare = DetailReader(text, scope.frame.around(text), SourceMap(0, ())).read()
            known = self._namespaces[scope.first_row, prefix] = bare.namespace if bare is not None else ""
        return known

    def media(self, document: Document, row: int) -> Media:
        scope = self._scope(row)
        if scope is None:
            return NOTHING
        columns = document.columns
        start, end, edits = columns.starts[row], columns.ends[row], columns.edits.get(row, ())
        quick = scope.prefixes.kinds and is_compiled()
        text = b""
        media = None
        if edits:
            text = apply_edits(document.data, start, end, edits)
            media = scope.prefixes.reader(text).read(0, len(text)) if quick else None
        elif quick:
            if self._compiled is None or self._compiled[0] is not scope:
                self._compiled = (scope, scope.prefixes.reader(document.data))
            media = self._compiled[1].read(start, end)
        if media is not None:
            return media
        text = text or document.data[start:end]
        return read_media(text, scope.frame, scope.namespace_map)

    def bare_field(self, document: Document, row: int, name: str) -> int | None:
        """Where the text of a field begins when it is written as its own bytes, found without reading the row."""
        if self._latest_field[0] != row or self._latest_field[1] != name:
            self._latest_field = (row, name, self._find_bare_field(document, row, name))
        return self._latest_field[2]

    def _find_bare_field(self, document: Document, row: int, name: str) -> int | None:
        scope, columns = self._scope(row), document.columns
        if scope is None or scope.namespace_map.vocabulary.strict_namespace or columns.marks[row] & ~Mark.EXTENDED:
            return None
        if name not in FIELD_NAMES or (name != "loc" and columns.marks[row] & Mark.EXTENDED):
            return None
        pattern = self._fields.get((scope.prefixes.own, name))
        if pattern is None:
            pattern = self._fields[scope.prefixes.own, name] = _field_pattern(scope, name)
        found = pattern.match(document.data, columns.starts[row], columns.ends[row])
        return None if found is None else found.start(1)

    def __getstate__(self) -> dict[str, object]:
        """Copies and pickles have no compiled reader."""
        return self.__dict__ | {"_compiled": None, "_elements": None, "_repaired": None}

    def source_offset(self, document: Document, offset: int) -> int:
        del document
        return self._offsets.source(offset)


def _field_pattern(scope: RootScope, name: str) -> re.Pattern[bytes]:
    """One field of a row, and nothing but other fields before it."""
    own, row = re.escape(scope.prefixes.own), scope.namespace_map.vocabulary.rows[0].encode()
    before = rb"(?:<" + own + rb"(?!" + name.encode() + rb">)[a-z]+>[^<]*+</[^<>]*+>\s*+)*+" if name != "loc" else b""
    return re.compile(rb"<" + own + row + rb"\s*+>\s*+" + before + rb"<" + own + name.encode() + rb">([^<&\r]++)</")
