"""The images, videos, news and links of entries → signals, and the links that are ordinary.

Both judges go by the same table (`media_fields`): this one in Python, and `MediaJudge` in compiled code. What they
cannot take apart for sure raises all signals of media: right, only slower.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache

from urlset.checking.elements import means
from urlset.checking.media_fields import media_of
from urlset.checking.media_forms import LINK, STRANGE
from urlset.checking.media_judge import ALL, PythonJudge, RowLinks
from urlset.checking.media_values import is_language_tag
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind
from urlset.reading.prefixes import MAX_PREFIXES, declared_inside
from urlset.reading.prolog import assumed_namespace
from urlset.reading.scanner import is_compiled
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_NAMESPACES = (namespaces.IMAGE, namespaces.VIDEO, namespaces.NEWS, namespaces.XHTML)
"""kinds are counted from 1, as in compiled code"""
_OF_MEDIA = frozenset({*_NAMESPACES, namespaces.MEDIA})
_DECLARED = lazy_pattern(rb"xmlns(?::[^\s=]+)?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_PREFIX = lazy_pattern(r"(?:[A-Za-z_][A-Za-z0-9_-]*)?")
_EVERY_KIND = bytes((*range(LINK + 1), STRANGE))


def media_signals(document: Document, now: datetime, links: dict[int, RowLinks]) -> Iterable[int]:
    """For each row, in order; ordinary links are noted."""
    root, columns = document.root, document.columns
    several = document.troubles.has(TroubleKind.TWO_ROOTS)
    if root is None or document.kind is not Kind.URLSET or several:
        raised = ALL if _may_have_media(document) else 0
        return [raised if mark & Mark.EXTENDED else 0 for mark in columns.marks]
    core = root.written.rpartition(":")[0]
    unbound = document.troubles.of((TroubleKind.UNBOUND_PREFIX,))
    kinds = _kinds(root.declared | {each.detail: assumed_namespace(each.detail) for each in unbound}, core)
    if is_compiled():
        from urlset.reading.compiled import MediaJudge

        own = f"{core}:".encode() if core else b""
        known = tuple(f"{prefix}:".encode() if prefix else b"" for prefix in kinds)
        tests, by_number = (RowLinks, is_language_tag), bytes(kinds.values()) + _EVERY_KIND
        meaning = cache(lambda uri: _meaning(kinds, uri, root.namespace))
        judge = MediaJudge(document.data, own, known, by_number, media_of(now), tests, ALL, meaning)
        return judge.signals(columns, links)
    return PythonJudge(core, kinds, media_of(now)).signals(document, links)


def _may_have_media(document: Document) -> bool:
    """Whether any namespace of media is declared in the document, in whatever spelling."""
    if document.troubles.has(TroubleKind.UNBOUND_PREFIX):
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
    return STRANGE if meant is not None and meant.uri in _NAMESPACES else 0


def _meaning(kinds: dict[str, int], uri: bytes, core: str) -> int:
    """A namespace that is declared inside an entry → the number of its kind; -1 when it is not certain."""
    foreign = declared_inside(uri, core)
    return foreign if foreign < 0 else len(kinds) + _EVERY_KIND.index(_kind(uri.decode()))
