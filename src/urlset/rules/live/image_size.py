"""The first bytes of an image → its width and height, if they contain them."""

from __future__ import annotations

from collections.abc import Callable

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG segments that contain the size"""
_LONE = frozenset({0x01, *range(0xD0, 0xD8)})
"""JPEG segments without a length"""
_MOST_SEGMENTS = 1000


def image_size(data: bytes) -> tuple[int, int] | None:
    """PNG, GIF, BMP, WebP, and JPEG; None for other formats or truncated data."""
    for head, read in _READERS.items():
        if data.startswith(head):
            try:
                return read(data)
            except IndexError:
                return None
    return None


def _number(data: bytes, start: int, length: int, *, big: bool = False) -> int:
    piece = data[start : start + length]
    if len(piece) < length:
        raise IndexError
    return int.from_bytes(piece, "big" if big else "little")


def _png(data: bytes) -> tuple[int, int]:
    return _number(data, 16, 4, big=True), _number(data, 20, 4, big=True)


def _gif(data: bytes) -> tuple[int, int]:
    return _number(data, 6, 2), _number(data, 8, 2)


def _bmp(data: bytes) -> tuple[int, int]:
    height = _number(data, 22, 4)
    return _number(data, 18, 4), height if height < 1 << 31 else (1 << 32) - height  # stored top-down


def _webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if data[8:12] != b"WEBP":
        return None
    if kind == b"VP8 ":
        return _number(data, 26, 2) & 0x3FFF, _number(data, 28, 2) & 0x3FFF
    if kind == b"VP8L":
        bits = _number(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _number(data, 24, 3) + 1, _number(data, 27, 3) + 1
    return None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(_MOST_SEGMENTS):
        while data[at] != 0xFF:
            at += 1
        kind = data[at + 1]
        if kind == 0xFF:
            at += 1
        elif kind in _FRAMES:
            return _number(data, at + 7, 2, big=True), _number(data, at + 5, 2, big=True)
        elif kind in _LONE:
            at += 2
        elif kind == 0xDA:
            return None  # the image data: no size came before
        else:
            at += 2 + _number(data, at + 2, 2, big=True)
    return None


_READERS: dict[bytes, Callable[[bytes], tuple[int, int] | None]] = {
    b"\x89PNG\r\n\x1a\n": _png,
    b"GIF8": _gif,
    b"BM": _bmp,
    b"RIFF": _webp,
    b"\xff\xd8": _jpeg,
}
