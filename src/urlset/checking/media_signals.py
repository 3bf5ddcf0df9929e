"""The images, videos, news and links of entries → signals, and the links that are ordinary.

The compiled `MediaJudge` goes by a table (`media_fields`). What it cannot take apart for sure raises all signals of
media, and so does every entry with media without compiled modules: right, only slower.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import NamedTuple

from urlset.checking.elements import means
from urlset.checking.media_fields import media_of
from urlset.checking.media_values import is_language_tag
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind
from urlset.reading.prefixes import MAX_PREFIXES, declared_inside
from urlset.reading.prolog import assumed_namespace
from urlset.reading.scanner import is_compiled
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

ALL = (
    (Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF | Signal.LINK_SELF)
    | (Signal.CAPTIONED | Signal.MEDIA_MISSING | Signal.MEDIA_SHAPE)
    | (Signal.MEDIA_ADDRESS | Signal.MEDIA_TEXT | Signal.MEDIA_DATE | Signal.MEDIA_VALUE)
)
_STRANGE = 255
"""the kind of a prefix that only a closer look can tell"""
_NAMESPACES = (namespaces.IMAGE, namespaces.VIDEO, namespaces.NEWS, namespaces.XHTML)
"""kinds are counted from 1, as in compiled code"""
_OF_MEDIA = frozenset({*_NAMESPACES, namespaces.MEDIA})
_DECLARED = lazy_pattern(rb"xmlns(?::[^\s=]+)?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_PREFIX = lazy_pattern(r"(?:[A-Za-z_][A-Za-z0-9_-]*)?")
_EVERY_KIND = bytes((*range(len(_NAMESPACES) + 1), _STRANGE))


class RowLinks(NamedTuple):
    """What the links of an entry say, where all of them are ordinary."""

    languages: tuple[str, ...]
    """in lowercase"""
    hrefs: tuple[str, ...]


def media_signals(document: Document, now: datetime, links: dict[int, RowLinks]) -> Iterable[int]:
    """For each row, in order; ordinary links are noted."""
    root, columns = document.root, document.columns
    several = document.troubles.has(TroubleKind.TWO_ROOTS)
    if root is None or document.kind is not Kind.URLSET or several or not is_compiled():
        raised = ALL if _may_have_media(document) else 0
        return [raised if mark & Mark.EXTENDED else 0 for mark in columns.marks]
    core = root.written.rpartition(":")[0]
    unbound = document.troubles.of((TroubleKind.UNBOUND_PREFIX,))
    kinds = _kinds(root.declared | {each.detail: assumed_namespace(each.detail) for each in unbound}, core)
    from urlset.reading.compiled import MediaJudge

    own = f"{core}:".encode() if core else b""
    known = tuple(f"{prefix}:".encode() if prefix else b"" for prefix in kinds)
    tests, by_number = (RowLinks, is_language_tag), bytes(kinds.values()) + _EVERY_KIND
    meaning = cache(lambda uri: _meaning(kinds, uri, root.namespace))
    judge = MediaJudge(document.data, own, known, by_number, media_of(now), tests, ALL, meaning)
    return judge.signals(columns, links)


def _may_have_media(document: Document) -> bool:
    """Whether any namespace of media is declared in the document, in whatever spelling, or assumed."""
    if document.troubles.has(TroubleKind.UNBOUND_PREFIX, TroubleKind.MISSING_ROOT, TroubleKind.BROKEN_ROOT):
        return True
    declared = {one or other for one, other in _DECLARED.findall(document.data)}
    return any(b"&" in uri or means(uri.decode("utf-8", "replace")) in _OF_MEDIA for uri in declared)


def _kinds(declared: dict[str, str], core: str) -> dict[str, int]:
    """Prefixes of other namespaces → what their elements are; 0 for none of the media."""
    found: dict[str, int] = {}
    for prefix, uri in sorted(declared.items()):
        meant = namespaces.recognise(uri)
        is_core = meant is not None and meant.uri == namespaces.SITEMAP
        if prefix != core and not is_core and uri and _PREFIX.fullmatch(prefix):
            found[prefix] = _kind(uri)
    return dict(list(found.items())[:MAX_PREFIXES])


def _kind(uri: str) -> int:
    """What elements of this namespace are, which is not that of the core elements."""
    if uri in _NAMESPACES:
        return 1 + _NAMESPACES.index(uri)
    meant = namespaces.recognise(uri)
    return _STRANGE if meant is not None and meant.uri in _NAMESPACES else 0


def _meaning(kinds: dict[str, int], uri: bytes, core: str) -> int:
    """A namespace that is declared inside an entry → the number of its kind; -1 when it is not certain."""
    foreign = declared_inside(uri, core)
    return foreign if foreign < 0 else len(kinds) + _EVERY_KIND.index(_kind(uri.decode()))
