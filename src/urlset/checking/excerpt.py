"""A place in a document → the line to show, cut to a window around it."""

from __future__ import annotations

from urlset.findings.finding import Excerpt
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.spec.lazy_pattern import lazy_pattern

WIDTH = 96
"""maximum characters of a line"""
_REACH = 4096
"""bytes searched on either side: a line may be a whole minified sitemap"""
_LINE_END = lazy_pattern(rb"[\r\n]")


def excerpt(document: Document, place: Place) -> Excerpt | None:
    """None for an empty document."""
    data = document.data
    if not data:
        return None
    offset = min(place.offset, len(data))
    reach = max(0, offset - _REACH)
    start = _line_start(data, reach, offset)
    line_end = _LINE_END.search(data, offset, offset + place.length + _REACH)
    end = line_end.start() if line_end is not None else min(len(data), offset + _REACH)
    before = data[start:offset].decode("utf-8", "replace").lstrip("\ufffd")
    fault = data[offset : min(place.end, end)].decode("utf-8", "replace")
    after = data[min(place.end, end) : end].decode("utf-8", "replace")
    shown = fault[:WIDTH]
    whole = before.lstrip() if start > reach or not start else before
    if len(whole) + len(fault) + len(after) <= WIDTH:
        return Excerpt(whole + fault + after, len(whole), len(fault), cut_right=place.end > end)
    room = max(16, (WIDTH - len(shown)) // 2)
    left, right = before[-room:], after[: max(0, WIDTH - len(shown) - min(room, len(before)))]
    trimmed = left.lstrip() if left == before else left
    return Excerpt(
        trimmed + shown + right,
        len(trimmed),
        len(shown),
        cut_left=len(before) > len(left),
        cut_right=len(after) > len(right) or len(fault) > len(shown) or place.end > end,
    )


def _line_start(data: bytes, reach: int, offset: int) -> int:
    """After the last line end, at most as far back as `reach`; LF, CR, or both end a line."""
    inside = data[offset - 1 : offset + 1] == b"\r\n"
    breaks = (data.rfind(b"\n", reach, offset), data.rfind(b"\r", reach, offset - inside))
    return max(reach, max(breaks) + 1)
