"""The first bytes of a file → where its front matter ends: the block between `---` lines that site generators read."""

from __future__ import annotations

from urlset.spec.lazy_pattern import lazy_pattern

_OPENING = lazy_pattern(rb"(?:\xef\xbb\xbf)?\s*(---|\+\+\+)[ \t]*\r?\n")
_LOOK_AT_BYTES = 1 << 16


def front_matter_end(data: bytes) -> int:
    """The offset of the first byte after the block; 0 when the file has none, or does not close it."""
    opening = _OPENING.match(data)
    if opening is None:
        return 0
    at = opening.end()
    while 0 < at < _LOOK_AT_BYTES:
        end = data.find(b"\n", at)
        line = data[at : len(data) if end == -1 else end].rstrip()
        if line == opening[1]:
            return len(data) if end == -1 else end + 1
        at = end + 1
    return 0
