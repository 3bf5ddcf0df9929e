"""Address text → every place where it departs from RFC 3986, and the smallest repair of those places."""

from __future__ import annotations

import ipaddress
import re
from enum import StrEnum
from functools import lru_cache

import msgspec

from urlset.model.whatwg import parse_url
from urlset.spec.lazy_pattern import lazy_pattern

# Address text → the spans of its RFC 3986 components, whatever the characters are.

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


class Illegality(StrEnum):
    EMPTY = "empty"
    PADDING = "padding"
    SPACE = "space"
    CONTROL = "control"
    NON_ASCII = "non-ascii"
    BAD_PERCENT_ESCAPE = "bad-percent-escape"
    ILLEGAL_CHARACTER = "illegal-character"
    BAD_SCHEME = "bad-scheme"
    BAD_PORT = "bad-port"
    BAD_IP_LITERAL = "bad-ip-literal"


class IllegalAt(msgspec.Struct, frozen=True):
    """One run of raw text that RFC 3986 forbids in its position; start counts characters of the raw text."""

    start: int
    length: int
    text: str
    reason: Illegality

    @property
    def end(self) -> int:
        return self.start + self.length


_CHARACTERS = r"A-Za-z0-9\-._~!$&'()*+,;=:@/"
_ESCAPE = r"%[0-9A-Fa-f]{2}"

# Sound, not complete: whatever matches is strict RFC 3986, and most addresses of real sitemaps match.
_PLAIN = lazy_pattern(
    r"https?://[A-Za-z0-9\-._]+(?::[0-9]*)?"
    rf"(?:/(?:[{_CHARACTERS}]++|{_ESCAPE})*+)?"
    rf"(?:\?(?:[{_CHARACTERS}?]++|{_ESCAPE})*+)?"
    rf"(?:\#(?:[{_CHARACTERS}?]++|{_ESCAPE})*+)?"
)
# ? and # count as legal here because splitting has given them their place; a second # is looked for apart.
_SUSPECT = lazy_pattern(
    r"(?P<space>\x20+)"
    r"|(?P<control>[\x00-\x1f\x7f-\x9f]+)"
    r"|(?P<non_ascii>[^\x00-\x9f]+)"
    r"|(?P<percent>%(?![0-9A-Fa-f]{2})[0-9A-Za-z]{0,2})"
    r'|(?P<character>["<>\\^`{|}\[\]]+)'
)
_SUSPECT_BEGINS = lazy_pattern(r'[\x00-\x20"%<>\[\\\]^`{|}\x7f-\U0010ffff]')
"""a set alone, so the search skips all other characters quickly"""
_REASON_OF_GROUP = {
    "space": Illegality.SPACE,
    "control": Illegality.CONTROL,
    "non_ascii": Illegality.NON_ASCII,
    "percent": Illegality.BAD_PERCENT_ESCAPE,
    "character": Illegality.ILLEGAL_CHARACTER,
}
_OF_WHOLE_PARTS = frozenset({Illegality.BAD_PORT, Illegality.BAD_IP_LITERAL})
_BRACKETED = lazy_pattern(r"\[[^\]]*\]")
_FUTURE_IP = lazy_pattern(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+")

# Schemes for which every crawler follows the WHATWG reading of a backslash.
_SLASH_SCHEMES = frozenset({"http", "https", "ftp", "ws", "wss", "file"})


def is_plain(raw: str) -> bool:
    """True only for an http(s) address with a host and no illegal character; False says nothing."""
    return _PLAIN.fullmatch(raw) is not None


def find_illegal(raw: str, parts: AddressParts) -> list[IllegalAt]:
    """Every departure from RFC 3986, in the order of the text."""
    start, end = parts.core
    if start == end:
        return [IllegalAt(0, len(raw), raw, Illegality.EMPTY)]
    suspects = illegal_between(raw, start, end)
    usual = parts.scheme and parts.host and not parts.userinfo and not parts.port and not parts.fragment
    if usual and parts.host and raw[parts.host[0] : parts.host[0] + 1] != "[" and end - start == len(raw):
        return suspects  # no part is misshapen as a whole
    found = _misshapen_parts(raw, parts)
    taken = [(each.start, each.end) for each in found if each.reason in _OF_WHOLE_PARTS]
    literal = _ip_literal(raw, parts.host)
    if literal:
        taken.append(literal)
    found += [each for each in suspects if not any(low <= each.start < high for low, high in taken)]
    if start:
        found.append(IllegalAt(0, start, raw[:start], Illegality.PADDING))
    if end < len(raw):
        found.append(IllegalAt(end, len(raw) - end, raw[end:], Illegality.PADDING))
    return sorted(found, key=lambda each: each.start)


def illegal_between(raw: str, start: int, end: int) -> list[IllegalAt]:
    """Every run of characters in `raw[start:end]` that RFC 3986 allows nowhere."""
    found: list[IllegalAt] = []
    while (begin := _SUSPECT_BEGINS.search(raw, start, end)) is not None:
        start = begin.start()
        match = _SUSPECT.match(raw, start, end)
        if match is None:  # an escape
            start += 1
            continue
        found.append(IllegalAt(start, len(match[0]), match[0], _REASON_OF_GROUP[match.lastgroup or "character"]))
        start = match.end()
    return found


def percent_encode(raw: str, *, stray_percent: bool = False) -> str:
    """The smallest change that makes raw strict RFC 3986; an absolute address stays on the same page.

    Padding goes, tabs and line breaks go (URL parsers drop them), a space becomes %20, letters beyond ASCII
    become UTF-8 escapes (punycode in a host), a backslash before the query becomes the slash crawlers read
    it as, and any other illegal character becomes its escape. Escapes that are already there stay. A % that
    starts no escape is left alone unless `stray_percent` says it was meant as a percent sign. What escaping
    cannot fix stays as it is: a bad port, a bad IP literal, a missing scheme.
    """
    if is_plain(raw):
        return raw
    text = _with_punycode_host(as_parsers_read(raw))
    fixed: list[str] = []
    done = 0
    for each in find_illegal(text, split_address(text)):
        fixed += text[done : each.start], _repair(each, stray_percent=stray_percent)
        done = each.end
    fixed.append(text[done:])
    return "".join(fixed)


def as_parsers_read(raw: str) -> str:
    """The text after the three changes the WHATWG standard makes before it looks at any component."""
    text = raw.strip(_DROPPED_AROUND)
    if "\t" in text or "\r" in text or "\n" in text:
        text = text.translate(_DROPPED_INSIDE)
    if "\\" not in text:
        return text
    parts = split_address(text)
    if parts.scheme is None or text[slice(*parts.scheme)].lower() not in _SLASH_SCHEMES:
        return text
    head = parts.path[1]
    return text[:head].replace("\\", "/") + text[head:]


_DROPPED_AROUND = "".join(map(chr, range(0x21)))
_DROPPED_INSIDE = {ord(character): None for character in "\t\r\n"}


def _repair(illegal: IllegalAt, *, stray_percent: bool) -> str:
    if illegal.reason is Illegality.BAD_PERCENT_ESCAPE:
        return "%25" + illegal.text[1:] if stray_percent else illegal.text
    if illegal.reason in _OF_WHOLE_PARTS or illegal.reason is Illegality.BAD_SCHEME:
        return illegal.text
    return escape_text(illegal.text)


def escape_text(text: str) -> str:
    """Every character as the escapes of its UTF-8 bytes; a lone surrogate counts as U+FFFD."""
    return "".join([_ESCAPE_OF[byte] for byte in without_surrogates(text).encode()])


_ESCAPE_OF = [f"%{byte:02X}" for byte in range(256)]


def without_surrogates(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)


_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def _with_punycode_host(text: str) -> str:
    """RFC 3986 would take a percent-encoded host as well, but name servers and most clients would not."""
    parts = split_address(text)
    start, end = parts.host or (0, 0)
    if text[start:end].isascii() or text[slice(*parts.scheme or (0, 0))].lower() not in _SLASH_SCHEMES:
        return text
    host = _punycode(text[: parts.path[0]])
    return text if host is None else text[:start] + host + text[end:]


@lru_cache(64)
def _punycode(origin: str) -> str | None:
    """The host of an origin; the URLs of a file share few of them."""
    try:
        return parse_url(origin).hostname
    except ValueError:
        return None


def _misshapen_parts(raw: str, parts: AddressParts) -> list[IllegalAt]:
    """Faults of a component as a whole, and characters that are legal elsewhere but not in this component."""

    def at(start: int, end: int, reason: Illegality) -> IllegalAt:
        return IllegalAt(start, end - start, raw[start:end], reason)

    found: list[IllegalAt] = []
    if parts.scheme is None and parts.authority is None:
        first_segment = raw[slice(*parts.path)].split("/", 1)[0]
        if ":" in first_segment:
            colon = parts.path[0] + first_segment.index(":")
            found.append(at(colon, colon + 1, Illegality.BAD_SCHEME))
    if parts.userinfo:
        found += _each(raw, parts.userinfo, "@")
    if parts.host and _BRACKETED.match(raw, *parts.host) and not _ip_literal(raw, parts.host):
        found.append(at(*parts.host, Illegality.BAD_IP_LITERAL))
    if parts.port and not re.fullmatch(r"[0-9]*", raw[slice(*parts.port)]):
        found.append(at(*parts.port, Illegality.BAD_PORT))
    if parts.fragment:
        found += _each(raw, parts.fragment, "#")
    return found


def _each(raw: str, span: Span, character: str) -> list[IllegalAt]:
    return [
        IllegalAt(position, 1, character, Illegality.ILLEGAL_CHARACTER)
        for position in range(*span)
        if raw[position] == character
    ]


def _ip_literal(raw: str, host: Span | None) -> Span | None:
    """The host's span when it is a well-formed [IPv6] or [vN.…] literal."""
    if host is None:
        return None
    text = raw[slice(*host)]
    if not (text.startswith("[") and text.endswith("]")):
        return None
    if _FUTURE_IP.fullmatch(text, 1, len(text) - 1):
        return host
    try:
        # RFC 3986 has no zone identifiers, which this parser would take
        ipaddress.IPv6Address("%" if "%" in text else text[1:-1])
    except ValueError:
        return None
    return host
