"""The addresses a user gave → the private hosts and ports that may be asked, and a notice for each that was refused."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from urlset.model.answer import Answer, FailureKind
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.web.address import NotFetchableError, quoted, target_of
from urlset.web.guard import NEVER, NOT_NAMED, Gate, HostPort, plain_host
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST, WebOptions

_MOST_NOTICES = 20
DEFAULT_PORTS = (80, 443)
_PORT = lazy_pattern(r"^(?:[a-z]+://)?(?:\[[^\]]*\]|[^\[\]:/]*):([0-9]{1,5})(?:/.*)?$")


class PrivateHosts:
    def __init__(self, options: WebOptions, named: Iterable[str], notices: list[str]) -> None:
        """`allow_private` opens the host and port of each target, and `private_hosts` what they say.

        Without a port it is those of http and https, since one leads to the other.
        """
        own = frozenset(door for url in named for door in _doors(url))
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
    port = _port_of(text)
    return (
        frozenset() if host is None else frozenset((host, each) for each in (DEFAULT_PORTS if port is None else [port]))
    )


def _doors(url: str) -> frozenset[HostPort]:
    place = host_port_of(url)
    return frozenset() if place is None else private_doors(_written(place))


def _port_of(text: str) -> int | None:
    """The port that is written; a default one that is written opens no other."""
    found = _PORT.search(text)
    return int(found[1]) if found else None


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
