"""Bytes between the entries of a sitemap → tags, comments, instructions, and text, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from urlset.model.place import Place, between
from urlset.reading.doctype import doctype_at
from urlset.reading.seek import Seeker
from urlset.spec.lazy_pattern import lazy_pattern

_NAME = rb"(?:[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+:)?+[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
_TOKEN = lazy_pattern(
    rb"(?P<comment><!--)"
    rb"|(?P<declaration><\?xml(?=[\s?]))"
    rb"|(?P<instruction><\?)"
    rb"|(?P<section><!\[CDATA\[)"
    rb"|(?P<doctype><!DOCTYPE)"
    rb"|(?P<close></\s*+(?P<close_name>" + _NAME + rb")\s*+>)"
    rb"|(?P<open><(?P<open_name>" + _NAME + rb")(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>)"
    rb"|(?P<space>\s++)"
    rb"|(?P<text>[^<\s]++(?:\s++[^<\s]++)*+)"
    rb"|(?P<stray><)",
    re.IGNORECASE,
)
_ENDS = {"comment": b"-->", "declaration": b"?>", "instruction": b"?>", "section": b"]]>"}
_ADDRESS = lazy_pattern(rb"[a-z]://|<(?:[\w.\x80-\xff-]+:)?loc\b|\bwww\.", re.IGNORECASE)


class Token(msgspec.Struct, frozen=True):
    """One piece of markup or text; `local` is the tag name without prefix, in lowercase."""

    kind: str
    place: Place
    local: str = ""
    empty: bool = False


def tokens(data: bytes, start: int, end: int) -> Iterator[Token]:
    """Without gaps from `start` to `end`; a `<` that starts nothing valid is `stray`, the rest of it is text."""
    seeker = Seeker(data)
    at = start
    while at < end and (match := _TOKEN.match(data, at, end)) is not None:
        kind, at = _kind(match), match.end()
        if kind == "doctype":
            at = min(doctype_at(data, match.start()).place.end, end)
        elif kind in _ENDS:
            closer = seeker.find(_ENDS[kind], at)
            inside = closer != -1 and closer + len(_ENDS[kind]) <= end
            kind, at = (kind, closer + len(_ENDS[kind])) if inside else ("stray", match.start() + 1)
        name = match["close_name"] or match["open_name"] or b""
        local = name.rpartition(b":")[2].decode("ascii", "replace").lower()
        yield Token(kind, between(match.start(), at), local, kind == "open" and match.group().endswith(b"/>"))


def _kind(match: re.Match[bytes]) -> str:
    if match["close"] is not None:
        return "close"
    return "open" if match["open"] is not None else match.lastgroup or "stray"


def says_an_address(text: bytes) -> bool:
    """Whether the text contains something like a URL, which must not be deleted without review."""
    return _ADDRESS.search(text) is not None
