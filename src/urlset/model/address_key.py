"""Address text → the key under which two spellings are one page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from urlset.model.address_grammar import as_parsers_read, escape_text, without_surrogates
from urlset.spec.lazy_module import LazyModule
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    import ada_url
else:
    ada_url = LazyModule("ada_url")

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# A lower-case host, neither punycode nor a number unless it is an IPv4 address, and a port other than the default.
_HOST = rf"(?:(?![^/]*(?:xn--|0x))[a-z0-9\-._]*[a-z\-_]|{_BYTE}(?:\.{_BYTE}){{3}})"
_PORT = r"(?::(?:80[08]0|[3-7]\d{3}|[1-5]\d{4}))?"
# An address that is its own key: such a host, no dot segment,
# only escapes that must be escapes and are upper-case, and in the query no quote, which URL parsers escape.
_KEPT_ESCAPE = r"%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
_OWN_KEY = lazy_pattern(
    rf"(https?://{_HOST}{_PORT}"
    rf"/(?:[A-Za-z0-9\-_~!$&'()*+,;=:@]++|(?<!/)\.++|/|{_KEPT_ESCAPE})*+"
    rf"(?:\?(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]++|{_KEPT_ESCAPE})*+)?)"
    r"(?:\#[!-~]*)?"
)
# An address that URL parsers leave as it is, unless a dot segment is in it: origin, then path and query.
_AS_WRITTEN = lazy_pattern(
    rf"(https?://{_HOST}{_PORT})"
    r"(/[A-Za-z0-9\-._~!$&()*+,;=:@/]*+(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@/?]++)?)"
)
# begins with a set, so the search skips legal characters quickly
_ESCAPE_OR_ILLEGAL = lazy_pattern(r"([^A-Za-z0-9\-._~!$&'()*+,;=:@/?])(?:(?<=%)([0-9A-Fa-f]{2}))?")
_HEAD_AND_REST = lazy_pattern(r"((?i:https?)://[^/?#\\\x00-\x20\x7f]+)(/[^#\\\x00-\x1f\x7f]*)(?:\#.*)?", re.DOTALL)
_SHORT = 2048
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IP_LITERAL_HEAD = lazy_pattern(r"[a-z][a-z0-9+.\-]*://(?:[^/?#\[\]@]*@)?(\[[0-9A-Fa-f:.]+\])")


def key_of(raw: str) -> str:
    """RFC 3986 section 6.2 on top of what a URL parser makes of the text; the fragment is left out.

    Text that no URL parser accepts (relative references, impossible hosts) still has a key: its illegal
    characters are escaped and nothing else is changed, so it equals only its own respellings.
    """
    own = _OWN_KEY.fullmatch(raw)
    if own:
        return own[1]
    web = _HEAD_AND_REST.fullmatch(raw)
    if web and "/." not in web[2] and "%2E" not in web[2].upper() and raw[-1] != " ":
        head = _head_key(web[1])
        if head is not None:
            return head + _rest_key(web[2])
    return _remembered(raw) if len(raw) < _SHORT else _key(raw)


def as_written(url: str) -> tuple[str, str] | None:
    """Origin, and path with query, of an address that every URL parser leaves as it is; None where that is not sure."""
    found = _AS_WRITTEN.fullmatch(url)
    return (found[1], found[2]) if found is not None and "/." not in found[2] else None


def respelled(addresses: Iterable[str]) -> list[str]:
    """Those that are not for sure their own keys."""
    own = _OWN_KEY.fullmatch
    return [address for address in addresses if own(address) is None or "#" in address]


@lru_cache(256)
def _head_key(head: str) -> str | None:
    """Of scheme and authority, which most addresses of a file share; None where no URL parser accepts them."""
    href = _href(without_surrogates(f"{head}/"))
    return None if href is None else _normalise(href, decode=True)[:-1]


def _rest_key(rest: str) -> str:
    """Of a path without dot segments and a query: parsers change nothing in them but what they escape."""
    path, mark, query = rest.partition("?")
    return _normalise(path, decode=True) + mark + _normalise(query, decode=True).replace("'", "%27")


def _key(raw: str) -> str:
    text = without_surrogates(raw)
    href = _href(text)
    if href is None:
        text = _normalise(as_parsers_read(text).partition("#")[0], decode=False)
        href = _href(text)  # some hosts of unknown schemes are refused only until they are escaped
    return text if href is None else _normalise(href.partition("#")[0], decode=True)


# the key of a page is needed a dozen times
_remembered = lru_cache(512)(_key)


def _href(text: str) -> str | None:
    try:
        return ada_url.URL(text).href
    except ValueError:
        return None


def _normalise(text: str, *, decode: bool) -> str:
    def normal(match: re.Match[str]) -> str:
        illegal, digits = match.groups()
        if digits:
            character = chr(int(digits, 16))
            return character if decode and character in _UNRESERVED else f"%{digits.upper()}"
        # a stray % is escaped, so letters decoded after it cannot complete it to an escape
        return "%25" if illegal == "%" else escape_text(illegal)

    literal = _IP_LITERAL_HEAD.match(text)
    if literal is None:
        return _ESCAPE_OR_ILLEGAL.sub(normal, text)
    start, end = literal.span(1)  # the one place where brackets are legal
    before, after = (_ESCAPE_OR_ILLEGAL.sub(normal, part) for part in (text[:start], text[end:]))
    return before + text[start:end] + after
