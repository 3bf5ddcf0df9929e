"""One row's bytes → images, videos, news, alternates, PageMap and what is unknown, without places."""

from __future__ import annotations

import re
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

from urlset.model.media import Alternate, DataObject, Image, Marked, Media, News, PageMap, Video
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlset.reading.frame import OpenTag
    from urlset.reading.vocabulary import NamespaceMap


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
    if name
    not in {
        "player_loc",
        "restriction",
        "platform",
        "uploader",
        "gallery_loc",
        "tags",
        "prices",
        "content_segment_locs",
        "ids",
        "tvshow",
    }
)
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
