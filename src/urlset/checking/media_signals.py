"""The images, videos, news and links of entries → signals, and the links that are ordinary.

Both judges go by the same table (`media_fields`): this one in Python, and `MediaJudge` in compiled code. What they
cannot take apart for sure raises all signals of media: right, only slower.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from urlset.checking.media_fields import media_of
from urlset.checking.media_judge import ALL, STRANGE, PythonJudge, RowLinks
from urlset.checking.media_values import is_language_tag
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind, Root
from urlset.model.trouble import TroubleKind
from urlset.reading.prefixes import MAX_PREFIXES
from urlset.reading.scanner import is_compiled
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_NAMESPACES = (namespaces.IMAGE, namespaces.VIDEO, namespaces.NEWS, namespaces.XHTML)
"""kinds are counted from 1, as in compiled code"""
_PREFIX = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_-]*")


def media_signals(document: Document, now: datetime, links: dict[int, RowLinks]) -> Iterable[int]:
    """For each row, in order; ordinary links are noted."""
    root, columns = document.root, document.columns
    several = document.troubles.has(TroubleKind.TWO_ROOTS)
    if root is None or document.kind is not Kind.URLSET or several:
        return [ALL if mark & Mark.EXTENDED else 0 for mark in columns.marks]
    core = root.written.rpartition(":")[0]
    kinds = _kinds(root, core)
    if is_compiled():
        from urlset.reading.compiled import MediaJudge

        own, known = f"{core}:".encode() if core else b"", tuple(f"{prefix}:".encode() for prefix in kinds)
        tests = (RowLinks, is_language_tag)
        judge = MediaJudge(document.data, own, known, bytes(kinds.values()), media_of(now), tests, ALL)
        return judge.signals(columns, links)
    return PythonJudge(core, kinds, media_of(now)).signals(document, links)


def _kinds(root: Root, core: str) -> dict[str, int]:
    """Prefixes of other namespaces → what their elements are; 0 for none of the media."""
    found: dict[str, int] = {}
    for prefix, uri in sorted(root.declared.items()):
        meant = namespaces.recognise(uri)
        is_core = meant is not None and meant.uri == namespaces.SITEMAP
        if prefix and prefix != core and not is_core and uri and _PREFIX.fullmatch(prefix):
            if uri in _NAMESPACES:
                found[prefix] = 1 + _NAMESPACES.index(uri)
            else:
                found[prefix] = STRANGE if meant is not None and meant.uri in _NAMESPACES else 0
    return dict(list(found.items())[:MAX_PREFIXES])
