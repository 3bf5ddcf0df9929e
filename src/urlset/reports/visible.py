"""Text from any source → safe text: one line, no control characters, no hidden characters."""

from __future__ import annotations

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
