"""Which element plays which part, for each kind of document, in any spelling and with any declared prefix."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from functools import cache, lru_cache
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING

import msgspec

from urlset.model.document import Kind
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.model.document import Root
    from urlset.reading.compiled import MediaReader


class ElementRole(IntEnum):
    """What the scanner does with an element."""

    LOC = 0
    LASTMOD = 1
    CHANGEFREQ = 2
    PRIORITY = 3
    ROW = 4
    EXTENSION = 5
    UNKNOWN = 6
    LINK_ATTRIBUTE = 7
    """Atom: the URL is in an attribute"""
    CONTAINER = 8
    """between root and rows, such as <channel>"""
    FALLBACK_LASTMOD = 9
    """a date to use only when the better one is absent"""
    PERMALINK = 10
    """RSS: a guid that is an address, for items without a link"""


DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"
FIELDS = (ElementRole.LOC, ElementRole.LASTMOD, ElementRole.CHANGEFREQ, ElementRole.PRIORITY)
FIELD_NAMES = ("loc", "lastmod", "changefreq", "priority")


class Vocabulary(msgspec.Struct, frozen=True):
    """Local names (lowercase) of one kind of document."""

    kind: Kind
    roots: tuple[str, ...]
    rows: tuple[str, ...]
    fields: dict[str, ElementRole]
    containers: tuple[str, ...] = ()
    strict_namespace: bool = False
    """True when elements of unknown namespaces are never taken for core ones"""


_SITEMAP_FIELDS = dict(zip(FIELD_NAMES, FIELDS, strict=True))
URLSET = Vocabulary(Kind.URLSET, ("urlset",), ("url", "sitemap"), _SITEMAP_FIELDS)
SITEMAPINDEX = Vocabulary(Kind.SITEMAPINDEX, ("sitemapindex",), ("sitemap", "url"), _SITEMAP_FIELDS)
RSS = Vocabulary(
    Kind.RSS,
    ("rss", "rdf"),
    ("item",),
    {
        "link": ElementRole.LOC,
        "pubdate": ElementRole.LASTMOD,
        "date": ElementRole.FALLBACK_LASTMOD,
        "guid": ElementRole.PERMALINK,
    },
    containers=("channel",),
    strict_namespace=True,
)
ATOM = Vocabulary(
    Kind.ATOM,
    ("feed",),
    ("entry",),
    {
        "link": ElementRole.LINK_ATTRIBUTE,
        "updated": ElementRole.LASTMOD,
        "modified": ElementRole.LASTMOD,
        "published": ElementRole.FALLBACK_LASTMOD,
        "issued": ElementRole.FALLBACK_LASTMOD,
    },
    strict_namespace=True,
)
VOCABULARIES = (URLSET, SITEMAPINDEX, RSS, ATOM)
BY_ROOT = {root: vocabulary for vocabulary in VOCABULARIES for root in vocabulary.roots}
BY_ROW = {"url": URLSET, "sitemap": SITEMAPINDEX, "item": RSS, "entry": ATOM}


class Cast(msgspec.Struct, frozen=True):
    """The part an element plays, and whether it is spelled exactly as in the protocol."""

    role: ElementRole
    exact: bool


class NamespaceMap:
    """Expanded element name → part, worked out once per distinct name of a document."""

    def __init__(self, vocabulary: Vocabulary, root_namespace: str) -> None:
        self.vocabulary = vocabulary
        self.root_namespace = root_namespace
        self.known: dict[str, Cast] = {}

    def __call__(self, expanded: str) -> Cast:
        known = self.known.get(expanded)
        if known is None:
            known = self.known[expanded] = self._cast(expanded)
        return known

    def _cast(self, expanded: str) -> Cast:
        namespace, _, local = expanded.rpartition(" ")
        lower = local.lower()
        if not self.is_core(namespace):
            if self.vocabulary.kind is Kind.RSS and (namespace, lower) == (DUBLIN_CORE, "date"):
                return Cast(ElementRole.FALLBACK_LASTMOD, exact=True)
            return Cast(ElementRole.EXTENSION, exact=True)
        exact = local == lower or (self.vocabulary.kind is Kind.RSS and local == "pubDate")
        if lower in self.vocabulary.rows:
            wanted = self.vocabulary.rows[0]
            return Cast(ElementRole.ROW, exact and lower == wanted)
        if lower in self.vocabulary.fields:
            return Cast(self.vocabulary.fields[lower], exact)
        if lower in self.vocabulary.containers:
            return Cast(ElementRole.CONTAINER, exact)
        feed = self.vocabulary.strict_namespace
        return Cast(ElementRole.EXTENSION if feed else ElementRole.UNKNOWN, exact=feed)

    def is_core(self, namespace: str) -> bool:
        if namespace in ("", self.root_namespace):
            return True
        if self.vocabulary.strict_namespace:
            return namespace == namespaces.RSS10 and self.vocabulary.kind is Kind.RSS
        recognised = namespaces.recognise(namespace)
        return recognised is not None and recognised.uri == namespaces.SITEMAP


# The offset of a tag → the tag, and the name in it; what can be a name.


def tag_at(data: bytes, at: int) -> bytes:
    """The whole open tag that begins at `at`."""
    tag = _TAG.match(data, at)
    assert tag is not None
    return tag.group()


def name_at(data: bytes, at: int) -> bytes:
    """The name in the tag that begins at `at`."""
    name = _NAME.match(data, at)
    assert name is not None
    return name[1]


@lru_cache(256)
def is_name(found: bytes) -> bool:
    """Whether expat accepts what a pattern found: names can have letters of any script, but not every character."""
    if found.isascii():
        return True
    try:
        ParserCreate("utf-8").Parse(b"<" + found + b"/>", True)
    except ExpatError:
        return False
    return True


_TAG = lazy_pattern(rb"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")
_NAME = lazy_pattern(rb"</?([^\s/<>]++)")


MAX_PREFIXES = 32
"""a root may declare thousands; each is tried at every element"""
_KINDS = {namespaces.IMAGE: 1, namespaces.VIDEO: 2, namespaces.NEWS: 3, namespaces.XHTML: 4}
"""as the compiled reader of media counts them"""


class Prefixes(msgspec.Struct, frozen=True):
    """The prefix of the core elements, with its colon, and those of other namespaces."""

    own: bytes
    known: tuple[bytes, ...]
    kinds: bytes
    """for each known one the kind of media; 0 for none"""

    def reader(self, data: bytes) -> MediaReader:
        from urlset.reading.compiled import MediaReader

        return MediaReader(data, self.own, self.known, self.kinds)


class FeedNames(msgspec.Struct, frozen=True):
    """What the compiled scanner needs to read the items of a feed."""

    prefixes: tuple[bytes, ...]
    meaning: Callable[[bytes], int]
    """namespaces that are declared inside an item, as in `declared_inside`"""
    words: tuple[bytes, bytes, tuple[tuple[bytes, int], ...], bytes]
    """the elements with address and date, all names that mean something, and the prefixes of Dublin Core"""


_ROW_NAME, _FIELD_NAME, _LINK, _SPARE_DATE, _SPARE_LOC = range(1, 6)
"""as compiled code calls them"""
_MEANINGS = {
    ElementRole.LINK_ATTRIBUTE: _LINK,
    ElementRole.FALLBACK_LASTMOD: _SPARE_DATE,
    ElementRole.PERMALINK: _SPARE_LOC,
}


def feed_names(root: Root, namespace_map: NamespaceMap) -> FeedNames:
    vocabulary = namespace_map.vocabulary
    known = _other_prefixes(root, namespace_map)
    words = {name: _MEANINGS.get(role, _FIELD_NAME) for name, role in vocabulary.fields.items()}
    words |= dict.fromkeys(vocabulary.containers, _FIELD_NAME) | dict.fromkeys(vocabulary.rows, _ROW_NAME)
    is_rss = vocabulary.kind is Kind.RSS

    def meaning(written: bytes) -> int:
        uri = written.decode()
        if uri == namespace_map.root_namespace:
            return SAME_AS_CORE
        return -1 if uri in _RESERVED or uri == DUBLIN_CORE or namespace_map.is_core(uri) else 0

    return FeedNames(
        tuple(f"{prefix}:".encode() if prefix else b"" for prefix, _ in known),
        cache(meaning),
        (
            b"link" if is_rss else b"",
            b"pubDate" if is_rss else b"updated",
            tuple((name.encode(), number) for name, number in words.items()),
            bytes(is_rss and uri == DUBLIN_CORE for _, uri in known),
        ),
    )


def prefixes(root: Root, namespace_map: NamespaceMap) -> Prefixes:
    """Nothing is known in kinds of documents whose fields may be of several namespaces."""
    core = root.written.rpartition(":")[0]
    known = [] if namespace_map.vocabulary.strict_namespace else _other_prefixes(root, namespace_map)
    return Prefixes(
        f"{core}:".encode() if core else b"",
        tuple(f"{prefix}:".encode() if prefix else b"" for prefix, _ in known),
        bytes(_KINDS.get(_meant(uri), 0) for _, uri in known),
    )


def _other_prefixes(root: Root, namespace_map: NamespaceMap) -> list[tuple[str, str]]:
    """Those of other namespaces than that of the core elements, and what they mean."""
    core = root.written.rpartition(":")[0]
    return sorted(
        (prefix, uri)
        for prefix, uri in root.declared.items()
        if prefix != core and can_be_known(prefix) and not namespace_map.is_core(uri)
    )[:MAX_PREFIXES]


def can_be_known(prefix: str) -> bool:
    return re.fullmatch(r"(?:[A-Za-z_][\w-]*)?", prefix) is not None


def _meant(uri: str) -> str:
    recognised = namespaces.recognise(uri)
    return uri if recognised is None else recognised.uri


_RESERVED = frozenset({"http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"})
SAME_AS_CORE = -2


def declared_inside(written: bytes, core: str) -> int:
    """A namespace that is declared inside an entry → 0, or a number as compiled code expects for core elements.

    -1 for all that may be core elements in another spelling: only the reference reader tells.
    """
    uri = written.decode()
    if uri == core:
        return SAME_AS_CORE
    return -1 if uri in _RESERVED or _meant(uri) == namespaces.SITEMAP else 0
