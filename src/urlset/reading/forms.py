"""The bytes of an entry → its form, which is all its markup, and its values; most entries share a few forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from urlset.spec.lazy_pattern import lazy_pattern

_KINDS = (
    (rb">", rb"\s*+[^<]++", rb"<"),
    (rb'="', rb'[^"<]*+', rb'"'),
    (rb"='", rb"[^'<]*+", rb"'"),
    (rb"<!\[CDATA\[", rb"[^\]<]*+(?:(?:\](?!\]>)|<(?!!))[^\]<]*+)*+", rb"\]\]>"),
    (rb"<!--", rb"[^-]*+(?:-(?!-)[^-]*+)*+", rb"-->"),
)
"""what comes before a value, the value, and what comes behind it"""
_VALUE = lazy_pattern(
    rb"""[>=\[-](?:(?<==)(?<!\brel=)(?<!\bhreflang=)["'])?+("""
    + b"|".join(rb"(?<=%s)%s(?=%s)" % kind for kind in _KINDS)
    + rb")"
)
"""What rel and hreflang say is the same in most entries, so it is part of the form, and so is mere whitespace."""
LEFT_OUT = {b"<": b">", b'"': b'="', b"'": b"='", b"]": b"[", b"-": b"-"}
"""what is neither in a form nor in a value, by what comes behind it"""
_BODY = dict(zip(LEFT_OUT, (b"(%s)" % body for _, body, _ in _KINDS), strict=True))
_HOLE = "\ue000{}\ue001"
HOLE = lazy_pattern(_HOLE.format("([0-9]+)"))
"""what a template has for a value: its number"""
_DECLARING = lazy_pattern(rb"\sxmlns(?::[^\s<>=]+)?\Z")
OFTEN = 1 << 8
"""entries of one form in a row: it is worth a pattern"""


class Splitter:
    """Takes entries apart."""

    def __init__(self) -> None:
        self._last = b""
        self._met = 0
        self._pattern: re.Pattern[bytes] | None = None

    def split(self, written: bytes) -> tuple[bytes, Sequence[bytes]]:
        """The form and the values of an entry without NUL. Entries of one form, and only these, have the same form."""
        if self._pattern is not None:
            usual = self._pattern.fullmatch(written)
            if usual is not None:
                return self._last, usual.groups()
        parts = _VALUE.split(written)
        if b"xmlns" in written:
            parts = _with_namespaces(parts)
        form = b"\0".join(parts[::2])
        if form != self._last:
            self._last, self._met, self._pattern = form, 0, None
        self._met += 1
        if self._met == OFTEN:
            self._pattern = _pattern(form)
        return form, parts[1::2]


def _with_namespaces(parts: list[bytes]) -> list[bytes]:
    """The same parts, but what namespaces are declared is part of the form."""
    kept = parts[:1]
    for value, behind in zip(parts[1::2], parts[2::2], strict=True):
        if _DECLARING.search(kept[-1]):
            kept[-1] += LEFT_OUT[behind[:1]] + value + behind
        else:
            kept += (value, behind)
    return kept


@cache
def _pattern(form: bytes) -> re.Pattern[bytes]:
    first, *pieces = form.split(b"\0")
    return re.compile(
        re.escape(first)
        + b"".join(re.escape(LEFT_OUT[piece[:1]]) + _BODY[piece[:1]] + re.escape(piece) for piece in pieces)
    )


def template(form: bytes) -> bytes:
    """An entry with the number of each value in its place."""
    first, *pieces = form.split(b"\0")
    return first + b"".join(
        LEFT_OUT[piece[:1]] + _HOLE.format(number).encode() + piece for number, piece in enumerate(pieces)
    )
