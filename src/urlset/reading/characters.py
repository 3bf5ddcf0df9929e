"""A range of bytes → the characters that XML does not allow, and the bytes that are not UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

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
