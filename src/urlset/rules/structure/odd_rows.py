"""Entries that are not in canonical form, and elements outside all entries."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import Kind, Sitemap
from urlset.rules.structure.kept import kept
from urlset.spec.lazy_pattern import lazy_pattern

SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX)
_MARKUP = lazy_pattern(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    rb"|<(?P<close>/?)(?P<name>[A-Za-z_\x80-\xff][^\s/<>\"'=]*)(?P<rest>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)>",
    re.DOTALL,
)
_DECLARED = lazy_pattern(rb"\sxmlns(?::([\w.\x80-\xff-]+))?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_HARMLESS = (TroubleKind.STRAY_TEXT, TroubleKind.UNBOUND_PREFIX)


def marked_rows(sitemap: Sitemap, marks: int) -> list[int]:
    """Entries that have one of the marks of the reader."""
    with_it = bytes(mark for mark in range(256) if mark & marks)
    written = sitemap.columns.marks
    if len(written.translate(None, with_it)) == len(written):
        return []
    return [row for row, mark in enumerate(written) if mark & marks]


class Outside(msgspec.Struct, frozen=True):
    """An element directly below the root that is not an entry."""

    written: str
    namespace: str
    open_tag: Place
    place: Place
    """the whole element, up to the next entry"""
    before_first: bool


def outside_elements(sitemap: Sitemap) -> list[Outside]:
    """Other elements between the entries of a urlset or index, where the bytes are well-formed."""
    return kept(sitemap, "outside_elements", lambda: list(_find_outside(sitemap)))


def _find_outside(sitemap: Sitemap) -> Iterator[Outside]:
    root = sitemap.document.root
    if root is None or root.synthetic or not sitemap.columns.outside:
        return
    columns, data = sitemap.columns, sitemap.data
    ends = [root.place.end, *columns.ends]
    starts = [*columns.starts, len(data)]
    troubled = sitemap.document.troubles.offsets(but=_HARMLESS)
    for number, (end, start) in enumerate(zip(ends, starts, strict=True)):
        if start - end > 2 and data.find(b"<", end, start) != -1:
            at = bisect_left(troubled, end)
            if at == len(troubled) or troubled[at] > start:
                yield from _elements(sitemap, end, start, before_first=number == 0)


def _elements(sitemap: Sitemap, start: int, end: int, *, before_first: bool) -> Iterator[Outside]:
    data = sitemap.data
    depth = 0
    opened: re.Match[bytes] | None = None
    for tag in _MARKUP.finditer(data, start, end):
        if tag["name"] is None:
            continue
        if tag["close"]:
            depth -= 1
            if depth == 0 and opened is not None:
                yield _outside(sitemap, opened, tag.end(), before_first=before_first)
                opened = None
            depth = max(0, depth)
            continue
        if depth == 0:
            opened = tag
        if not tag["rest"].endswith(b"/"):
            depth += 1
        elif depth == 0:
            yield _outside(sitemap, tag, tag.end(), before_first=before_first)
            opened = None
    if opened is not None:
        yield _outside(sitemap, opened, opened.end(), before_first=before_first)


def _outside(sitemap: Sitemap, tag: re.Match[bytes], end: int, *, before_first: bool) -> Outside:
    written = tag["name"].decode("utf-8", "replace")
    prefix = written.rpartition(":")[0]
    declared = {
        (own[1] or b"").decode(): (own[2] if own[2] is not None else own[3]).decode("utf-8", "replace")
        for own in _DECLARED.finditer(tag["rest"])
    }
    root = sitemap.document.root
    namespace = declared.get(prefix, root.declared.get(prefix, "") if root is not None else "")
    return Outside(written, namespace, between(*tag.span()), between(tag.start(), end), before_first)
