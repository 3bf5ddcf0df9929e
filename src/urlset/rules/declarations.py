"""Namespace declarations anywhere in a sitemap → the intended namespace, whether it is used, and what is wrong."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator

import msgspec

from urlset.findings.finding import quoted
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Fix, Problem, Safety, Sitemap
from urlset.rules.xml.wellformed import TagAttribute, root_declarations
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Recognised, Spelling, recognise

_INNER = lazy_pattern(rb"\sxmlns(?::([\w.-]+))?\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_PREFIXED = lazy_pattern(rb"(?<=[</ \t\r\n])[^\s<>/:=\"']++(?=:)")


class Declared(msgspec.Struct, frozen=True):
    """One prefix bound to one URI, wherever it is declared."""

    prefix: str
    uri: str
    starts: array[int]
    """where the URI begins in each declaration"""
    size: int
    """of the URI, in bytes"""
    attribute: TagAttribute | None = None
    """the declaration in the root tag, if there is one"""

    @property
    def places(self) -> tuple[Place, ...]:
        """The URI in each declaration. A valid file may declare prefixes in each entry, and needs none of them."""
        return tuple(Place(start, self.size) for start in self.starts)

    @property
    def recognised(self) -> Recognised | None:
        return recognise(self.uri)

    @property
    def meant(self) -> str:
        return self.uri if self.recognised is None else self.recognised.uri


def declared_namespaces(sitemap: Sitemap) -> list[Declared]:
    """Ordered by first occurrence; in the root and on inner elements."""
    return sitemap.cached("declared_namespaces", lambda: _find(sitemap))


def _find(sitemap: Sitemap) -> list[Declared]:
    document = sitemap.document
    found: dict[tuple[str, str, int], Declared] = {}
    for prefix, attribute in root_declarations(document).items():
        place = attribute.value_place
        key = prefix, attribute.value, place.length
        found[key] = Declared(prefix, attribute.value, array("Q", [place.offset]), place.length, attribute)
    start = document.root.place.end if document.root is not None else 0
    if sitemap.last_of(b"xmlns") < start:
        return list(found.values())
    alike: dict[tuple[bytes | None, ...], Declared] = {}
    for match in _in_tags(_INNER.finditer(sitemap.data, start), sitemap.data, start):
        if sitemap.has_tags_in_comments and sitemap.is_in_comment(match.start()):
            continue
        declared = alike.get(written := match.groups())
        if declared is None:
            uri = written[1] if written[1] is not None else written[2] or b""
            key = (written[0] or b"").decode(), uri.decode("utf-8", "replace"), len(uri)
            declared = alike[written] = found.setdefault(key, Declared(*key[:2], array("Q"), len(uri)))
        declared.starts.append(match.end() - 1 - declared.size)
    return list(found.values())


def _in_tags(found: Iterable[re.Match[bytes]], data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Those behind a `<`; what looks like a declaration may also be a part of a text."""
    inside, at = False, start
    for match in found:
        opened, closed = data.rfind(b"<", at, match.start()), data.rfind(b">", at, match.start())
        inside, at = opened > closed or (inside and opened == closed), match.start()
        if inside:
            yield match


def is_used(sitemap: Sitemap, declared: Declared) -> bool:
    """Whether an element or attribute has the prefix; a declaration on an inner element counts as used."""
    if not declared.prefix or declared.attribute is None or f"{declared.prefix}:".encode() in sitemap.columns.prefixes:
        return True
    return declared.prefix.encode() in sitemap.cached("used_prefixes", lambda: _used_prefixes(sitemap))


def _used_prefixes(sitemap: Sitemap) -> set[bytes]:
    """What a declaration has in its own value does not count."""
    own = {prefix.encode(): declared.place for prefix, declared in root_declarations(sitemap.document).items()}
    begin = max((place.end for place in own.values()), default=0)
    elsewhere = Place(0)
    used = {
        found.group()
        for found in _PREFIXED.finditer(sitemap.data, 0, begin)
        if not (there := own.get(found.group(), elsewhere)).offset <= found.start() < there.end
    }
    for span in sitemap.columns.beside_usual(begin, len(sitemap.data)):
        used.update(_PREFIXED.findall(sitemap.data, *span))
    return used


def rewrite(declared: Declared, uri: str, safety: Safety = Safety.SAFE) -> Fix:
    """Replace the URI in all declarations."""
    return Fix(f"write {uri}", tuple(Edit(place, uri.encode()) for place in declared.places), safety)


def only_https(recognised: Recognised) -> bool:
    return recognised.faults == (Spelling.HTTPS,)


def wrong_uris(sitemap: Sitemap, namespace: str, local: str, effect: str) -> Iterator[Problem]:
    """Wrong URIs that are in use for the namespace of an extension with that element, one problem for each.

    The usual prefix shows which one is meant if the URI does not. A URI that only differs in https has its own rule for
    all namespaces, and the root's default namespace has others.
    """
    usual, data, found = namespaces.BY_URI[namespace].prefix, sitemap.data, dict[str, list[Place]]()
    for declared in declared_namespaces(sitemap) if sitemap.extended else ():
        meant, prefix, tag = declared.recognised, declared.prefix, f"<{declared.prefix}:".encode()
        if meant is None:
            is_wrong = prefix.lower() == usual
        elif meant.uri == namespace:
            is_wrong = not meant.exact and not only_https(meant)
        else:  # a second root may bind the prefix to what its own entries use it for
            tag += local.encode()
            is_here = declared.attribute is not None or data.startswith(tag, data.rfind(b"<", 0, declared.starts[0]))
            is_wrong = prefix.lower() == usual and is_here
        if is_wrong and (tag in data if prefix else declared.attribute is None):
            found.setdefault(declared.uri, []).extend(declared.places)
    for uri, places in found.items():
        edits = tuple(Edit(place, namespace.encode()) for place in sorted(places))
        yield Problem(
            min(places),
            f"{quoted(uri)} is not the {effect} are ignored; write {namespace}",
            Fix(f"write {namespace}", edits, Safety.REVIEW if recognise(uri) is None else Safety.SAFE),
            count=len(places),
            places=sorted(places),
        )
