"""Host text → its punycode spelling, and what keeps it from being a public host name."""

from __future__ import annotations

import ipaddress
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from urlset.spec.lazy_module import LazyModule
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import ada_url
else:
    ada_url = LazyModule("ada_url")


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
        return ada_url.URL(f"http://{host}/").hostname or None
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
        return [HostFault.IP_LITERAL, *_faults_of_ip(address)]
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


def _faults_of_ip(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[HostFault]:
    return [fault for fault, network in _NETWORK_FAULTS if address in network][:1]
