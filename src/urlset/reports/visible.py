"""Text from any source → safe text: one line, no control characters, no hidden characters."""

from __future__ import annotations

import unicodedata

import msgspec

from urlset.findings.card import Severity
from urlset.findings.finding import Excerpt
from urlset.spec.lazy_pattern import lazy_pattern

_HIDDEN = (
    "\x00-\x1f\x7f-\x9f"  # control characters, including the escape that starts a terminal command
    "\xad\u061c\u115f\u1160\u180e\u3164\uffa0"  # invisible letters and hyphens
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, other line ends, reordering
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"  # noncharacters and lone surrogates
    "\U000e0000-\U000e007f"  # tags
)
_UNSAFE = lazy_pattern(f"[{_HIDDEN}]")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """Harmful or hidden characters are escaped as in Python: \\n, \\x1b, \\u202e."""
    if text.isascii() and text.isprintable():  # the common case: nothing hidden
        return text
    return _UNSAFE.sub(lambda found: escaped(found[0]), text)


def cut(text: str, longest: int) -> str:
    """Visible, and elided in the middle if it is long."""
    return visible(f"{text[: longest // 2]}…{text[-longest // 2 :]}" if len(text) > longest else text)


def is_hidden(char: str) -> bool:
    return _UNSAFE.match(char) is not None


def escaped(char: str) -> str:
    """One character in Python notation."""
    if char in _NAMED:
        return _NAMED[char]
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"  # a byte of a file name that is not UTF-8
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def whole(text: str) -> str:
    """Only lone surrogates are escaped: they cannot be encoded as UTF-8."""
    return _SURROGATE.sub(lambda found: escaped(found[0]), text)


def json_safe(encoded: str) -> str:
    """JSON text without raw hidden characters: still JSON, with the same values."""
    return _UNSAFE.sub(lambda found: _json_escape(found[0]), encoded)


def _json_escape(char: str) -> str:
    if char == "\n":
        return char  # json.dumps escapes those inside strings; this one is layout
    number = ord(char)
    if number <= 0xFFFF:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"


# Text → the same text in color, if color is enabled.

_CODES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "blue": "1;34", "green": "32", "cyan": "36"}
_SEVERITIES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


class Palette:
    """A small table of ANSI colors; without color the text is unchanged."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, name: str, text: str) -> str:
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self._color and text else text

    def severity(self, severity: Severity, text: str) -> str:
        return self(_SEVERITIES[severity], text)


# Text → its width in terminal columns, and lines that fit a width.


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


# An excerpt → the line as shown, and the position of the carets.

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
