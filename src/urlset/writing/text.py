"""Addresses → the bytes of a text sitemap: one a line, UTF-8, nothing escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.spec.lazy_pattern import lazy_pattern
from urlset.writing.chunks import joined
from urlset.writing.xml import FORBIDDEN, Unwritable

_LINE_BREAK = lazy_pattern("[\r\n]")


def write_text(locs: Iterable[str]) -> Iterator[bytes]:
    """The file in chunks of about 64 KB."""
    return joined(map(line_bytes, locs))


def line_bytes(loc: str) -> bytes:
    """The line of one address, with its line end."""
    if not loc or loc.isspace():
        raise Unwritable(loc, len(loc), "a text sitemap cannot contain a blank line")
    if not (loc.isascii() and loc.isprintable()):
        broken = _LINE_BREAK.search(loc)
        if broken is not None:
            raise Unwritable(loc, broken.start(), "a URL cannot contain a line break")
        forbidden = FORBIDDEN.search(loc)
        if forbidden is not None:
            raise Unwritable(loc, forbidden.start(), "a text sitemap cannot contain control characters")
    return f"{loc}\n".encode()
