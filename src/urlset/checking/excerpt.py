"""A place in a document → the line to show, windowed around the fault."""

from __future__ import annotations

from urlset.findings.finding import Excerpt
from urlset.model.document import Document
from urlset.model.place import Place

WIDTH = 96
"""characters of a line that are kept"""
_REACH = 4096
"""bytes looked at on either side: a line may be a whole minified sitemap"""


def excerpt(document: Document, place: Place) -> Excerpt | None:
    """None for an empty document."""
    data = document.data
    if not data:
        return None
    offset = min(place.offset, len(data))
    start = max(data.rfind(b"\n", 0, offset) + 1, offset - _REACH)
    newline = data.find(b"\n", offset, offset + place.length + _REACH)
    end = newline if newline != -1 else min(len(data), offset + _REACH)
    end = max(end, offset)
    before = data[start:offset].decode("utf-8", "replace").lstrip("\ufffd")
    fault = data[offset : min(place.end, end)].decode("utf-8", "replace")
    after = data[min(place.end, end) : end].decode("utf-8", "replace").rstrip("\r")
    shown = fault[:WIDTH]
    whole = before.lstrip() if start == data.rfind(b"\n", 0, offset) + 1 else before
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
