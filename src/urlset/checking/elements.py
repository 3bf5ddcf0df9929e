"""Elements and namespaces as written → what they mean, and the bytes of their value."""

from __future__ import annotations

from urlset.model.element import Element
from urlset.model.place import Place
from urlset.spec import namespaces


def value_place(element: Element) -> Place:
    """The bytes of an element's text, trimmed; the element if it has none."""
    text = element.value.text
    stripped = text.strip()
    return element.value.locate(text.index(stripped), len(stripped)) if stripped else element.place


def means(namespace: str) -> str:
    """The intended namespace."""
    recognised = namespaces.recognise(namespace)
    return namespace if recognised is None else recognised.uri


def lacks(element: Element, attribute: str) -> bool:
    """Whether there is no such attribute in any case; S015 reports one in the wrong case."""
    return not any(each.local.lower() == attribute and not each.namespace for each in element.attributes)


def is_core(namespace: str) -> bool:
    return namespace == "" or means(namespace) == namespaces.SITEMAP
