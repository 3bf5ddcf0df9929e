"""An element or value to remove or rewrite → byte edits that keep the XML well-formed."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.checking.elements import value_place
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.element import Attribute, Element
from urlset.model.place import Place, between
from urlset.rules import Fix, Safety

_BLANK = b" \t\r\n"


def rewrite(document: Document, element: Element, text: str, title: str, safety: Safety = Safety.SAFE) -> Fix | None:
    """Replace the value with `text`; None if the value consists of several pieces."""
    place = value_place(element)
    old = place.cut(document.data)
    if b"<" in old or b"]]>" in old:
        return None
    new = text if _inside_cdata(document, element, place) else _escaped(text)
    return Fix(title, (Edit(place, new.encode("utf-8", "surrogatepass")),), safety)


def _inside_cdata(document: Document, element: Element, place: Place) -> bool:
    before = document.data[element.open_tag.end : place.offset]
    return before.rfind(b"<![CDATA[") > before.rfind(b"]]>")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def drop(document: Document, elements: Sequence[Element], title: str, safety: Safety) -> Fix:
    """Remove the elements, and the line of each one that is alone on its line."""
    return Fix(title, tuple(Edit(with_its_line(document.data, element.place), b"") for element in elements), safety)


def drop_attribute(document: Document, attribute: Attribute, title: str) -> Fix:
    """Remove the attribute with the whitespace before it."""
    start = attribute.place.offset
    while document.data[start - 1 : start] and document.data[start - 1 : start] in _BLANK:
        start -= 1
    return Fix(title, (Edit(between(start, attribute.place.end), b""),))


def reorder(document: Document, elements: Sequence[Element], wanted: Sequence[Element], title: str) -> Fix:
    """Swap the elements; the text between them stays."""
    edits = tuple(
        Edit(here.place, there.place.cut(document.data))
        for here, there in zip(elements, wanted, strict=True)
        if here is not there
    )
    return Fix(title, edits)
