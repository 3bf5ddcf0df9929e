"""One row of a document → its media, its element with all places, or the place of one field."""

from __future__ import annotations

import re
from bisect import bisect_right
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

import msgspec

from urlset.model.columns import TEXTS, Edits, Mark
from urlset.model.entry import (
    NOTHING,
    Alternate,
    Attribute,
    DataObject,
    Element,
    Image,
    Marked,
    Media,
    News,
    PageMap,
    TextRun,
    Value,
    Video,
)
from urlset.model.place import Place, between
from urlset.reading.limits import is_compiled
from urlset.reading.salvage import apply_edits
from urlset.reading.vocabulary import FIELD_NAMES, MAX_PREFIXES, can_be_known
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from urlset.model.columns import Edit
    from urlset.model.document import Document
    from urlset.reading.compiled import ElementReader, MediaReader
    from urlset.reading.decode import OffsetMap
    from urlset.reading.reference import OpenTag
    from urlset.reading.vocabulary import NamespaceMap, Prefixes


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
        self._media_readers: dict[tuple[int, bool], MediaReader] = {}
        self._element_readers: dict[tuple[int, bool], ElementReader] = {}
        """by the first row of their root, and whether they read repaired rows"""

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
        text = apply_edits(document.data, place.offset, place.end, edits) if edits else b""
        element = self._quick_element(document, scope, place, text, edits) if is_compiled() else None
        if element is not None:
            return element
        text, places = text or place.cut(document.data), SourceMap(place.offset, edits)
        element = DetailReader(text, scope.frame.around(text), places).read()
        if element is None:  # declared by something around the row that is not a root
            element = DetailReader(text, scope.frame.binding(text), places).read()
        return element or Element("", "", "", place, Place(place.offset), Place(place.end), (), Value("", place), ())

    def _quick_element(
        self, document: Document, scope: RootScope, place: Place, text: bytes, edits: Sequence[Edit]
    ) -> Element | None:
        """Where nothing in the row needs expat."""
        reader = self._element_readers.get((scope.first_row, bool(edits)))
        if reader is None:
            from urlset.reading.compiled import ElementReader

            own = scope.prefixes.own
            declared = (
                prefix + b":" if prefix else b"" for prefix in scope.frame.prefixes if can_be_known(prefix.decode())
            )
            known = tuple(prefix for prefix in declared if prefix != own)[:MAX_PREFIXES]
            uris = tuple(self._namespace(scope, prefix) for prefix in (*known, own))
            reader = ElementReader(b"" if edits else document.data, own, known, uris)
            self._element_readers[scope.first_row, bool(edits)] = reader
        if edits:
            return reader.read_repaired(text, place.offset, edits if isinstance(edits, Edits) else Edits(edits))
        return reader.read(place.offset, place.end)

    def _namespace(self, scope: RootScope, prefix: bytes) -> str:
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
        start, end = columns.starts[row], columns.ends[row]
        edits = columns.edits.get(row, ()) if columns.marks[row] & Mark.SALVAGED else ()
        text = apply_edits(document.data, start, end, edits) if edits else b""
        media = None
        if scope.prefixes.kinds and is_compiled():
            reader = self._media_readers.get((scope.first_row, bool(edits)))
            if reader is None:
                reader = scope.prefixes.reader(b"" if edits else document.data)
                self._media_readers[scope.first_row, bool(edits)] = reader
            media = reader.read_repaired(text) if edits else reader.read(start, end)
        if media is not None:
            return media
        return read_media(text or document.data[start:end], scope.frame, scope.namespace_map)

    def bare_field(self, document: Document, row: int, name: str) -> int | None:
        """Where the text of a field begins if it is written as most are, found without reading the row."""
        if self._latest_field[0] != row or self._latest_field[1] != name:
            self._latest_field = (row, name, self._find_bare_field(document, row, name))
        return self._latest_field[2]

    def _find_bare_field(self, document: Document, row: int, name: str) -> int | None:
        """The only tag that begins with its name is that of the field, if what follows is the text of the column."""
        scope, columns, data = self._scope(row), document.columns, document.data
        if scope is None or scope.namespace_map.vocabulary.strict_namespace or name not in FIELD_NAMES:
            return None
        raw = None if columns.marks[row] & _UNCERTAIN else columns.text(TEXTS[FIELD_NAMES.index(name)], row)
        if not raw:
            return None
        tag, start, end = b"<" + scope.prefixes.own + name.encode(), columns.starts[row], columns.ends[row]
        found = data.find(tag, start, end)
        if found < 0 or data.find(tag, found + 1, end) >= 0 or data.find(b"xmlns", start, end) >= 0:
            return None
        return found + len(tag) + 1 if data.startswith(b">" + as_bytes(raw) + b"</", found + len(tag)) else None

    def __getstate__(self) -> dict[str, object]:
        """Copies and pickles have no compiled reader."""
        return self.__dict__ | {"_media_readers": {}, "_element_readers": {}}

    def source_offset(self, document: Document, offset: int) -> int:
        del document
        return self._offsets.source(offset)

    def instants(self, texts: list[str | None]) -> list[int | None]:
        """50,000 of them in 2 ms instead of 15."""
        from urlset.model.frames import instants  # a check needs no tables

        if not is_compiled():
            return instants(texts)
        from urlset.reading import compiled

        return compiled.instants(texts, lambda text: instants([text])[0])


def as_bytes(text: str) -> bytes:
    """As most sitemaps write it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").encode("utf-8", "surrogatepass")


_UNCERTAIN = Mark.IRREGULAR | Mark.SALVAGED
"""its elements may be repeated or nested, or its bytes are read as others"""


# One row's bytes → elements, attributes and text with the place of every character.
#
# The second look: made for single rows, when a rule, a fix or a report needs to point at something.

_NAME = lazy_pattern(rb"<([^\s/>]+)")
_ATTRIBUTE = lazy_pattern(rb"\s++([^\s=/>]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')")
_GREATER = ord(">")
_TAG_END = lazy_pattern(rb"\s*+/?>")
_PIECE = lazy_pattern(rb"&[^;]*+;|\r\n?|[\t\n]|[^&\r\t\n]+")


class SourceMap:
    """Offsets in repaired bytes → offsets in the document, by way of the edits between them."""

    def __init__(self, start: int, edits: Sequence[Edit]) -> None:
        self._steps = [(0, 0, start)]  # (in repaired text, length there, offset in source)
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
        step, length, place = self._steps[bisect_right(self._offsets, offset) - 1]
        return place + min(offset - step, length) if length else place + offset - step

    def unrepaired(self, text: bytes, start: int, end: int) -> int:
        """How far the bytes from `start` on are those of the document, without the character before a repair."""
        following = bisect_right(self._offsets, start)
        if self._steps[following - 1][1]:
            return start
        stop = self._offsets[following] if following < len(self._offsets) else end + 1
        if stop > end:
            return end
        stop -= 1
        while stop > start and text[stop] & 0xC0 == 0x80:
            stop -= 1
        return stop

    def between(self, start: int, end: int) -> Place:
        return between(self(start), self(end))


class _Open:
    """An element while its children are being collected."""

    __slots__ = (
        "attributes", "cdata", "children", "comments", "expanded", "pieces", "start", "tag_end", "written",
    )  # fmt: skip

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
            # Of the handlers: with them parser and reader hold each other until the garbage collector
            # runs.
            parser = self._parser
            parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
            parser.CommentHandler = parser.StartCdataSectionHandler = parser.EndCdataSectionHandler = None
        return self._roots[0] if self._roots else None

    def _start(self, name: str, attributes: list[str]) -> None:
        here = self._parser.CurrentByteIndex - self._frame
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
        here = self._parser.CurrentByteIndex - self._frame
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
        size = len(raw)
        if not verbatim and self._text.startswith(b"&", here):
            size = self._text.find(b";", here) + 1 - here
        elif not verbatim:
            size = 2 if self._text.startswith(b"\r\n", here) else 1
        place = self._places.between(here, here + size)
        if not verbatim or place.length == size:
            yield TextRun(text, place, verbatim)
            return
        end = here + size
        while here < end:  # with repairs inside: each character at one of them has its own place
            stop = self._places.unrepaired(self._text, here, end)
            verbatim = stop > here
            while not verbatim and (stop == here or (stop < end and self._text[stop] & 0xC0 == 0x80)):
                stop += 1
            piece = self._text[here:stop].decode("utf-8", "surrogatepass")
            yield TextRun(piece, self._places.between(here, stop), verbatim)
            here = stop

    def _comment(self, _text: str) -> None:
        if self._stack:
            here = self._parser.CurrentByteIndex - self._frame
            self._stack[-1].comments.append(self._places.between(here, self._text.find(b"-->", here + 4) + 3))

    def _start_cdata(self) -> None:
        self._in_cdata = True
        if self._stack:
            self._stack[-1].cdata = True

    def _end_cdata(self) -> None:
        self._in_cdata = False


# One row's bytes → images, videos, news, alternates, PageMap and what is unknown, without places.


class MediaNode:
    """A light element: no places."""

    __slots__ = ("attributes", "children", "end", "local", "namespace", "start", "text")

    def __init__(self, expanded: str, attributes: dict[str, str], start: int) -> None:
        self.namespace, _, self.local = expanded.rpartition(" ")
        self.attributes = attributes
        self.children: list[MediaNode] = []
        self.text: list[str] = []
        self.start = start
        self.end = start

    @property
    def value(self) -> str:
        return "".join(self.text).strip()

    def fields(self) -> dict[str, str]:
        """First value of each child, by local name."""
        found: dict[str, str] = {}
        for child in self.children:
            found.setdefault(child.local, child.value)
        return found


def nodes(text: bytes, frame: bytes) -> list[MediaNode]:
    """The children of the row element in `text`."""
    stack: list[MediaNode] = []
    parser = ParserCreate("utf-8", " ")
    parser.buffer_text = True
    skip = len(frame)

    def start(name: str, attributes: dict[str, str]) -> None:
        node = MediaNode(name, attributes, parser.CurrentByteIndex - skip)
        if stack:
            stack[-1].children.append(node)
        stack.append(node)

    def end(_name: str) -> None:
        if len(stack) > 1:
            node = stack.pop()
            here = parser.CurrentByteIndex - skip
            node.end = text.find(b">", here) + 1 if text.startswith(b"</", here) and node.start < here else here

    def characters(data: str) -> None:
        stack[-1].text.append(data)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    try:
        parser.Parse(frame + text)
    except ExpatError:
        return []
    finally:  # with its handlers the parser would stay until the garbage collector runs
        parser.StartElementHandler = parser.EndElementHandler = parser.CharacterDataHandler = None
    root = stack[0] if stack else None
    return root.children[0].children if root is not None and root.children else []


def _marked(node: MediaNode) -> Marked:
    return Marked(node.value, {name.rpartition(" ")[2]: value for name, value in node.attributes.items()})


def image(node: MediaNode) -> Image:
    fields = node.fields()
    return Image(**{name: fields.get(name) for name in Image.__struct_fields__})


VIDEO_TEXT = frozenset(
    name
    for name in Video.__struct_fields__
    if name not in {
        "player_loc", "restriction", "platform", "uploader", "gallery_loc", "tags", "prices", "content_segment_locs",
        "ids", "tvshow",
    }
)  # fmt: skip
VIDEO_MARKED = frozenset({"player_loc", "restriction", "platform", "uploader", "gallery_loc"})
VIDEO_MANY = {"price": "prices", "content_segment_loc": "content_segment_locs", "id": "ids"}


def video(node: MediaNode) -> Video:
    fields: dict[str, object] = {}
    many: dict[str, list[Marked]] = {}
    tags: list[str] = []
    for child in node.children:
        name = child.local
        if name in VIDEO_TEXT:
            fields.setdefault(name, child.value)
        elif name in VIDEO_MARKED:
            fields.setdefault(name, _marked(child))
        elif name == "tag":
            tags.append(child.value)
        elif name in VIDEO_MANY:
            many.setdefault(VIDEO_MANY[name], []).append(_marked(child))
        elif name == "tvshow":
            fields.setdefault("tvshow", child.fields())
    lists = {name: tuple(values) for name, values in many.items()}
    return Video(**fields, **lists, tags=tuple(tags))  # type: ignore[arg-type]  # names checked against the struct


def news(node: MediaNode) -> News:
    fields = node.fields()
    publication = next((child for child in node.children if child.local == "publication"), None)
    if publication is not None:
        fields |= publication.fields()
    return News(**{name: fields.get(name) for name in News.__struct_fields__})


def alternate(node: MediaNode) -> Alternate:
    get = node.attributes.get
    rel = get("rel")
    if rel == "alternate":
        rel = "alternate"  # the object that is the default, so it is omitted like other defaults
    return Alternate(get("hreflang"), get("href"), rel, get("media"))


def pagemap(node: MediaNode) -> PageMap:
    template = next((child.attributes.get("src") for child in node.children if child.local == "Template"), None)
    return PageMap(tuple(_data_object(child) for child in node.children if child.local == "DataObject"), template)


def _data_object(node: MediaNode) -> DataObject:
    attributes = tuple(
        (child.attributes.get("name"), child.attributes.get("value", child.value))
        for child in node.children
        if child.local == "Attribute"
    )
    return DataObject(node.attributes.get("type"), node.attributes.get("id"), attributes)


_MAKERS: dict[tuple[str, str], tuple[str, Callable[[MediaNode], object]]] = {
    (namespaces.IMAGE, "image"): ("images", image),
    (namespaces.VIDEO, "video"): ("videos", video),
    (namespaces.NEWS, "news"): ("news", news),
    (namespaces.XHTML, "link"): ("alternates", alternate),
    (namespaces.PAGEMAP, "pagemap"): ("pagemaps", pagemap),
}


def read_media(text: bytes, root: OpenTag, namespace_map: NamespaceMap) -> Media:
    """Everything in the row that is not a core field."""
    collected: dict[str, list[object]] = {}
    mobile: str | None = None
    unknown: list[str] = []
    for node in nodes(text, root.binding(text)):
        if namespace_map.is_core(node.namespace) and not namespace_map.vocabulary.strict_namespace:
            continue
        meant = namespaces.recognise(node.namespace)
        uri = meant.uri if meant is not None else node.namespace
        maker = _MAKERS.get((uri, node.local.lower()))
        if maker is not None:
            collected.setdefault(maker[0], []).append(maker[1](node))
        elif uri in (namespaces.MOBILE, namespaces.BAIDU_MOBILE):
            mobile = node.attributes.get("type", "")
        else:
            unknown.append(standing_alone(text[node.start : node.end], root).decode("utf-8", "replace"))
    lists = {name: tuple(values) for name, values in collected.items()}
    return Media(**lists, mobile=mobile, unknown=tuple(unknown))  # type: ignore[arg-type]  # names from _MAKERS


_DECLARED = lazy_pattern(rb"\sxmlns:([\w.\x80-\xff-]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_PREFIXED = lazy_pattern(rb"[<\s/]([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):[A-Za-z_\x80-\xff]")


def standing_alone(element: bytes, root: OpenTag) -> bytes:
    """The element with the declarations it borrows from the root, so it means the same elsewhere."""
    own = {match[1] for match in _DECLARED.finditer(element)} | {b"xml", b"xmlns"}
    used = [prefix for prefix in dict.fromkeys(_PREFIXED.findall(element)) if prefix not in own]
    borrowed = root.declarations_of(used)
    name = re.match(rb"<[^\s/>]+", element)
    if name is None or not borrowed:
        return element
    return name.group() + borrowed + element[name.end() :]
