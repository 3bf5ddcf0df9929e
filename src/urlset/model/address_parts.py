"""Address text → the spans of its RFC 3986 components, whatever the characters are."""

from __future__ import annotations

import re

import msgspec

from urlset.spec.lazy_pattern import lazy_pattern

Span = tuple[int, int]

# What XML collapses around a value. It is layout of the file, so it does not belong to any component.
PADDING = " \t\r\n"

# The expression of RFC 3986 appendix B, with the authority taken apart in the same pass. Every piece is
# optional and the classes leave no character out, so it matches any text.
_REFERENCE = lazy_pattern(
    r"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?"  # scheme; a colon after anything else belongs to the path
    r"(?://((?:([^/?#]*)@)?(\[[^\]/?#]*\][^:/?#]*|[^:/?#]*)(?::([^/?#]*))?))?"
    r"([^?#]*)"
    r"(?:\?([^#]*))?"
    r"(?:\#(.*))?",
    re.DOTALL,
)


class AddressParts(msgspec.Struct, frozen=True):
    """The position of each component, as (start, end) in the raw text; None when its delimiter is missing.

    `e.com:` has an empty port and `e.com` has none; the two spans tell them apart.
    """

    core: Span
    scheme: Span | None
    authority: Span | None
    userinfo: Span | None
    host: Span | None
    port: Span | None
    path: Span
    query: Span | None
    fragment: Span | None


def core_span(raw: str) -> Span:
    """The position of the text without the padding around it; (0, 0) when nothing else is there."""
    if raw and raw[0] not in PADDING and raw[-1] not in PADDING:
        return (0, len(raw))
    end = len(raw.rstrip(PADDING))
    if not end:
        return (0, 0)
    return (len(raw) - len(raw.lstrip(PADDING)), end)


def split_address(raw: str) -> AddressParts:
    core = core_span(raw)
    match = _REFERENCE.fullmatch(raw, *core)
    if match is None:
        raise AssertionError(f"no text can fail to match, yet {raw!r} did")
    _, scheme, authority, userinfo, host, port, path, query, fragment = match.regs
    return AddressParts(
        core,
        scheme if scheme[0] >= 0 else None,
        authority if authority[0] >= 0 else None,
        userinfo if userinfo[0] >= 0 else None,
        host if host[0] >= 0 else None,
        port if port[0] >= 0 else None,
        path,
        query if query[0] >= 0 else None,
        fragment if fragment[0] >= 0 else None,
    )
