"""Namespace declarations anywhere in a sitemap → the intended namespace, and whether it is used."""

from __future__ import annotations

import msgspec

from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.rules import Fix, Safety, Sitemap
from urlset.rules.structure.kept import kept
from urlset.rules.xml.root_tag import TagAttribute, root_declarations
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Recognised, Spelling, recognise

_INNER = lazy_pattern(rb"\sxmlns(?::(?P<prefix>[\w.-]+))?\s*=\s*(?:\"(?P<double>[^\"<]*)\"|'(?P<single>[^'<]*)')")
_PREFIXED = lazy_pattern(rb"(?<=[</ \t\r\n])[^\s<>/:=\"']++(?=:)")
_FEW = 16
"""prefixes that are looked for one by one, which is quicker than a pass over all of them"""
OWN_CODE = frozenset({namespaces.IMAGE, namespaces.NEWS, namespaces.XHTML})
"""namespaces whose URI is checked by the rules of their extension"""


class Declared(msgspec.Struct, frozen=True):
    """One prefix bound to one URI, wherever it is declared."""

    prefix: str
    uri: str
    places: tuple[Place, ...]
    """the URI in each declaration"""
    attribute: TagAttribute | None = None
    """the declaration in the root tag, if there is one"""

    @property
    def recognised(self) -> Recognised | None:
        return recognise(self.uri)

    @property
    def meant(self) -> str:
        return self.uri if self.recognised is None else self.recognised.uri


def declared_namespaces(sitemap: Sitemap) -> list[Declared]:
    """Ordered by first occurrence; in the root and on inner elements."""
    return kept(sitemap, "declared_namespaces", lambda: _find(sitemap))


def _find(sitemap: Sitemap) -> list[Declared]:
    document = sitemap.document
    found = {
        (prefix, attribute.value): Declared(prefix, attribute.value, (attribute.value_place,), attribute)
        for prefix, attribute in root_declarations(document).items()
    }
    start = document.root.place.end if document.root is not None else 0
    if sitemap.last_of(b"xmlns") < start:
        return list(found.values())
    places: dict[tuple[str, str], list[Place]] = {key: list(item.places) for key, item in found.items()}
    for match in _INNER.finditer(sitemap.data, start):
        group = "double" if match["double"] is not None else "single"
        key = ((match["prefix"] or b"").decode(), match[group].decode("utf-8", "replace"))
        places.setdefault(key, []).append(between(*match.span(group)))
    return [
        Declared(*key, tuple(there), found[key].attribute if key in found else None) for key, there in places.items()
    ]


def is_used(sitemap: Sitemap, declared: Declared) -> bool:
    """Whether an element or attribute has the prefix; a declaration on an inner element counts as used."""
    if not declared.prefix or declared.attribute is None:
        return True
    if len(declared_namespaces(sitemap)) > _FEW:
        return declared.prefix.encode() in kept(sitemap, "used_prefixes", lambda: _used_prefixes(sitemap))
    data, name = sitemap.data, declared.prefix.encode() + b":"
    own = declared.attribute.place
    at = data.find(name, 0)
    while at != -1:
        if data[at - 1 : at] in (b"<", b"/", b" ", b"\t", b"\r", b"\n") and not own.offset <= at < own.end:
            return True
        at = data.find(name, at + 1)
    return False


def _used_prefixes(sitemap: Sitemap) -> set[bytes]:
    """All of them in one pass; what a declaration has in its own value does not count."""
    own = {
        item.prefix.encode(): item.attribute.place
        for item in declared_namespaces(sitemap)
        if item.attribute is not None
    }
    elsewhere = Place(0)
    return {
        match.group()
        for match in _PREFIXED.finditer(sitemap.data)
        if not (there := own.get(match.group(), elsewhere)).offset <= match.start() < there.end
    }


def rewrite(declared: Declared, uri: str, safety: Safety = Safety.SAFE) -> Fix:
    """Replace the URI in all declarations."""
    return Fix(f"write {uri}", tuple(Edit(place, uri.encode()) for place in declared.places), safety)


def only_https(recognised: Recognised) -> bool:
    return recognised.faults == (Spelling.HTTPS,)
