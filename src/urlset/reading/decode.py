"""Unpacked bytes → UTF-8 working bytes, the encoding they were in, and the way back to the original offsets.

UTF-8 is never validated here: the scanners look at every byte anyway and report bad ones in place.
"""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from encodings.aliases import aliases
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


_UTF8_MARK = codecs.BOM_UTF8
_MARKS = (
    # the mark of UTF-16 begins that of UTF-32, so the longer ones come first
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NUL_PATTERNS: dict[tuple[bool, ...], str] = {
    (True, False, False, False): "utf-32-le",
    (False, False, False, True): "utf-32-be",
    (True, False, True, False): "utf-16-le",
    (False, True, False, True): "utf-16-be",
}
_DECLARED = lazy_pattern(
    rb"<\?xml\s(?:[^<?]|\?(?!>))*?\bencoding\s*=\s*(?:\"(?P<double>[^\"<]*)\"|'(?P<single>[^'<]*)')", re.IGNORECASE
)
_DECLARATION_WITHIN = 1024
_REPLACED = lazy_pattern(rb"(?:\xef\xbf\xbd)+")
_PIECE = 1 << 16
_LISTED_AT_MOST = 100
"""A file full of undecodable bytes is one trouble, not a million."""

# Python also "decodes" rot13, zlib, punycode or utf-7 by name: only real charsets, and of those only the
# ones where ASCII bytes mean ASCII, since the declaration was found by reading it as ASCII.
_CHARSETS = {
    "ascii": "us-ascii",
    "latin_1": "iso-8859-1",
    **{f"iso8859_{part}": f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)},
    **{f"cp125{digit}": f"windows-125{digit}" for digit in range(9)},
    **{f"cp{page}": f"cp{page}" for page in (437, 737, 775, 850, 852, 855, 857, 858, 862, 866)},
    "cp874": "windows-874",
    "tis_620": "tis-620",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "mac_roman": "macintosh",
    "mac_cyrillic": "x-mac-cyrillic",
    "shift_jis": "shift_jis",
    "cp932": "windows-31j",
    "euc_jp": "euc-jp",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "gb18030": "gb18030",
    "big5": "big5",
    "big5hkscs": "big5-hkscs",
    "euc_kr": "euc-kr",
    "cp949": "windows-949",
}
_WIDE = frozenset({"utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be"})
_ALIASES = {
    **aliases,
    "ucs_2": "utf_16",
    "iso_10646_ucs_2": "utf_16",
    "ucs_4": "utf_32",
    "iso_10646_ucs_4": "utf_32",
    "x_sjis": "shift_jis",
    "windows_31j": "cp932",
    "windows_874": "cp874",
    "x_mac_cyrillic": "mac_cyrillic",
}


class Decoded(msgspec.Struct, frozen=True):
    """The bytes as UTF-8 without a byte order mark, and how they were found."""

    data: bytes
    encoding: str
    """what the bytes were actually read as"""
    byte_order_mark: bool
    declared: str | None
    """the encoding of the XML declaration, as written"""
    troubles: tuple[Trouble, ...]
    map: OffsetMap


class OffsetMap:
    """Offsets in the working bytes → offsets in the unpacked bytes; here they differ by a byte order mark."""

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift

    def source(self, offset: int) -> int:
        return offset + self.shift


class TranscodedMap(OffsetMap):
    """For bytes that had to be transcoded: one pair of offsets per 64 KiB, the rest worked out when asked.

    The way from the nearest pair is found by encoding back, so nothing but the pairs is kept. That is exact
    except behind undecodable bytes of a multi-byte charset, where it may be a few bytes off up to the next
    pair.
    """

    def __init__(self, data: bytes, codec: str, working: array[int], source: array[int]) -> None:
        super().__init__(source[0])
        self._data = data
        self._codec = codec
        self._working = working
        self._source = source

    def source(self, offset: int) -> int:
        pair = min(bisect_right(self._working, offset), len(self._working) - 1) - 1
        text = self._data[self._working[pair] : offset].decode("utf-8", "ignore")
        found = self._source[pair] + len(text.encode(self._codec, "replace"))
        return min(found, self._source[pair + 1])


def decode(data: bytes) -> Decoded:
    """Never raises; hands back the very same object when the bytes are, or pass for, UTF-8 without a mark."""
    wide, mark = _wide_encoding(data)
    if wide is not None:
        return _from_wide(data, wide, mark)
    if data.startswith(_UTF8_MARK):
        return _from_marked(data)
    declared, place = _declaration(data)
    codec = _codec(declared)
    if codec == "utf_8":
        return _as_utf8(data, declared)
    if codec is None:
        return _as_utf8(data, declared, Trouble(TroubleKind.UNKNOWN_ENCODING, place, declared or ""))
    if codec not in _WIDE and data.isascii():
        return _as_utf8(data, declared, Trouble(TroubleKind.NOT_UTF8, place, f"declared {declared}"))
    if _is_utf8(data):
        return _as_utf8(data, declared, _mismatch(declared, "UTF-8", place))
    if codec in _WIDE:
        return _as_utf8(data, declared, _mismatch(declared, "8-bit", place))
    return _from_charset(data, codec)


def _as_utf8(data: bytes, declared: str | None, *troubles: Trouble) -> Decoded:
    return Decoded(data, "utf-8", byte_order_mark=False, declared=declared, troubles=troubles, map=OffsetMap())


def _from_marked(data: bytes) -> Decoded:
    working = data[len(_UTF8_MARK) :]
    troubles = [Trouble(TroubleKind.BYTE_ORDER_MARK, Place(0), "utf-8")]
    declared, place = _declaration(working)
    codec = _codec(declared)
    if codec is None:
        troubles.append(Trouble(TroubleKind.UNKNOWN_ENCODING, place, declared or ""))
    elif codec != "utf_8":
        troubles.append(_mismatch(declared, "UTF-8", place))
    shift = OffsetMap(len(_UTF8_MARK))
    return Decoded(working, "utf-8", byte_order_mark=True, declared=declared, troubles=tuple(troubles), map=shift)


def _from_wide(data: bytes, encoding: str, mark: int) -> Decoded:
    working, way_back = _transcode(data, encoding, mark)
    declared, place = _declaration(working)
    troubles = [Trouble(TroubleKind.NOT_UTF8, place, encoding)]
    codec = _codec(declared)
    if declared is not None and (codec is None or codec.replace("_", "-") not in (encoding, encoding[:6])):
        troubles.append(_mismatch(declared, encoding.upper(), place))
    troubles += _undecodable(data, working, encoding, encoding, way_back)
    return Decoded(working, encoding, mark > 0, declared, tuple(troubles), way_back)


def _from_charset(data: bytes, codec: str) -> Decoded:
    encoding = _CHARSETS[codec]
    # the other 128 values are not ASCII at all; browsers too take them for this
    reading = "cp1252" if codec == "ascii" else codec
    working, way_back = _transcode(data, reading, 0)
    declared, place = _declaration(working)
    if codec == "ascii":
        encoding = _CHARSETS[reading]
        troubles = [_mismatch(declared, encoding, place)]
    else:
        troubles = [Trouble(TroubleKind.NOT_UTF8, place, encoding)]
    troubles += _undecodable(data, working, encoding, reading, way_back)
    return Decoded(working, encoding, byte_order_mark=False, declared=declared, troubles=tuple(troubles), map=way_back)


def _wide_encoding(data: bytes) -> tuple[str | None, int]:
    """UTF-16 or UTF-32 by byte order mark or by where the zero bytes are; the length of the mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    head = data[:4]
    if any(byte and not 0x09 <= byte <= 0x7E for byte in head):  # not text, or not that simple
        return None, 0
    return _NUL_PATTERNS.get(tuple(byte != 0 for byte in head)), 0


def _declaration(data: bytes) -> tuple[str | None, Place]:
    """The declared encoding and its place; the start of the file if there is none."""
    match = _DECLARED.search(data, 0, _DECLARATION_WITHIN)
    if match is None:
        return None, Place(0)
    group = "double" if match["double"] is not None else "single"
    return match[group].decode("utf-8", "replace"), between(*match.span(group))


def _codec(declared: str | None) -> str | None:
    """The name Python has for a declared charset; None for what is none. Asks no codec to load itself."""
    if declared is None:
        return "utf_8"
    key = declared.strip().lower().replace("-", "_")
    codec = _ALIASES.get(key, key)
    return codec if codec == "utf_8" or codec in _WIDE or codec in _CHARSETS else None


def _mismatch(declared: str | None, actual: str, place: Place) -> Trouble:
    return Trouble(TroubleKind.ENCODING_MISMATCH, place, f"declared {declared}, but the bytes are {actual}")


def _is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _PIECE):
            decoder.decode(data[at : at + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _transcode(data: bytes, codec: str, start: int) -> tuple[bytes, OffsetMap]:
    """`data` from `start` as UTF-8; what cannot be decoded becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder(codec)("replace")
    out = BytesIO()
    working, source = array("Q", [0]), array("Q", [start])
    for at in range(start, len(data), _PIECE):
        end = min(at + _PIECE, len(data))
        text = decoder.decode(data[at:end], final=end == len(data))
        out.write(text.encode("utf-8", "replace"))
        working.append(out.tell())
        source.append(end - len(decoder.getstate()[0]))
    if len(working) == 1:
        working.append(0)
        source.append(start)
    result = out.getvalue()
    return result, TranscodedMap(result, codec, working, source)


def _undecodable(data: bytes, working: bytes, encoding: str, codec: str, way_back: OffsetMap) -> list[Trouble]:
    """Each run of U+FFFD that was not written as such; a hopeless file gets no endless list."""
    written = "\ufffd".encode(codec, "ignore")
    troubles: list[Trouble] = []
    for run in islice(_REPLACED.finditer(working), _LISTED_AT_MOST):
        source = data[way_back.source(run.start()) : way_back.source(run.end())]
        if source != written * (len(run.group()) // 3):
            detail = f"{source[:8].hex(' ').upper()} is not {encoding}"
            troubles.append(Trouble(TroubleKind.BAD_UTF8, between(*run.span()), detail))
    return troubles


# A range of bytes → the characters that XML does not allow, and the bytes that are not UTF-8.

CONTROL = rb"[\x00-\x08\x0b\x0c\x0e-\x1f]++|\xef\xbf[\xbe\xbf]"
_CONTROL = lazy_pattern(CONTROL)
_VALID_UTF8 = lazy_pattern(
    rb"(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*+"
)
_SHOWN = 64
"""bytes of a run that its detail spells out"""


def control_characters(data: bytes, place: Place) -> Iterator[Trouble]:
    for match in _CONTROL.finditer(data, place.offset, place.end):
        yield Trouble(TroubleKind.CONTROL_CHARACTER, between(*match.span()), repr(match.group()[:_SHOWN])[2:-1])


def undecodable(data: bytes, place: Place) -> Iterator[Trouble]:
    region = place.cut(data)
    if region.isascii():
        return
    for start, end in bad_utf8(region):
        detail = " ".join(f"{byte:02X}" for byte in region[start : min(end, start + _SHOWN)])
        yield Trouble(TroubleKind.BAD_UTF8, between(place.offset + start, place.offset + end), detail)


def bad_utf8(data: bytes) -> Iterator[tuple[int, int]]:
    """The byte ranges that are not UTF-8, neighbors joined; linear in the data."""
    start = end = -1
    at = 0
    while (match := _VALID_UTF8.match(data, at)) is not None and match.end() < len(data):
        bad = match.end()
        if bad == end:
            end += 1
        else:
            if end != -1:
                yield start, end
            start, end = bad, bad + 1
        at = bad + 1
    if end != -1:
        yield start, end


def is_xml_character(number: int) -> bool:
    return (
        number in (9, 10, 13) or 0x20 <= number <= 0xD7FF or 0xE000 <= number <= 0xFFFD or 0x10000 <= number <= 0x10FFFF
    )
