"""One row's bytes → elements, attributes and text with the place of every character.

The second look: made for single rows, when a rule, a fix or a report needs to point at something.
"""

from __future__ import annotations

from bisect import bisect_right
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

from urlset.model.element import Attribute, Element, TextRun, Value
from urlset.model.place import Place, between
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urlset.model.columns import Edit

_NAME = lazy_pattern(rb"<([^\s/>]+)")
_ATTRIBUTE = lazy_pattern(rb"\s++([^\s=/>]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')")
_GREATER = ord(">")
_TAG_END = lazy_pattern(rb"\s*+/?>")
_PIECE = lazy_pattern(rb"&[^;]*+;|\r\n?|[\t\n]|[^&\r\t\n]+")


class SourceMap:
    """Offsets in repaired bytes → offsets in the document, by way of the edits between them."""

    def __init__(self, start: int, edits: Sequence[Edit]) -> None:
        self._start = start
        self._steps = [(0, 0, start)]  # (in repaired text, length there, offset in source)
        self.identity = not edits
        shift = 0
        at = start
        for edit in edits:
            if edit.place.offset < at:
                continue
            here = edit.place.offset - start + shift
            self._steps.append((here, len(edit.text), edit.place.offset))
            shift += len(edit.text) - edit.place.length
            self._steps.append((here + len(edit.text), 0, edit.place.end))
            at = edit.place.end
        self._offsets = [step for step, _, _ in self._steps]

    def __call__(self, offset: int) -> int:
        if self.identity:
            return self._start + offset
        step, length, place = self._steps[bisect_right(self._offsets, offset) - 1]
        return place + min(offset - step, length) if length else place + offset - step

    def between(self, start: int, end: int) -> Place:
        if self.identity:
            return Place(self._start + start, end - start)
        return between(self(start), self(end))


class _Open:
    """An element while its children are being collected."""

    __slots__ = (
        "attributes",
        "cdata",
        "children",
        "comments",
        "expanded",
        "pieces",
        "start",
        "tag_end",
        "written",
    )

    def __init__(
        self, expanded: str, written: str, start: int, tag_end: int, attributes: tuple[Attribute, ...]
    ) -> None:
        self.expanded = expanded
        self.written = written
        self.start = start
        self.tag_end = tag_end
        self.attributes = attributes
        self.children: list[Element] = []
        self.comments: list[Place] = []
        self.pieces: list[tuple[str, int, bool]] = []
        """text, its place, and whether it is in a CDATA section"""
        self.cdata = False


class DetailReader:
    """Builds the element tree of `text`, the (repaired) bytes of one row, fed inside the root's tag."""

    def __init__(self, text: bytes, frame: bytes, places: SourceMap) -> None:
        self._text = text
        self._frame = len(frame)
        self._places = places
        self._stack: list[_Open] = []
        self._roots: list[Element] = []
        self._depth = 0
        self._in_cdata = False
        self._parser = parser = ParserCreate("utf-8", " ")
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = self._comment
        parser.StartCdataSectionHandler = self._start_cdata
        parser.EndCdataSectionHandler = self._end_cdata
        parser.Parse(frame)

    def read(self) -> Element | None:
        try:
            self._parser.Parse(self._text)
        except ExpatError:
            return None
        finally:
            self._let_go()
        return self._roots[0] if self._roots else None

    def _let_go(self) -> None:
        """Of the handlers: with them parser and reader hold each other until the garbage collector runs."""
        parser = self._parser
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
        parser.CommentHandler = parser.StartCdataSectionHandler = parser.EndCdataSectionHandler = None

    def _here(self) -> int:
        return self._parser.CurrentByteIndex - self._frame

    def _start(self, name: str, attributes: list[str]) -> None:
        here = self._here()
        if here < 0:
            return
        written = _NAME.match(self._text, here)
        assert written is not None
        tag_end = written.end() + 1
        found: tuple[Attribute, ...] = ()
        if attributes or self._text[tag_end - 1] != _GREATER:
            found, tag_end = self._attributes(written.end(), attributes)
        self._stack.append(_Open(name, written[1].decode(), here, tag_end, found))

    def _attributes(self, at: int, parsed: list[str]) -> tuple[tuple[Attribute, ...], int]:
        """Expat gives names and values, the bytes give the places; both in the order written."""
        expanded = iter(zip(parsed[::2], parsed[1::2], strict=True))
        found: list[Attribute] = []
        while (match := _ATTRIBUTE.match(self._text, at)) is not None:
            at = match.end()
            written = match[1].decode()
            if written == "xmlns" or written.startswith("xmlns:"):
                continue
            name, value = next(expanded)
            namespace, _, local = name.rpartition(" ")
            span = match.span(2) if match[2] is not None else match.span(3)
            place = self._places.between(match.start(1), match.end())
            found.append(Attribute(namespace, local, written, self._attribute_value(value, *span), place))
        end = _TAG_END.match(self._text, at)
        assert end is not None
        return tuple(found), end.end()

    def _attribute_value(self, value: str, start: int, end: int) -> Value:
        runs: list[TextRun] = []
        taken = 0
        for piece in _PIECE.finditer(self._text, start, end):
            raw = piece.group()
            verbatim = raw[:1] not in (b"&", b"\r", b"\t", b"\n")
            size = len(raw.decode()) if verbatim else 1
            runs.append(TextRun(value[taken : taken + size], self._places.between(*piece.span()), verbatim))
            taken += size
        return Value(value, self._places.between(start, end), tuple(runs))

    def _end(self, _name: str) -> None:
        if not self._stack:
            return
        top = self._stack.pop()
        here = self._here()
        empty = self._text[top.tag_end - 2 : top.tag_end] == b"/>"
        close = self._places.between(top.tag_end, top.tag_end)
        end = top.tag_end
        if not empty:
            end = self._text.find(b">", here) + 1
            close = self._places.between(here, end)
        namespace, _, local = top.expanded.rpartition(" ")
        inner = self._places.between(top.tag_end, top.tag_end if empty else here)
        element = Element(
            namespace,
            local,
            top.written,
            self._places.between(top.start, end),
            self._places.between(top.start, top.tag_end),
            close,
            top.attributes,
            self._value(top, inner),
            tuple(top.children),
            tuple(top.comments),
            top.cdata,
        )
        (self._stack[-1].children if self._stack else self._roots).append(element)

    def _characters(self, text: str) -> None:
        if self._stack:
            here = self._parser.CurrentByteIndex - self._frame
            self._stack[-1].pieces.append((text, here, self._in_cdata))

    def _value(self, opened: _Open, inner: Place) -> Value:
        """The text of an element; whitespace between children needs no places."""
        pieces = opened.pieces
        text = pieces[0][0] if len(pieces) == 1 else "".join(piece for piece, _, _ in pieces)
        if opened.children and (not text or text.isspace()):
            return Value(text, inner)
        return Value(text, inner, tuple(run for piece in pieces for run in self._runs(*piece)))

    def _runs(self, text: str, here: int, in_cdata: bool) -> Iterator[TextRun]:
        raw = text.encode("utf-8", "surrogatepass")
        verbatim = self._text.startswith(raw, here) and (in_cdata or not raw.startswith(b"&"))
        size = len(raw) if verbatim else self._written_size(here)
        place = self._places.between(here, here + size)
        if not verbatim or place.length == size:
            yield TextRun(text, place, verbatim)
            return
        for character in text:  # with repairs inside: each character has its own place
            size = len(character.encode("utf-8", "surrogatepass"))
            yield TextRun(character, self._places.between(here, here + size), verbatim=False)
            here += size

    def _written_size(self, here: int) -> int:
        if self._text.startswith(b"&", here):
            return self._text.find(b";", here) + 1 - here
        return 2 if self._text.startswith(b"\r\n", here) else 1

    def _comment(self, _text: str) -> None:
        if self._stack:
            here = self._here()
            self._stack[-1].comments.append(self._places.between(here, self._text.find(b"-->", here) + 3))

    def _start_cdata(self) -> None:
        self._in_cdata = True
        if self._stack:
            self._stack[-1].cdata = True

    def _end_cdata(self) -> None:
        self._in_cdata = False
