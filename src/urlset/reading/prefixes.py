"""The prefixes that a root declares → those that a scanner can rely on, and what elements with them are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from urlset.model.document import Kind
from urlset.reading.vocabulary import DUBLIN_CORE, ElementRole
from urlset.spec import namespaces

if TYPE_CHECKING:
    from urlset.model.document import Root
    from urlset.reading.compiled import MediaReader
    from urlset.reading.vocabulary import NamespaceMap

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
