"""The second look at single rows, bound to one document's root and vocabulary."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from urlset.model.columns import Mark
from urlset.model.element import Element, Value
from urlset.model.media import NOTHING, Media
from urlset.model.place import Place
from urlset.reading.detail import DetailReader, SourceMap
from urlset.reading.media import read_media
from urlset.reading.plain_element import plain_element
from urlset.reading.prolog import bind_prefixes
from urlset.reading.salvage import apply_edits
from urlset.reading.usual_media import usual_media
from urlset.spec import namespaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlset.model.document import Document
    from urlset.reading.decode import OffsetMap
    from urlset.reading.vocabulary import Casting


class Era(NamedTuple):
    """The rows under one root: documents that were glued together have several."""

    first_row: int
    frame: bytes
    casting: Casting
    usual: bool


class RowReader:
    """Answers `Document.element` and `Document.media`."""

    def __init__(self, offsets: OffsetMap, eras: Sequence[Era] = ()) -> None:
        self._offsets = offsets
        self._eras = eras
        self._firsts = [era.first_row for era in eras]
        self._latest: tuple[int, Element] | None = None
        """rules ask for one row many times in a row"""
        self._namespaces: dict[bytes, str] = {}

    def _era(self, row: int) -> Era | None:
        return self._eras[bisect_right(self._firsts, row) - 1] if self._eras else None

    def element(self, document: Document, row: int) -> Element:
        if self._latest is None or self._latest[0] != row:
            self._latest = (row, self._read_element(document, row))
        return self._latest[1]

    def _read_element(self, document: Document, row: int) -> Element:
        place = document.place(row)
        era = self._era(row)
        if era is None:
            value = Value(document.columns.locs[row] or "", place)
            return Element("", "loc", "loc", place, place, place, (), value, ())
        edits = document.columns.edits.get(row, ())
        text = apply_edits(document.data, place.offset, place.end, edits)
        if not edits and (plain := plain_element(text, place.offset, self._namespace(era))) is not None:
            return plain
        places = SourceMap(place.offset, edits)
        element = DetailReader(text, era.frame, places).read()
        if element is None:  # declared by something around the row that is no root
            element = DetailReader(text, bind_prefixes(era.frame, text)[0], places).read()
        return element or Element("", "", "", place, Place(place.offset), Place(place.end), (), Value("", place), ())

    def _namespace(self, era: Era) -> str:
        """What a name without a prefix belongs to."""
        known = self._namespaces.get(era.frame)
        if known is None:
            bare = DetailReader(b"<a/>", era.frame, SourceMap(0, ())).read()
            known = self._namespaces[era.frame] = bare.namespace if bare is not None else ""
        return known

    def media(self, document: Document, row: int) -> Media:
        era = self._era(row)
        if era is None:
            return NOTHING
        columns = document.columns
        start, end = columns.starts[row], columns.ends[row]
        if era.usual and columns.marks[row] & Mark.CANONICAL:
            media = usual_media(document.data, start, end)
            if media is not None:
                return media
        text = apply_edits(document.data, start, end, columns.edits.get(row, ()))
        return read_media(text, bind_prefixes(era.frame, text)[0], era.casting)

    def source_offset(self, document: Document, offset: int) -> int:
        del document
        return self._offsets.source(offset)


def is_usual(declared: dict[str, str], root_written: str) -> bool:
    """Whether the usual prefixes mean what they usually mean, so that patterns may rely on them."""
    return ":" not in root_written and all(declared.get(prefix, uri) == uri for prefix, uri in _USUAL.items())


_USUAL = {"xhtml": namespaces.XHTML, "image": namespaces.IMAGE, "video": namespaces.VIDEO, "news": namespaces.NEWS}
