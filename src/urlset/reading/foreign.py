"""A root that may belong to another XML format → whether its document is a sitemap or feed after all.

The names of rows are ordinary words: ASP.NET and Dynamics 365 call their navigation `<siteMap>`, Sitecore has `<item>`,
dictionaries have `<entry>`. And `<feed>` or `<rdf:RDF>` occur inside images and settings. A name alone decides for
`<urlset>`, `<sitemapindex>` and `<rss>` only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from urlset.model.document import Kind
from urlset.spec import namespaces
from urlset.spec.foreign_xml import BY_NAMESPACE
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.model.document import Root
    from urlset.reading.vocabulary import Vocabulary

_LOOK_AT = 1 << 18
_MARKUP = lazy_pattern(
    rb"<(?P<close>/?)(?:[\w.\x80-\xff-]+:)?(?P<name>[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+)(?P<rest>[^<>]*+)>|(?P<skip><!--|<!\[CDATA\[)"
)
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_XMLNS = lazy_pattern(rb"\sxmlns(?::[\w.\x80-\xff-]+)?\s*=\s*[\"']([^\"'<]*)[\"']")
_WRITTEN_NAME = lazy_pattern(rb"<([^\s/<>]+)")
_ROOTS_BY_NAME_ALONE = frozenset({b"urlset", b"sitemapindex"})


def has_rows(data: bytes, at: int, vocabulary: Vocabulary) -> bool:
    """Whether the element at `at`, which has the name of a row, holds a field of such a row.

    The field may be in a row inside it, but not in an element of another name: then this is another format.
    """
    known = {*vocabulary.roots, *vocabulary.rows, *vocabulary.containers}
    others: list[str] = []
    for name, closes, empty in _tags(data, at):
        if name in vocabulary.fields and not closes and not others:
            return True
        if name in known or empty:
            continue
        if not closes:
            others.append(name)
        elif name in others:
            del others[others.index(name) :]
    return False


def is_foreign(data: bytes, root: Root, vocabulary: Vocabulary) -> bool:
    """Whether a root with the name of a feed's root belongs to another format."""
    if root.synthetic or not vocabulary.strict_namespace:
        return False
    if root.local.lower() == "rdf":
        return not any(uri.lower() == namespaces.RSS10 or "/rdf/simple/" in uri for uri in root.declared.values())
    if vocabulary.kind is not Kind.ATOM or root.namespace.startswith("urn:unbound:"):
        return False
    if root.namespace:
        return "atom" not in root.namespace.lower()
    return all(name != "entry" for name, _, _ in _tags(data, root.place.end))


def encloses(data: bytes, at: int, known: int) -> bool:
    """Whether the element at `at` is the root of another format, and a sitemap or feed at `known` a part of it.

    A warning or a banner in front of a sitemap is closed before it, or never. A sitemap inside an element without a
    namespace is read: the element was put around it by mistake.
    """
    outer, inner = _MARKUP.match(data, at), _MARKUP.match(data, known)
    if outer is None or inner is None or outer["skip"] or inner["skip"]:
        return False
    written = _WRITTEN_NAME.match(outer.group())
    assert written is not None
    uris = [uri.decode("utf-8", "replace") for uri in _XMLNS.findall(outer["rest"])]
    is_plain = b":" not in written[1] and not any(uri in BY_NAMESPACE for uri in uris)
    if is_plain and inner["name"].lower() in _ROOTS_BY_NAME_ALONE:
        return False
    name = outer["name"].decode("utf-8", "replace").lower()
    depth = sum((-1 if closes else 1) for each, closes, empty in _tags(data, at, known) if each == name and not empty)
    return depth > 0 and data.rfind(b"</" + written[1], known) > known


def first_child(data: bytes, root: Root) -> str:
    """The name of the first element inside the root, in lowercase; empty if there is none."""
    return next((name for name, closes, _ in _tags(data, root.place.end) if not closes), "")


def _tags(data: bytes, at: int, end: int | None = None) -> Iterator[tuple[str, bool, bool]]:
    """Local name in lowercase, whether it closes, whether it is empty; none of comments and sections."""
    stop = min(len(data), at + _LOOK_AT) if end is None else end
    while (tag := _MARKUP.search(data, at, stop)) is not None:
        at = tag.end()
        if tag["skip"] is None:
            yield tag["name"].decode("utf-8", "replace").lower(), bool(tag["close"]), tag["rest"].endswith(b"/")
        elif (at := data.find(_ENDS[tag["skip"]], at, stop)) == -1:
            return
