"""Text → its width in terminal columns, and lines that fit a width."""

from __future__ import annotations

import unicodedata

from urlset.reports.visible import visible


def char_cells(char: str) -> int:
    """0 for combining marks, 2 for wide characters, otherwise 1."""
    if " " <= char <= "~":
        return 1
    if unicodedata.category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(char_cells, text))


def wrap(text: str, width: int, *, elide: bool = True) -> list[str]:
    """Escaped and broken at spaces; a longer word is elided in the middle, or kept whole for copying."""
    width = max(width, 12)
    lines: list[str] = []
    line, used = "", 0
    for whole_word in visible(" ".join(text.split())).split(" "):
        word = middle_out(whole_word, width) if elide else whole_word
        taken = cells(word)
        if line and used + 1 + taken > width:
            lines.append(line)
            line, used = word, taken
        elif line:
            line, used = f"{line} {word}", used + 1 + taken
        else:
            line, used = word, taken
    return [*lines, line]


def middle_out(text: str, width: int) -> str:
    """At most `width` columns, with … in place of the middle."""
    if cells(text) <= width:
        return text
    room = width - 1
    head = _fitting(text, room - room // 2)
    tail = _fitting(text[::-1], room // 2)[::-1]
    return f"{head}…{tail}"


def _fitting(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += char_cells(char)
        if used > width:
            return text[:at]
    return text
