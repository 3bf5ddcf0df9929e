"""An element to remove → the bytes to delete, without leaving a blank line."""

from __future__ import annotations

from urlset.model.place import Place, between

_BLANKS = b" \t"


def with_its_line(data: bytes, place: Place) -> Place:
    """The place itself; if it is alone on its lines, with the line break and indent before it."""
    start = place.offset
    while start and data[start - 1] in _BLANKS:
        start -= 1
    if data[start - 1 : start] != b"\n":
        return place
    start -= 2 if data[start - 2 : start] == b"\r\n" else 1
    after = data[place.end : place.end + 200].lstrip(_BLANKS)
    return between(start, place.end) if after[:1] in (b"", b"\n", b"\r") else place
