"""What a user says about reaching a site → credentials, servers and a proxy, each bound to the origins it is for.

No message and no repr of these values shows a secret.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

import msgspec

from urlset.model.errors import ArgumentValueError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.web.address import NotFetchableError, target_of

if TYPE_CHECKING:
    import netrc

_NAME = lazy_pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SCOPED = lazy_pattern(r"(?is)(https?://[^/=?#\s]+)/?=(.*)")
_PROXIES = ("http", "https")
_REFUSED = frozenset(
    {"accept-encoding", "connection", "content-length", "expect", "keep-alive"}
    | {"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""headers that describe the transfer: a request with another value could not be read"""


class AccessError(ArgumentValueError):
    """A value that cannot be used; the message never repeats it."""


class Credential(msgspec.Struct, frozen=True):
    """One header for the servers of one origin."""

    name: str
    value: str
    origin: str | None = None
    """None means the origins of the targets"""
    secrets: tuple[str, ...] = ()
    """what must appear nowhere: the value, and the parts of it that are secret by themselves"""

    def __repr__(self) -> str:
        return f"Credential({self.name!r}, '***', {self.origin!r})"

    def __rich_repr__(self) -> list[tuple[str, str | None]]:
        return [("name", self.name), ("origin", self.origin)]


class ServerMapping(msgspec.Struct, frozen=True):
    """Requests for `origin` go to `server`, with the host of `origin` in the Host header."""

    origin: str
    server: str


class Pin(msgspec.Struct, frozen=True):
    """The IP addresses of a host and port, instead of what the name service says."""

    host: str
    port: int
    addresses: tuple[str, ...]


class Proxy(msgspec.Struct, frozen=True):
    url: str
    """without user and password"""
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Proxy({self.url!r})"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("url", self.url)]


class SiteAccess(msgspec.Struct, frozen=True, kw_only=True):
    """How sites are reached, apart from what their addresses say."""

    credentials: tuple[Credential, ...] = ()
    netrc: bool = False
    mappings: tuple[ServerMapping, ...] = ()
    pins: tuple[Pin, ...] = ()
    proxy: Proxy | None = None

    @classmethod
    def of(
        cls,
        *,
        headers: Iterable[str] = (),
        cookies: Iterable[str] = (),
        auth: Iterable[str] = (),
        netrc: bool = False,
        maps: Iterable[str] = (),
        resolve: Iterable[str] = (),
        proxy: str | None = None,
    ) -> SiteAccess:
        """From values as the command line takes them. Raises AccessError."""
        return cls(
            credentials=(*map(header_of, headers), *map(cookie_of, cookies), *map(auth_of, auth)),
            netrc=netrc,
            mappings=tuple(map(mapping_of, maps)),
            pins=tuple(map(pin_of, resolve)),
            proxy=proxy_of(proxy) if proxy else None,
        )

    @property
    def views(self) -> tuple[str, ...]:
        """What makes the same address another page: the servers that answer. Nothing in it is secret."""
        pins = (f"--resolve={pin.host}:{pin.port}:{','.join(pin.addresses)}" for pin in self.pins)
        return (*(f"--map={each.origin}={each.server}" for each in self.mappings), *pins)

    @property
    def sends(self) -> tuple[str, ...]:
        """The names of the headers sent, for telling two runs apart."""
        return tuple(sorted({each.name.lower() for each in self.credentials} | ({"netrc"} if self.netrc else set())))


def header_of(given: str) -> Credential:
    """`Name: value`, or `https://host=Name: value`."""
    origin, text = _scoped(given)
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or _NAME.fullmatch(name) is None:
        raise AccessError("not of the form 'Name: value'")
    if name.lower() == "user-agent":
        raise AccessError(f"{name} cannot be set here; use --user-agent")
    if name.lower() in _REFUSED:
        raise AccessError(f"{name} cannot be set")
    _printable(value, f"the value of {name}")
    word, _, rest = value.partition(" ")
    return Credential(name, value, origin, (value, rest.strip()) if rest and len(word) <= 20 else (value,))


def cookie_of(given: str) -> Credential:
    """`name=value; name=value`, or `https://host=name=value`."""
    origin, text = _scoped(given)
    pairs = [pair.strip().partition("=") for pair in text.split(";") if pair.strip()]
    if not pairs or not all(name and equals for name, equals, _ in pairs):
        raise AccessError("not of the form name=value")
    _printable(text, "the cookie")
    cookies = "; ".join(f"{name}={value}" for name, _, value in pairs)
    return Credential("Cookie", cookies, origin, tuple(value for _, _, value in pairs))


def auth_of(given: str) -> Credential:
    """`user:password`, or `https://host=user:password`; sent as basic authentication."""
    origin, text = _scoped(given)
    user, colon, password = text.partition(":")
    if not colon or not user:
        raise AccessError("not of the form user:password")
    _printable(text, "the user name or password")
    return basic(user, password, origin)


def basic(user: str, password: str, origin: str | None) -> Credential:
    packed = base64.b64encode(f"{user}:{password}".encode()).decode()
    return Credential("Authorization", f"Basic {packed}", origin, (packed, password))


def mapping_of(given: str) -> ServerMapping:
    """`https://www.example.com=http://127.0.0.1:8000`."""
    left, equals, right = given.partition("=")
    if not equals:
        raise AccessError(f"{given!r} is not of the form https://www.example.com=http://127.0.0.1:8000")
    return ServerMapping(_origin(left), _origin(right))


def pin_of(given: str) -> Pin:
    """`www.example.com:443:192.0.2.1`, as curl takes it; several addresses are separated by commas."""
    host, _, rest = given.partition(":")
    port, _, addresses = rest.partition(":")
    if not (host and port.isdigit() and 0 < int(port) < 65536 and addresses):
        raise AccessError(f"{given!r} is not of the form HOST:PORT:ADDRESS")
    try:
        found = tuple(str(ip_address(each.strip().strip("[]"))) for each in addresses.split(","))
    except ValueError:
        raise AccessError(f"{addresses!r} is not an IP address") from None
    return Pin(host.rstrip(".").lower(), int(port), found)


def proxy_of(given: str) -> Proxy:
    """`http://proxy:3128` or `http://user:password@proxy:3128`."""
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in _PROXIES or not host or parts.path.strip("/") or parts.query:
        raise AccessError("not of the form http://HOST:PORT")
    shown = f"[{host}]" if ":" in host else host
    url = f"{parts.scheme}://{shown}:{port}" if port else f"{parts.scheme}://{shown}"
    return Proxy(url, unquote(parts.username or ""), unquote(parts.password or ""))


def read_netrc() -> netrc.netrc:
    """The file that NETRC names, or the one in the home folder. Raises AccessError."""
    import netrc

    path = Path(os.environ.get("NETRC") or Path.home() / ("_netrc" if os.name == "nt" else ".netrc"))
    try:
        return netrc.netrc(str(path))
    except OSError as error:
        raise AccessError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
    except (netrc.NetrcParseError, UnicodeDecodeError) as error:
        line = getattr(error, "lineno", None)
        raise AccessError(f"{path} is not a valid .netrc file{f' (line {line})' if line else ''}") from None


def spellings(secret: str) -> set[str]:
    """The secret as it may come back: plain, in a URL, in HTML and in JSON."""
    from html import escape

    return {secret, quote(secret), quote(secret, safe=""), escape(secret), msgspec.json.encode(secret).decode()[1:-1]}


HIDDEN = "***"
_SHORTEST = 6
"""characters of a secret that is looked for: a shorter one would blacken ordinary words"""


def hideable(secrets: Iterable[str]) -> list[str]:
    """Those that can be looked for, the longest first: one may be part of another."""
    return sorted({each for each in secrets if len(each) >= _SHORTEST}, key=len, reverse=True)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """`secrets` as `hideable` gives them."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def origin_of_href(href: str) -> str:
    """`https://host:port` of an address that is complete and spelled as it is sent."""
    start = href.index("//") + 2
    ends = [at for mark in "/?" if (at := href.find(mark, start)) >= 0]
    return href[: min(ends)] if ends else href


def _scoped(given: str) -> tuple[str | None, str]:
    found = _SCOPED.fullmatch(given.strip())
    return (None, given) if found is None else (_origin(found[1]), found[2])


def _origin(text: str) -> str:
    try:
        target = target_of(text.strip())
    except NotFetchableError as error:
        raise AccessError(str(error)) from None
    origin = origin_of_href(target.href)
    if target.href not in (origin, f"{origin}/"):
        raise AccessError(f"{text!r} must be a scheme and a host, without a path")
    return origin


def _printable(text: str, what: str) -> None:
    if not text.isprintable():
        raise AccessError(f"{what} contains control characters")
