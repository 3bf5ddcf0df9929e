"""An address that is about to be connected to → a socket, or a refusal where it is not on the public internet.

It is the connector's socket factory: every connection passes it, whether its address came from a literal, from any
answer of the name service or from a redirect, and what was checked is what is connected to. Private hosts are opened
one by one, by the name and port in the request, so a redirect from one of them opens no other host and no other port.
Link-local addresses and those of cloud metadata services are never opened.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection, Iterable
from contextvars import ContextVar
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import msgspec

from urlset.model.answer import Answer, FailureKind
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.web.address import NotFetchableError, quoted, target_of
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST, WebOptions

AddressInfo = tuple[Any, ...]
"""as getaddrinfo gives it; the address itself is its last item"""
HostPort = tuple[str, int]
"""the host as `plain_host` writes it"""

FORBIDDEN = 9_731
"""the errno of a refusal: no system uses it, and unlike a class it survives being joined with other errors"""

# The IANA registries of special-purpose addresses, and the metadata services of cloud providers.
_SPECIAL = {
    "cloud metadata": (
        *("169.254.169.254", "168.63.129.16", "192.0.0.192", "100.100.100.200"),
        *("fd00:ec2::/32", "fd00:c1::a9fe:a9fe", "fd20:ce::254", "fd00:42::42"),
    ),
    "unspecified": ("0.0.0.0/32", "::"),
    "this network": ("0.0.0.0/8",),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "64:ff9b:1::/48", "fc00::/7"),
    "carrier-grade NAT": ("100.64.0.0/10",),
    "loopback": ("127.0.0.0/8", "::1"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "documentation": ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
    "benchmarking": ("198.18.0.0/15",),
    "multicast": ("224.0.0.0/4", "ff00::/8"),
    "broadcast": ("255.255.255.255",),
    "IPv4-compatible": ("::/96",),
    "discard-only": ("100::/64",),
    "Teredo": ("2001::/32",),
    "site-local": ("fec0::/10",),
    "reserved": ("192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "2001::/23"),
}
"""the first that an address is in counts"""
_NETWORKS = [(ip_network(each), what) for what, several in _SPECIAL.items() for each in several]
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
"""the upper half of an interface identifier whose lower half is an IPv4 address"""


_METADATA_NAMES = frozenset(
    {
        *("metadata", "metadata.google.internal", "metadata.goog"),  # Google Cloud
        *("instance-data", "instance-data.ec2.internal"),  # Amazon EC2
        "metadata.tencentyun.com",
        *("metadata.packet.net", "metadata.platformequinix.com"),  # Equinix Metal
        "api.metadata.cloud.ibm.com",
        "rancher-metadata",
    }
)
"""names of metadata services, for where a proxy resolves names and no address is seen"""

_NEVER = ("cloud metadata", "link-local")
NEVER = "never fetched"
NOT_NAMED = "not a host and port you named"
"""what a refusal adds, for advice on what would help"""

asked_host: ContextVar[str] = ContextVar("asked_host", default="")
"""the host of the request that a connection is made for, as `plain_host` writes it"""


def plain_host(host: str) -> str:
    """One spelling for a host: lowercase, without the brackets of IPv6 and the dot of the root."""
    return host.strip("[]").rstrip(".").lower()


def metadata_name(host: str) -> str | None:
    """Why no request may be sent to a host of this name, as `plain_host` writes it; None where one may."""
    return f"{host} (cloud metadata, {NEVER})" if host in _METADATA_NAMES else None


def why_forbidden(text: str) -> str | None:
    """What kind of address this is, where it is not one of the public internet; None where it may be asked."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return "not an IP address"
    if isinstance(address, IPv4Address):
        return _special(address)
    inner = _carried(address)
    if inner is not None and (what := _special(inner)):
        return f"{what}, as {inner}"
    if address.ipv4_mapped is not None or address in _NAT64:
        return None  # how a public IPv4 host is reached from a network without IPv4
    return _special(address) or (None if address in _GLOBAL_UNICAST else "reserved")


def _special(address: IPv4Address | IPv6Address) -> str | None:
    return next((what for network, what in _NETWORKS if address in network), None)


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to this one end up at."""
    number = int(address)
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _6TO4:
        return IPv4Address(number >> 80 & 0xFFFF_FFFF)
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or (number >> 32 == 0 and number > 0xFFFF) or (number >> 32 & 0xFFFF_FFFF) in _ISATAP:
        return IPv4Address(number & 0xFFFF_FFFF)
    return None


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What a client may reach: the public internet, the private hosts named and the single addresses allowed."""

    hosts: Collection[HostPort] = ()
    allow: Collection[str] = ()
    named: Collection[HostPort] | None = None
    """those that the user gave, where known: a refusal says that this is not one of them"""
    any_private: bool = False
    """for connections that only lead to servers the user named"""

    def refusal(self, address: str, host: str, port: int) -> str | None:
        """Why a request for the host and port must not be sent to the address; None where it may."""
        what = why_forbidden(address)
        if what is None:
            return None
        if what.startswith(_NEVER):
            return f"{address} ({what}, {NEVER})"
        if self.any_private or address in self.allow or (host, port) in self.hosts:
            return None
        is_other = self.named is not None and (host, port) not in self.named
        return f"{address} ({what}{f', {NOT_NAMED}' if is_other else ''})"

    def open(self, address_info: AddressInfo) -> socket.socket:
        """The socket factory of a connector."""
        refused = self.refusal(str(address_info[4][0]), asked_host.get(), address_info[4][1])
        if refused is not None:
            raise OSError(FORBIDDEN, refused)
        family, kind, protocol, _, _ = address_info
        return socket.socket(family=family, type=kind, proto=protocol)


# The addresses a user gave → the private hosts and ports that may be asked, and a notice for each that was refused.

_MOST_NOTICES = 20
DEFAULT_PORTS = (80, 443)
_PORT = lazy_pattern(r"^(?:[a-z]+://)?(?:\[[^\]]*\]|[^\[\]:/]*):([0-9]{1,5})(?:/.*)?$")


class PrivateHosts:
    def __init__(self, options: WebOptions, named: Iterable[str], notices: list[str]) -> None:
        """`allow_private` opens the host and port of each target, and `private_hosts` what they say.

        Without a port it is those of http and https, since one leads to the other.
        """
        places = filter(None, map(host_port_of, named))
        own = frozenset(door for place in places for door in private_doors(_written(place)))
        self._opened = options.allow_private or bool(options.private_hosts)
        self.hosts = frozenset[HostPort]().union(*map(private_doors, options.private_hosts))
        self.hosts |= own if options.allow_private else frozenset()
        known = own if own or self._opened else None
        self.gate = Gate(hosts=self.hosts, allow=options.allow_addresses, named=known)
        self._notices = notices
        self._refused: set[HostPort] = set()

    def note(self, answer: Answer) -> None:
        """Add a notice for a host that was refused although the user opened private hosts, once for each."""
        if not self._opened or answer.failure is None or answer.failure.kind is not FailureKind.FORBIDDEN_ADDRESS:
            return
        place = host_port_of(answer.final_url)
        if place is None or place in self._refused or len(self._refused) >= _MOST_NOTICES:
            return
        self._refused.add(place)
        self._notices.append(f"not fetched from {_written(place)}: {answer.failure}{advice(answer)}")


def private_doors(text: str) -> frozenset[HostPort]:
    """What `HOST`, `HOST:PORT` or a URL opens, however people write it (`LOCALHOST.`, `[::1]:8080`, `127.1`).

    Empty for what is not a host.
    """
    spellings = (text if "://" in text else f"http://{text}/", f"http://[{text}]/")
    host = next(filter(None, map(host_of, spellings)), None)
    found = _PORT.search(text)  # a default port that is written opens no other
    port = int(found[1]) if found else None
    return (
        frozenset() if host is None else frozenset((host, each) for each in (DEFAULT_PORTS if port is None else [port]))
    )


def host_of(url: str) -> str | None:
    """The host of an address, as the guard sees it: number hosts such as 0x7f.1 are written as 127.0.0.1."""
    place = host_port_of(url)
    return None if place is None else place[0]


def host_port_of(url: str) -> HostPort | None:
    """The same with the port that is connected to."""
    try:
        parts = urlsplit(target_of(url).href)
        port = parts.port or DEFAULT_PORTS[parts.scheme == "https"]
    except (NotFetchableError, ValueError):
        return None
    return (plain_host(parts.hostname), port) if parts.hostname else None


def _written(place: HostPort) -> str:
    """`HOST`, or `HOST:PORT` where the port is not a default one."""
    host = f"[{place[0]}]" if ":" in place[0] else place[0]
    return host if place[1] in DEFAULT_PORTS else f"{host}:{place[1]}"


def advice(answer: Answer) -> str:
    """What to do about an address that was refused; empty where there is nothing to be done, or it was not."""
    failure = answer.failure
    if failure is None or failure.kind is not FailureKind.FORBIDDEN_ADDRESS or NEVER in failure.detail:
        return ""
    if NOT_NAMED not in failure.detail:
        return f"; {ALLOW_PRIVATE} allows it"
    place = host_port_of(answer.final_url)
    host = "" if place is None else _written(place)
    return f"; {PRIVATE_HOST} {host if host and host.isascii() else quoted(host)} allows it"


# A host → whether it can be connected to over IPv4 and IPv6, as a crawler on either network would try.

_SECONDS = 5.0
_NAMES = {socket.AF_INET: "IPv4", socket.AF_INET6: "IPv6"}


class Reach(msgspec.Struct, frozen=True):
    """One address of a host; `problem` is empty where it answered."""

    family: str
    address: str
    problem: str = ""


async def reach(host: str, port: int, gate: Gate) -> list[Reach]:
    """Every address that the name resolves to, tried once; none where it does not resolve."""
    try:
        found = await asyncio.to_thread(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    addresses = dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found if family in _NAMES)
    return list(
        await asyncio.gather(
            *(
                _try(family, address, port, gate.refusal(address, plain_host(host), port))
                for family, address in addresses
            )
        )
    )


async def _try(family: int, address: str, port: int, refusal: str | None) -> Reach:
    name = _NAMES[socket.AddressFamily(family)]
    if refusal is not None:
        return Reach(name, address, f"not tried: {why_forbidden(address)}")
    try:
        async with asyncio.timeout(_SECONDS):
            _, writer = await asyncio.open_connection(address, port)
    except TimeoutError:
        return Reach(name, address, f"no answer within {_SECONDS:.0f} s")
    except OSError as error:
        return Reach(name, address, (error.strerror or str(error)).lower())
    writer.close()
    return Reach(name, address)
