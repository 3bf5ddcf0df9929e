"""Missing or redundant links → byte edits in the row."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.model.columns import Edit, Mark
from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.rules.hreflang.sets import escaped
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_PREFIX = lazy_pattern(rb"<([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):link[\s/>]")
_LINK = lazy_pattern(rb"[ \t\r\n]*<[A-Za-z_\x80-\xff][\w.\x80-\xff-]*:link(?:\s(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)?/>")
_BLANK = b" \t\r\n"


def add_links(document: Document, row: int, links: Iterable[tuple[str, str]]) -> Edit | None:
    """Add (language, URL) links at the end of the row; None if that is not safe."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD):
        return None
    data, place = document.data, document.place(row)
    prefix = _prefix(document, place)
    close = data.rfind(b"</", place.offset, place.end)
    inside = data.find(b">", place.offset, place.end) + 1
    if prefix is None or close <= inside:
        return None
    first = data.find(b"<", inside, place.end)
    behind = close - len(data[inside:close]) + len(data[inside:close].rstrip(_BLANK))
    indent = data[inside:first]
    text = b"".join(indent + _written(prefix, language, address) for language, address in links)
    return Edit(Place(behind), text) if not indent.strip(_BLANK) else None


def add_entry(document: Document, row: int, address: str, links: Iterable[tuple[str, str]]) -> Edit | None:
    """Add an entry for the URL after the row, formatted like it; None if that is not safe."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD):
        return None
    data, place = document.data, document.place(row)
    prefix = _prefix(document, place)
    inside = data.find(b">", place.offset, place.end) + 1
    close = data.rfind(b"</", place.offset, place.end)
    if prefix is None or close <= inside:
        return None
    before = data[data.rfind(b">", 0, place.offset) + 1 : place.offset]
    indent = data[inside : data.find(b"<", inside, place.end)]
    opening, closing = data[place.offset : inside], data[close : place.end]
    if before.strip(_BLANK) or indent.strip(_BLANK):
        return None
    loc = opening.strip(b"<>").rpartition(b":")[0]
    loc = loc + b":loc" if loc else b"loc"
    ending = data[inside:close][len(data[inside:close].rstrip(_BLANK)) :]
    text = before + opening + indent + b"<%s>%s</%s>" % (loc, escaped(address).encode(), loc)
    text += b"".join(indent + _written(prefix, *link) for link in links) + ending + closing
    return Edit(Place(place.end), text)


def _written(prefix: str, language: str, address: str) -> bytes:
    return f'<{prefix}:link rel="alternate" hreflang="{escaped(language)}" href="{escaped(address)}"/>'.encode()


def _prefix(document: Document, place: Place) -> str | None:
    """The prefix of the first link in the row; another that the root binds to XHTML if it does not bind that one."""
    written = _PREFIX.search(document.data, place.offset, place.end)
    own = None if written is None else written[1].decode()
    declared = document.root.declared if document.root is not None else {}
    bound = [prefix for prefix, uri in declared.items() if prefix and uri == namespaces.XHTML]
    return own if own in bound or not bound else bound[0]


def drop_links(document: Document, row: int, count: int) -> tuple[Edit, ...]:
    """Delete all links of the row with the space before them; nothing unless exactly `count` are found."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD | Mark.COMMENTED):
        return ()
    place = document.place(row)
    found = [between(*match.span()) for match in _LINK.finditer(document.data, place.offset, place.end)]
    return tuple(Edit(place, b"") for place in found) if len(found) == count else ()
