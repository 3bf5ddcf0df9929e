"""One `<xhtml:link>` → its unprefixed attributes, and whether it is an alternate."""

from __future__ import annotations

from urllib.parse import unquote

from urlset.model.element import Attribute, Element
from urlset.model.place import Place
from urlset.rules import LinkSet


class AlternateLink:
    """The relevant attributes; a prefixed attribute is a different attribute."""

    def __init__(self, element: Element) -> None:
        self.element = element
        plain = {attribute.local: attribute for attribute in element.attributes if not attribute.namespace}
        self.rel = plain.get("rel")
        self.hreflang = plain.get("hreflang")
        self.href = plain.get("href")
        self.media = plain.get("media")
        self.type = plain.get("type")
        self.language = text_of(self.hreflang)
        """the hreflang value, trimmed; empty if there is none"""
        self.address = text_of(self.href)

    @property
    def is_alternate(self) -> bool:
        return "alternate" in text_of(self.rel).lower().split()


def links_of(link_set: LinkSet) -> list[AlternateLink]:
    links: list[AlternateLink] | None = link_set.shared.get("links")
    if links is None:
        links = link_set.shared["links"] = [AlternateLink(element) for element in link_set.elements]
    return links


def text_of(attribute: Attribute | None) -> str:
    return "" if attribute is None else attribute.value.text.strip()


def part_of(attribute: Attribute, start: int, end: int) -> Place:
    """The bytes of characters `start` to `end` of the trimmed value."""
    text = attribute.value.text
    return attribute.value.locate(len(text) - len(text.lstrip()) + start, end - start)


def whole_of(attribute: Attribute) -> Place:
    """The bytes of the trimmed value; the whole attribute if the value is empty."""
    text = text_of(attribute)
    return part_of(attribute, 0, len(text)) if text else attribute.place


def roughly(address: str) -> str:
    """The URL without common differences: scheme, www, case, percent-encoding, trailing slash."""
    rest = unquote(address, errors="replace").casefold().partition("://")[2] or address.casefold()
    return rest.removeprefix("www.").rstrip("/")
