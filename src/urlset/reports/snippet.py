"""An excerpt → the line as shown, and the position of the carets."""

from __future__ import annotations

import unicodedata

import msgspec

from urlset.findings.finding import Excerpt
from urlset.reports.text_width import cells
from urlset.reports.visible import escaped, is_hidden

_TAB = "    "
_LEAD = 12
"""columns kept before a problem that is too long to show"""


class Snippet(msgspec.Struct, frozen=True):
    """One line of a file, safe to show; `indent` and `carets` in columns."""

    text: str
    indent: int
    carets: int


def snippet(excerpt: Excerpt, room: int) -> Snippet:
    """The part of the line around the problem that fits into `room` columns, with … where it was cut."""
    start = min(max(excerpt.start, 0), len(excerpt.text))
    end = min(start + max(excerpt.length, 0), len(excerpt.text))
    shown = [_shown(char, marked=start <= at < end) for at, char in enumerate(excerpt.text)]
    widths = [cells(piece) for piece in shown]
    room = max(room, 2 * _LEAD)
    low, high = _window(widths, start, end, room, both_ends=excerpt.cut_left + excerpt.cut_right)
    left = "…" if low > 0 or excerpt.cut_left else ""
    right = "…" if high < len(shown) or excerpt.cut_right else ""
    return Snippet(
        f"{left}{''.join(shown[low:high])}{right}",
        len(left) + sum(widths[low:start]),
        max(1, sum(widths[start : min(end, high)])),
    )


def _shown(char: str, *, marked: bool) -> str:
    """Whitespace inside the problem must be visible."""
    if char == "\t" and not marked:
        return _TAB
    if is_hidden(char) or (marked and char != " " and unicodedata.category(char) == "Zs"):
        return escaped(char)
    return char


def _window(widths: list[int], start: int, end: int, room: int, *, both_ends: int) -> tuple[int, int]:
    """Start and end: the problem first, then its surroundings, evenly."""
    if sum(widths) + both_ends <= room:
        return 0, len(widths)
    room -= 2
    low = high = start
    used = 0
    lead = min(_LEAD, room // 3) if sum(widths[start:end]) > room - _LEAD else 0
    while high < end and used + widths[high] <= room - lead:
        used += widths[high]
        high += 1
    grew = True
    while grew:
        grew = False
        if low > 0 and used + widths[low - 1] <= room:
            low -= 1
            used += widths[low]
            grew = True
        if high < len(widths) and used + widths[high] <= room and (high >= end or low == 0):
            used += widths[high]
            high += 1
            grew = True
    return low, high
