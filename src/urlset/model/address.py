"""The text of a page address → its parts, its legality, and the key that tells pages apart."""

from __future__ import annotations

import ipaddress
import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import msgspec

from urlset.model.address_grammar import (
    AddressParts,
    IllegalAt,
    Illegality,
    Span,
    as_parsers_read,
    escape_text,
    find_illegal,
    is_plain,
    percent_encode,
    split_address,
    without_surrogates,
)
from urlset.model.cached import cached_property_unlocked
from urlset.model.shown import Shown
from urlset.model.whatwg import ParsedUrl, parse_url
from urlset.spec.generator_artifacts import FIRST_PRIVATE_WORDS, LANGUAGE_SEGMENT, PRIVATE_PATHS
from urlset.spec.lazy_pattern import lazy_pattern

# Address text → the key under which two spellings are one page.

if TYPE_CHECKING:
    from collections.abc import Iterable


_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# A lower-case host, neither punycode nor a number unless it is an IPv4 address, and a port other than the default.
_HOST = rf"(?:(?![^/]*(?:xn--|0x))[a-z0-9\-._]*[a-z\-_]|{_BYTE}(?:\.{_BYTE}){{3}})"
_PORT = r"(?::(?:[1-9]\d{3}|[1-5]\d{4}))?"
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
            # Of a path without dot segments and a query: parsers change nothing in them but what they
            # escape.
            rest = web[2]
            path, mark, query = rest.partition("?")
            return head + (_normalise(path, decode=True) + mark + _normalise(query, decode=True).replace("'", "%27"))
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
        return parse_url(text).href
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


# Host text → its punycode spelling, and what keeps it from being a public host name.


class HostFault(StrEnum):
    EMPTY_HOST = "empty-host"
    EMPTY_LABEL = "empty-label"
    LABEL_TOO_LONG = "label-too-long"
    HOST_TOO_LONG = "host-too-long"
    UNDERSCORE = "underscore"
    HYPHEN_AT_EDGE = "hyphen-at-edge"
    BAD_CHARACTER = "bad-character"
    NOT_IDNA = "not-idna"
    BAD_PORT = "bad-port"
    IP_LITERAL = "ip-literal"
    BAD_IP = "bad-ip"
    LOOPBACK_IP = "loopback-ip"
    LINK_LOCAL_IP = "link-local-ip"
    PRIVATE_IP = "private-ip"
    LOCAL_NAME = "local-name"
    DOCUMENTATION_NAME = "documentation-name"


# RFC 6761, RFC 6762 and the 2024 ICANN reservation of .internal: names that no public resolver answers.
_LOCAL_ENDINGS = frozenset({"localhost", "local", "localdomain", "test", "invalid", "internal"})
_HOME_ENDING = ".home.arpa"
# example.com, .net and .org resolve and are what manuals use; only the top-level name .example never does.
_DOCUMENTATION_ENDING = "example"

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
_PLAIN_HOST = lazy_pattern(rf"(?!.*[xX][nN]--)(?:{_LABEL}\.)+([A-Za-z]{{2,63}})")
_ASCII_NAME = lazy_pattern(r"(?!.*(?:[xX][nN]--|0[xX]))[A-Za-z0-9\-._]*[A-Za-z\-_][.]?")
_NUMERIC_ENDING = lazy_pattern(r"(?:^|\.)(?:[0-9]+|0[xX][0-9A-Fa-f]*)\.?$")
_LABEL_CHARACTERS = lazy_pattern(r"[a-z0-9\-_]*")

# The standard library's is_private also covers ranges reserved for manuals, which are not private networks.
_NETWORKS: tuple[tuple[HostFault, tuple[str, ...]], ...] = (
    (HostFault.LOOPBACK_IP, ("127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128")),
    (HostFault.LINK_LOCAL_IP, ("169.254.0.0/16", "fe80::/10")),
    (HostFault.PRIVATE_IP, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")),
)
_NETWORK_FAULTS = tuple((fault, ipaddress.ip_network(text)) for fault, texts in _NETWORKS for text in texts)


def host_to_ascii(host: str) -> str | None:
    """The lower-case punycode spelling as a web client sees it; None when the host cannot be one."""
    if _ASCII_NAME.fullmatch(host):
        return host.lower()
    try:
        return parse_url(f"http://{host}/").hostname or None
    except ValueError:
        return None


def faults_of_host(host: str, port: str | None) -> list[HostFault]:
    """Everything wrong with an authority's host and port, in a fixed order, each at most once."""
    plain = _PLAIN_HOST.fullmatch(host)
    if plain and not port and len(host) <= 253:
        ending = plain[1].lower()
        if ending not in _LOCAL_ENDINGS and ending not in {_DOCUMENTATION_ENDING, "arpa"}:
            return []
    found = _faults_of_name(host)
    if port and not port_number(port):
        found.append(HostFault.BAD_PORT)
    return found


def port_number(port: str) -> int | None:
    """The port as a number from 0 to 65535; None for any other text."""
    significant = port.lstrip("0")
    if not (port.isascii() and port.isdigit()) or len(significant) > 5:
        return None
    number = int(significant or "0")
    return number if number <= 65535 else None


def _faults_of_name(host: str) -> list[HostFault]:
    if not host:
        return [HostFault.EMPTY_HOST]
    ascii_host = host_to_ascii(host)
    address = _ip_address(ascii_host or host)
    if address is not None:
        return [HostFault.IP_LITERAL, *[fault for fault, network in _NETWORK_FAULTS if address in network][:1]]
    if ascii_host is None:
        decoded = unquote(host)
        faults = _faults_of_labels(decoded.lower()) if decoded.isascii() else []
        if _NUMERIC_ENDING.search(decoded):
            faults.append(HostFault.BAD_IP)
        return faults or [HostFault.NOT_IDNA]
    return _faults_of_labels(ascii_host)


def _faults_of_labels(name: str) -> list[HostFault]:
    rooted = name.removesuffix(".")  # a final dot names the root and is legal
    labels = rooted.split(".")
    faults = {
        HostFault.EMPTY_LABEL: "" in labels,
        HostFault.LABEL_TOO_LONG: any(len(label) > 63 for label in labels),
        HostFault.HOST_TOO_LONG: len(rooted) > 253,
        HostFault.UNDERSCORE: "_" in rooted,
        HostFault.HYPHEN_AT_EDGE: any(label[:1] == "-" or label[-1:] == "-" for label in labels),
        HostFault.BAD_CHARACTER: any(not _LABEL_CHARACTERS.fullmatch(label) for label in labels),
        HostFault.LOCAL_NAME: labels[-1] in _LOCAL_ENDINGS or f".{rooted}".endswith(_HOME_ENDING),
        HostFault.DOCUMENTATION_NAME: labels[-1] == _DOCUMENTATION_ENDING,
    }
    return [fault for fault, present in faults.items() if present]


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if not host[-1:].isdigit() and ":" not in host:  # refusing a name takes long
        return None
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


__all__ = ["Address", "AddressParts", "HostFault", "IllegalAt", "Illegality", "Origin", "Span", "percent_encode"]

_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}


class Origin(NamedTuple):
    """Who answers for an address: two addresses of one site have equal origins."""

    scheme: str
    host: str
    port: int | None


class Address(Shown, msgspec.Struct, frozen=True, dict=True):
    """An address as written; each property is computed on first use.

    The parts follow RFC 3986 to the letter and keep their spelling; `whatwg`, `normalised` and `key` say what
    a crawler makes of the same text. Whitespace around the text does not belong to any component.
    """

    raw: str

    @classmethod
    def parse(cls, raw: str) -> Address:
        return cls(raw)

    def __str__(self) -> str:
        return self.raw

    # legality

    @property
    def illegal(self) -> IllegalAt | None:
        """The first departure from RFC 3986."""
        return next(iter(self._illegal), None)

    def illegal_all(self) -> list[IllegalAt]:
        """Every departure from RFC 3986, in the order of the text."""
        return list(self._illegal)

    @cached_property_unlocked
    def _illegal(self) -> list[IllegalAt]:
        return [] if is_plain(self.raw) else find_illegal(self.raw, self.parts)

    # parts, as written

    @cached_property_unlocked
    def parts(self) -> AddressParts:
        return split_address(self.raw)

    @property
    def padded(self) -> bool:
        """There is whitespace before or after the address."""
        return self.parts.core != (0, len(self.raw))

    @property
    def scheme(self) -> str | None:
        return self._cut(self.parts.scheme)

    @property
    def userinfo(self) -> str | None:
        return self._cut(self.parts.userinfo)

    @property
    def host(self) -> str | None:
        return self._cut(self.parts.host)

    @property
    def port(self) -> str | None:
        return self._cut(self.parts.port)

    @property
    def path(self) -> str:
        start, end = self.parts.path
        return self.raw[start:end]

    @property
    def query(self) -> str | None:
        return self._cut(self.parts.query)

    @property
    def fragment(self) -> str | None:
        return self._cut(self.parts.fragment)

    def _cut(self, span: Span | None) -> str | None:
        return None if span is None else self.raw[span[0] : span[1]]

    # what it points at

    @property
    def is_absolute(self) -> bool:
        """It names a scheme and a host."""
        return bool(self.scheme and self.host)

    @property
    def is_web(self) -> bool:
        """It is absolute and its scheme is http or https."""
        return self.is_absolute and (self.scheme or "").lower() in {"http", "https"}

    @property
    def host_ascii(self) -> str | None:
        """The host in lower-case punycode; None when there is none or it cannot be spelled so."""
        return host_to_ascii(self.host) if self.host else None

    @property
    def port_effective(self) -> int | None:
        """The port a client would connect to; None when the text names none that exists."""
        if self.port:
            return port_number(self.port)
        return _DEFAULT_PORTS.get((self.scheme or "").lower())

    @property
    def unusual_port(self) -> int | None:
        """The port a client would connect to; None for the default port of the scheme, explicit or not."""
        port = self.port_effective
        return None if port == _DEFAULT_PORTS.get((self.scheme or "").lower()) else port

    @property
    def site(self) -> str:
        """Whose robots.txt applies: the host, with the port unless it is the default of the scheme."""
        host = self.host_ascii or (self.host or "").lower()
        return host if self.unusual_port is None else f"{host}:{self.unusual_port}"

    @property
    def origin(self) -> Origin | None:
        """None unless absolute. A host that has no punycode spelling is kept as written, in lowercase."""
        if not (self.scheme and self.host):
            return None
        return Origin(self.scheme.lower(), self.host_ascii or self.host.lower(), self.port_effective)

    def host_faults(self) -> list[HostFault]:
        """What keeps host and port from being those of a public site; empty when no authority is written."""
        host = self.host
        return [] if host is None else faults_of_host(host, self.port)

    # what a crawler makes of it

    @cached_property_unlocked
    def whatwg(self) -> ParsedUrl | None:
        """The text as the WHATWG URL standard reads it; None when it refuses."""
        try:
            return parse_url(self.raw)
        except ValueError:
            return None

    @property
    def normalised(self) -> str | None:
        """The address a crawler would ask for, without the fragment; None when no client accepts it."""
        return None if self.whatwg is None else self.whatwg.href.partition("#")[0]

    @cached_property_unlocked
    def key(self) -> str:
        """Equal for two addresses exactly when RFC 3986 section 6.2 and URL parsers take them for one."""
        return key_of(self.raw)


_ENDING = lazy_pattern(r"\.(?:x?html?|php|aspx?|jsp|do)\Z")


class PrivatePart(msgspec.Struct, frozen=True):
    start: int
    end: int
    """of the words in the path"""
    what: str
    """such as "a shopping cart" """


def private_part(path: str) -> PrivatePart | None:
    """The first segments of the path, after the language if there is one: `/cart.html`, `/en/users/sign_in`."""
    segments = path.split("/")
    if len(segments) < 2 or segments[0]:
        return None
    first = 2 if len(segments) > 2 and LANGUAGE_SEGMENT.fullmatch(segments[1]) else 1
    if not segments[first].isascii() or not _words(segments[first]) & FIRST_PRIVATE_WORDS:
        return None
    start = sum(len(segment) + 1 for segment in segments[:first])
    for length in (2, 1):
        words = "/".join(segments[first : first + length])
        what = next(filter(None, map(PRIVATE_PATHS.get, _words(words) if words.isascii() else ())), None)
        if what is not None:
            return PrivatePart(start, start + len(words), what)
    return None


def _words(written: str) -> set[str]:
    """As written, and without the ending of a page; in lowercase."""
    lower = written.lower()
    return {lower, _ENDING.sub("", lower)} if "." in lower else {lower}
