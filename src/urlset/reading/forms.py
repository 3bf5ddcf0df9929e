"""The bytes of an entry → its form, which is all its markup, and its values; most entries share a few forms."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.spec.lazy_pattern import lazy_pattern

_VALUE = lazy_pattern(
    rb"""[>=\[-](?:(?<==)(?<!\brel=)(?<!\bhreflang=)["'])?+("""
    rb"""(?<=>)\s*+[^<]++(?=<)|(?<==")[^"<]*+(?=")|(?<==')[^'<]*+(?=')|"""
    rb"""(?<=<!\[CDATA\[)[^\]<]*+(?:(?:\](?!\]>)|<(?!!))[^\]<]*+)*+(?=\]\]>)|(?<=<!--)[^-]*+(?:-(?!-)[^-]*+)*+(?=-->))"""
)
"""What rel and hreflang say is the same in most entries, so it is part of the form, and so is mere whitespace."""
_HOLE = "\ue000{}\ue001"
HOLE = lazy_pattern(_HOLE.format("([0-9]+)"))
"""what a template has for a value"""


def split(written: bytes) -> list[bytes]:
    """Every other part is a value; what begins and ends it is left out."""
    return _VALUE.split(written)


def form_of(parts: Sequence[bytes]) -> bytes:
    """The same for entries of one form only."""
    return b"\0".join(parts[::2])


def template(parts: Sequence[bytes]) -> bytes:
    """The entry with the number of each part that is a value in its place."""
    pieces = [parts[0]]
    for place in range(1, len(parts), 2):
        behind = parts[place + 1]
        pieces += (BEFORE[behind[:1]], _HOLE.format(place).encode(), behind)
    return b"".join(pieces)


BEFORE = {b"<": b">", b'"': b'="', b"'": b"='", b"]": b"[", b"-": b"-"}
"""by what comes behind a value"""
