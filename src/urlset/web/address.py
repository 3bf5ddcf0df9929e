"""An address as written → what goes over the wire, as browsers read it, or the reason why nothing can."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple

from urlset.model.address import as_written
from urlset.model.errors import ArgumentValueError
from urlset.model.whatwg import parse_url

_SCHEMES = ("http:", "https:")
_LONGEST_QUOTE = 200
_STRAY_BYTE = re.compile("[\udc80-\udcff]")


_HOST_HEADER = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{1,5})?")


class NotFetchableError(ArgumentValueError):
    """The message says why."""


class RequestTarget(NamedTuple):
    href: str
    """absolute, escaped, without fragment; number hosts such as 0x7f.1 are written as 127.0.0.1"""
    host: str
    """with the port where it is not the scheme's own: what a pace is kept for"""


def target_of(url: str, base: str | None = None) -> RequestTarget:
    """`url`, resolved against `base` where that is given. Raises NotFetchableError."""
    plain = as_written(url) if base is None else None
    if plain is not None:
        return RequestTarget(url, plain[0].partition("//")[2])
    if not url.isascii():
        url = _STRAY_BYTE.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", url)
    try:
        parts = parse_url(url) if base is None else parse_url(url, base)
    except (ValueError, UnicodeEncodeError):
        raise NotFetchableError(f"{quoted(url)} is not an absolute URL") from None
    scheme, host, href = parts.protocol, parts.host, parts.href
    if scheme not in _SCHEMES:
        raise NotFetchableError(f"{quoted(url)} is not http or https")
    if not host:
        raise NotFetchableError(f"{quoted(url)} has no host")
    if "@" in href and (parts.username or parts.password):
        raise NotFetchableError(f"the URL of {host} contains a user name or password; remove it and use --auth")
    return RequestTarget(href.partition("#")[0] if "#" in href else href, host)


def host_of_header(value: str) -> str | None:
    """The host that a Host header names, in lowercase; None unless it is exactly a host, or a host and a port.

    RFC 9110 section 7.2. Anything more would end up in a URL that is put together from it: `127.0.0.1/login?`.
    """
    found = _HOST_HEADER.fullmatch(value)
    return None if found is None else (found["six"] or found["name"]).lower()


def is_loopback_host(host: str) -> bool:
    """Whether a host names this machine; IPv6 with or without brackets."""
    plain = host.strip("[]").rstrip(".").lower()
    try:
        return plain == "localhost" or ip_address(plain).is_loopback
    except ValueError:
        return False


def quoted(text: str) -> str:
    """Short enough for a message, and safe to encode."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"
    return repr(shown)
