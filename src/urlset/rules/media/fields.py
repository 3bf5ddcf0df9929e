"""An extension element and its field table → fields that are present, missing, repeated, or too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from urlset.checking.elements import means
from urlset.model.element import Element
from urlset.model.place import Place
from urlset.rules import Engine, Problem
from urlset.rules.quoting import quoted
from urlset.spec.fields import ElementSpec, FieldSpec

GOOGLE = (Engine.GOOGLE,)
GOOGLE_AND_SCHEMA = (Engine.GOOGLE, Engine.XSD_STRICT)
SCHEMA = (Engine.XSD_STRICT,)


def is_own(parent: Element, child: Element) -> bool:
    """In the parent's own namespace, even if either is misspelled."""
    return child.namespace == parent.namespace or means(child.namespace) == means(parent.namespace)


def fields(parent: Element, local: str) -> list[Element]:
    """The children with that name in the parent's own namespace."""
    own = parent.namespace
    return [
        child for child in parent.children if child.local == local and (child.namespace == own or is_own(parent, child))
    ]


def known_fields(parent: Element, specs: Mapping[str, FieldSpec]) -> Iterator[tuple[FieldSpec, Element]]:
    """The fields in the table, with their entries, in source order."""
    for child in parent.children:
        spec = specs.get(child.local)
        if spec is not None and is_own(parent, child):
            yield spec, child


def field(spec: ElementSpec, name: str) -> FieldSpec:
    """A field that must be in the table."""
    found = spec.field(name)
    assert found is not None, f"{spec.name} has no field {name}"
    return found


def table(spec: ElementSpec, wanted: Callable[[FieldSpec], bool]) -> dict[str, FieldSpec]:
    """The fields of a table that a rule needs, by name."""
    return {each.name: each for each in spec.fields if wanted(each)}


def text_of(parent: Element, local: str) -> str:
    """The first value of that field, trimmed; empty if absent."""
    return next((child.text for child in fields(parent, local)), "")


def filled(element: Element) -> bool:
    return bool(element.text or element.children)


def part(element: Element, start: int, end: int) -> Place:
    """The bytes of characters `start` to `end` of the trimmed text."""
    text = element.value.text
    lead = len(text) - len(text.lstrip())
    return element.value.locate(lead + start, end - start)


def missing(parent: Element, spec: ElementSpec, name: str, cost: str) -> Iterator[Problem]:
    """One problem if the field is absent or always empty."""
    found = fields(parent, name)
    tag = f"<{spec.namespace}:{name}>"
    if any(child.local.lower() == name and is_own(parent, child) for child in parent.children if child not in found):
        return  # S015 reports the wrong case
    if not found:
        stray = next((child for child in parent.children if child.local == name), None)
        hint = f" (<{stray.written}> is in another namespace)" if stray is not None else ""
        yield Problem(parent.open_tag, f"{tag} is missing{hint}, so {cost}; add it")
    elif not any(filled(element) for element in found):
        yield Problem(found[0].place, f"{tag} is empty, so {cost}; add a value")


def repeated(parent: Element, spec: ElementSpec, once: Mapping[str, FieldSpec]) -> Iterator[Problem]:
    """One problem for each field beyond the first."""
    seen: set[str] = set()
    for each, element in known_fields(parent, once):
        if each.name in seen:
            yield Problem(
                element.open_tag,
                f"second <{spec.namespace}:{each.name}>, and it is undefined which one is used; keep one",
            )
        seen.add(each.name)


def too_long(element: Element, limit: int, who: str) -> Iterator[Problem]:
    """The characters beyond the limit."""
    text = element.text
    if len(text) > limit:
        yield Problem(
            part(element, limit, len(text)),
            f"{quoted(text[:40] + '…')} has {len(text):,} characters; {who} at most {limit:,}",
        )
