"""Text of any origin → text that nothing acts upon: one line, no control characters, no hidden marks."""

from __future__ import annotations

from urlset.spec.lazy_pattern import lazy_pattern

_HIDDEN = (
    "\x00-\x1f\x7f-\x9f"  # controls, among them the escape that starts a terminal command
    "\xad\u061c\u115f\u1160\u180e\u3164\uffa0"  # letters and hyphens that nobody sees
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"  # zero width, line ends of another kind, reordering
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"  # no characters at all
    "\U000e0000-\U000e007f"  # tags
)
_UNSAFE = lazy_pattern(f"[{_HIDDEN}]")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """Whatever could harm, or hide, is written as Python would: \\n, \\x1b, \\u202e."""
    if text.isascii() and text.isprintable():  # as nearly always: nothing is hidden there
        return text
    return _UNSAFE.sub(lambda found: escaped(found[0]), text)


def is_hidden(char: str) -> bool:
    return _UNSAFE.match(char) is not None


def escaped(char: str) -> str:
    """One character in the notation of Python."""
    if char in _NAMED:
        return _NAMED[char]
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"  # a byte of a file name that is not UTF-8
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def whole(text: str) -> str:
    """Only half characters are escaped: they cannot be written as UTF-8."""
    return _SURROGATE.sub(lambda found: escaped(found[0]), text)


def json_safe(encoded: str) -> str:
    """JSON text in which no hidden character stands raw: still JSON, still the same values."""
    return _UNSAFE.sub(lambda found: _json_escape(found[0]), encoded)


def _json_escape(char: str) -> str:
    if char == "\n":
        return char  # json.dumps escapes those inside strings; this one lays out the file
    number = ord(char)
    if number <= 0xFFFF:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
