# Text as readers see it: references resolved, whitespace collapsed, cut into blocks. Included by compiled_html.pyx.

cdef enum:
    PLAIN = 0
    SPACE = 1
    OPENS = 2      # <
    REFERS = 3     # &
    WIDE = 4       # may begin whitespace outside of ASCII
    CUTS = 5       # a form feed ends a block
    NOT_TEXT = 6

cdef unsigned char[256] KIND


def _fill_kinds():
    cdef int byte
    for byte in range(256):
        KIND[byte] = (
            NOT_TEXT if byte == 0
            else CUTS if byte == 12
            else SPACE if byte in b" \t\n\r\x0b\x1c\x1d\x1e\x1f"
            else OPENS if byte == 60
            else REFERS if byte == 38
            else WIDE if byte in b"\xc2\xe1\xe2\xe3"
            else PLAIN
        )


_fill_kinds()


cdef int _wide_space(const unsigned char* text, Py_ssize_t left) noexcept nogil:
    """How many bytes of whitespace outside of ASCII are here, as Python splits text."""
    if left >= 2 and text[0] == 0xC2:
        return 2 if text[1] == 0x85 or text[1] == 0xA0 else 0
    if left < 3:
        return 0
    if text[0] == 0xE1:
        return 3 if text[1] == 0x9A and text[2] == 0x80 else 0
    if text[0] == 0xE3:
        return 3 if text[1] == 0x80 and text[2] == 0x80 else 0
    if text[0] == 0xE2 and text[1] == 0x80:
        return 3 if 0x80 <= text[2] <= 0x8A or text[2] == 0xA8 or text[2] == 0xA9 or text[2] == 0xAF else 0
    return 3 if text[0] == 0xE2 and text[1] == 0x81 and text[2] == 0x9F else 0


_REFERENCE = re.compile(r"&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+);?|[A-Za-z0-9]+;?)")
_BY_NAME = {}


class NotCertainError(Exception):
    """Only the tree builder knows."""


cdef str _character(str digits):
    """Of a numeric reference without its mark; those that are errors are left to the tree builder."""
    bare = digits.rstrip(";")
    if len(bare) > 8:
        raise NotCertainError
    number = int(bare[1:], 16) if bare[0] in "xX" else int(bare)
    if number in (9, 10, 32) or 33 <= number < 127 or 160 <= number < 0xD800 or 0xE000 <= number < 0xFDD0:
        return chr(number)
    if 0x10000 <= number < 0x110000 and number & 0xFFFE != 0xFFFE:
        return chr(number)
    raise NotCertainError


cdef dict _named():
    if not _BY_NAME:
        from html.entities import html5
        _BY_NAME.update(html5)
    return _BY_NAME


def _in_text(match):
    found = match[0][1:]
    if found[0] == "#":
        return _character(found[1:])
    known = _named()
    if found in known:
        return known[found]
    for size in range(len(found) - 1, 1, -1):
        if found[:size] in known:
            return known[found[:size]] + found[size:]
    return match[0]


def _in_attribute(match):
    """A name without its semicolon counts only if neither a letter, a digit nor an equals sign follows."""
    found = match[0][1:]
    if found[0] == "#":
        return _character(found[1:])
    known = _named()
    if found in known and (found.endswith(";") or match.string[match.end() : match.end() + 1] != "="):
        return known[found]
    return match[0]
