"""The root's open tag → its name, attributes, and namespace declarations, with their places."""

from __future__ import annotations

import msgspec

from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.spec.lazy_pattern import lazy_pattern

_ATTRIBUTE = lazy_pattern(
    rb"(?<!\s)\s++(?P<name>[^\s=/<>\"']++)\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')"
)
_NAME = lazy_pattern(rb"<[^\s/<>]*")


class TagAttribute(msgspec.Struct, frozen=True):
    """One attribute as written in the root tag."""

    name: str
    value: str
    place: Place
    """from the name to the closing quote"""
    value_place: Place
    removal: Place
    """the attribute and the whitespace before it"""

    @property
    def declares(self) -> str | None:
        """The prefix if this is a namespace declaration; empty for the default namespace."""
        if self.name == "xmlns":
            return ""
        return self.name.removeprefix("xmlns:") if self.name.startswith("xmlns:") else None


def root_attributes(document: Document) -> list[TagAttribute]:
    """In source order; empty if the document has no explicit root."""
    root = document.root
    if root is None or root.synthetic:
        return []
    found: list[TagAttribute] = []
    for match in _ATTRIBUTE.finditer(document.data, root.place.offset, root.place.end):
        group = "double" if match["double"] is not None else "single"
        found.append(
            TagAttribute(
                match["name"].decode("utf-8", "replace"),
                match[group].decode("utf-8", "replace").replace("&amp;", "&"),
                between(match.start("name"), match.end()),
                between(*match.span(group)),
                between(*match.span()),
            )
        )
    return found


def root_declarations(document: Document) -> dict[str, TagAttribute]:
    """Prefix → its declaration in the root tag."""
    return {attribute.declares: attribute for attribute in root_attributes(document) if attribute.declares is not None}


def root_head(document: Document) -> Place:
    """`<urlset` without the rest of the tag; the first byte if the document has no explicit root."""
    root = document.root
    if root is None or root.synthetic:
        return Place(0)
    match = _NAME.match(document.data, root.place.offset)
    return between(*match.span()) if match else Place(root.place.offset)
