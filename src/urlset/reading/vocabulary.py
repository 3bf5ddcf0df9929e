"""Which element plays which part, for each kind of document, in any spelling of the element."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from pyexpat import ExpatError, ParserCreate

import msgspec

from urlset.model.document import Kind
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern


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
