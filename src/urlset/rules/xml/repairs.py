"""Troubles → the edits that let the parser continue, and the entries that are lost."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from urlset.fixing.markup import says_an_address
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.rules import Sitemap
from urlset.spec.lazy_pattern import lazy_pattern


def with_edits(sitemap: Sitemap, *kinds: TroubleKind) -> Iterator[tuple[Trouble, Edit | None]]:
    """The troubles of these kinds, each with the edit that fixes it if an entry was recovered."""
    troubles = sitemap.document.troubles
    if not troubles.has(*kinds):
        return
    edits = sitemap.columns.edits.matched(troubles.places())
    for at, (kind, edit) in enumerate(zip(troubles.kinds(), edits, strict=True)):
        if kind in kinds:
            yield troubles[at], edit


def outside_edit(data: bytes, trouble: Trouble) -> Edit | None:
    """The edit for a problem outside all entries: between them, or in the root tag."""
    place = trouble.place
    text = place.cut(data)
    match trouble.kind:
        case TroubleKind.MISMATCHED_TAG:
            return None if _ROOT_CLOSE.match(text) or not text.startswith(b"</") else Edit(place, b"")
        case TroubleKind.DUPLICATE_ATTRIBUTE:
            return Edit(place, b"")
        case TroubleKind.OTHER_MALFORMED:
            return None if not text or says_an_address(text) else Edit(place, b"")
        case TroubleKind.CDATA_END_IN_TEXT:
            return Edit(place, b"]]&gt;")
        case TroubleKind.STRAY_LT:
            doubled = data[place.offset + 1 : place.offset + 2] == b"<"
            return Edit(Place(place.offset, 1), b"" if doubled else b"&lt;")
        case TroubleKind.BAD_ATTRIBUTE if unquoted := _UNQUOTED.fullmatch(text):
            return Edit(place, b' %s="%s"' % (unquoted[1], unquoted[2]))
        case TroubleKind.BAD_ATTRIBUTE:
            return Edit(place, b"")
    return None


_ROOT_CLOSE = lazy_pattern(rb"</\s*(?:[\w.\x80-\xff-]+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b", re.IGNORECASE)
_UNQUOTED = lazy_pattern(
    rb"\s+([A-Za-z_\x80-\xff][\w.\x80-\xff-]*(?::[A-Za-z_\x80-\xff][\w.\x80-\xff-]*)?)\s*=\s*([^\s<>\"'&]+)"
)


def fixed_comment(data: bytes, place: Place) -> Edit:
    """The comment with its text, but without `--` inside and without `-` at the end."""
    inner = place.cut(data)[4:-3]
    while b"--" in inner:
        inner = inner.replace(b"--", b"- -")
    return Edit(place, b"<!--" + inner + (b" -->" if inner.endswith(b"-") else b"-->"))


def nested_comment(data: bytes, place: Place) -> Place | None:
    """The content of a comment with nested comments, if all of them are closed; None otherwise."""
    if b"<!--" not in place.cut(data)[4:]:
        return None
    depth = 0
    for mark in _COMMENT_MARKS.finditer(data, place.offset):
        depth += 1 if mark.group() == b"<!--" else -1
        if depth == 0:
            return between(place.offset, mark.end())
    return None


_COMMENT_MARKS = lazy_pattern(rb"<!--|-->")


def cost_of(sitemap: Sitemap) -> Callable[[Place], str]:
    """A function place → the end of a message: that the entry is unreadable, if so."""
    lost = [trouble.place for trouble in sitemap.troubles(TroubleKind.ENTRY_LOST)]
    starts = [place.offset for place in lost]
    if not lost:
        return lambda _place: ""

    def cost(place: Place) -> str:
        at = bisect_right(starts, place.offset) - 1
        return ", so the entry is unreadable" if at >= 0 and place.offset <= lost[at].end else ""

    return cost
