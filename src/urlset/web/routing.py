"""A request → the server that gets it and the headers that only that server may see; a response → no secret in it."""

from __future__ import annotations

import mmap
import os
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.web.access import (
    HIDDEN,
    Proxy,
    SiteAccess,
    basic,
    hideable,
    origin_of_href,
    read_netrc,
    redacted,
    spellings,
)
from urlset.web.address import NotFetchableError, target_of
from urlset.web.guard import Gate, HostPort, metadata_name, plain_host

if TYPE_CHECKING:
    from collections.abc import Mapping


class Routed(msgspec.Struct, frozen=True):
    """How one request is sent."""

    url: URL
    headers: dict[str, str]
    server_hostname: str | None = None
    """the name that the certificate must have, if it is not the host of `url`"""
    named_server: bool = False
    """the user named this server or its IP address, so it may be private"""
    proxy: Proxy | None = None
    server: str | None = None
    """the origin that answers, where another one does"""
    origin: str = ""
    secret: bool = False
    """a credential is sent, and could come back in the response"""

    @property
    def by_name(self) -> bool:
        """It goes to a server that the user named, not to the one that its address says."""
        return self.named_server or self.proxy is not None


class Router:
    """One for a client; `named` are the addresses the user gave, whose origins get what is bound to no other."""

    def __init__(self, access: SiteAccess, named: Iterable[str]) -> None:
        """Raises AccessError for a .netrc that cannot be read."""
        self._access = access
        self._servers = {each.origin: each.server for each in access.mappings}
        self.pins = {(pin.host, pin.port): pin.addresses for pin in access.pins}
        self._targets = frozenset(origin for url in named if (origin := _origin(url)) is not None)
        self._credentials = list(access.credentials)
        if access.netrc:
            known = read_netrc()
            for origin in sorted(self._targets | set(self._servers.values())):
                found = known.authenticators(urlsplit(origin).hostname or "")
                if found is not None and found[2]:
                    self._credentials.append(basic(found[0], found[2], origin))
        secrets = [secret for each in self._credentials for secret in each.secrets]
        if access.proxy is not None and access.proxy.password:
            secrets += [access.proxy.password, *basic(access.proxy.user, access.proxy.password, None).secrets]
        self._hidden = hideable(each for secret in secrets for each in spellings(secret))
        self._hidden_bytes = [each.encode() for each in self._hidden]
        self.active = bool(self._credentials or self._servers or self.pins or access.proxy)
        """False where every request goes out as its address says"""

    def route(self, href: str, headers: dict[str, str] | None) -> Routed:
        origin = origin_of_href(href)
        server = self._servers.get(origin)
        own = self._headers_for(origin, server)
        secret = bool(own)
        sent = {**own, **(headers or {})}
        if server is not None:
            # as behind a reverse proxy: the server sees the host of the address, and the scheme visitors use
            host = next((value for name, value in sent.items() if name.lower() == "host"), urlsplit(origin).netloc)
            sent["Host"] = host
            scheme = origin.partition(":")[0]
            if scheme != server.partition(":")[0]:
                sent.setdefault("X-Forwarded-Proto", scheme)
            name = urlsplit(f"//{host}").hostname if server.startswith("https:") else None
            return Routed(
                URL(server + href[len(origin) :], encoded=True), sent, name, True, None, server, origin, secret
            )
        url = URL(href, encoded=True)
        pinned = (plain_host(url.raw_host or ""), url.port or 0) in self.pins
        proxy = None if pinned else self._access.proxy
        return Routed(url, sent, None, pinned, proxy, None, origin, secret)

    def back(self, routed: Routed, location: str) -> str:
        """A redirect target in terms of the requested address: the server may name itself."""
        if routed.server is None:
            return location
        try:
            href = target_of(location, str(routed.url)).href if "://" in location else None
        except NotFetchableError:
            return location
        if href is None or origin_of_href(href) != routed.server:
            return location
        return routed.origin + href[len(routed.server) :]

    # credentials

    def _headers_for(self, origin: str, server: str | None) -> dict[str, str]:
        """Repeated headers as one; an Authorization that was given as a header replaces any other."""
        headers: dict[str, str] = {}
        for each in self._credentials:
            wanted = self._targets if each.origin is None else (each.origin,)
            if not any(_covers(named, origin) or named == server for named in wanted):
                continue
            name = next((name for name in headers if name.lower() == each.name.lower()), each.name)
            if name not in headers:
                headers[name] = each.value
            elif name.lower() != "authorization":
                headers[name] += ("; " if name.lower() == "cookie" else ", ") + each.value
        return headers

    # what comes back

    def redact(self, text: str) -> str:
        return redacted(text, self._hidden)

    def redact_bytes(self, data: bytes) -> bytes:
        """A server that repeats what it was sent must not bring it into a recording or a report."""
        for secret in self._hidden_bytes:
            if secret in data:
                data = data.replace(secret, HIDDEN.encode())
        return data

    def redact_file(self, path: Path) -> None:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if all(data.find(secret) < 0 for secret in self._hidden_bytes):
                    return
        path.write_bytes(self.redact_bytes(path.read_bytes()))

    def redact_failure(self, failure: Failure | None) -> Failure | None:
        if failure is None or not failure.detail:
            return failure
        return Failure(failure.kind, self.redact(failure.detail))


def _origin(url: str) -> str | None:
    try:
        return origin_of_href(target_of(url).href)
    except NotFetchableError:
        return None


def _covers(named: str, origin: str) -> bool:
    """The same origin, or the encrypted one of the same host."""
    if named == origin:
        return True
    return named.startswith("http:") and named.count(":") == 1 and origin == f"https:{named[5:]}"


# Requests that are answered by a server the user named: a mapped one, a pinned IP address, a proxy.
#
# Their connections are kept apart, so a request that merely leads to such a server cannot use one of them.

_MOST_KNOWN = 10_000


class PinnedNames(AbstractResolver):
    """The name service, but for the hosts and ports whose address the user gave."""

    def __init__(self, pins: Mapping[tuple[str, int], tuple[str, ...]], others: AbstractResolver) -> None:
        self._pins, self._others = pins, others

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        pinned = self._pins.get((plain_host(host), port))
        if pinned is None:
            return await self._others.resolve(host, port, family)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in pinned
        ]

    async def close(self) -> None:
        """The other resolver belongs to the wire."""


class NamedServers:
    def __init__(self, router: Router, resolver: AbstractResolver, gate: Gate) -> None:
        """`gate`: for hosts that are reached through a proxy."""
        self.resolver = PinnedNames(router.pins, resolver)
        self.socket_factory = Gate(any_private=True).open
        self._names, self._gate = resolver, gate
        self._known: dict[HostPort, Failure | None] = {}

    async def send(self, session: aiohttp.ClientSession, routed: Routed) -> aiohttp.ClientResponse:
        proxy, signed_in = routed.proxy, None
        if proxy is not None and proxy.user:
            signed_in = {"Authorization": basic(proxy.user, proxy.password, None).value}
        return await session.get(
            routed.url,
            headers=routed.headers,
            allow_redirects=False,
            server_hostname=routed.server_hostname,
            proxy=URL(proxy.url) if proxy is not None else None,
            proxy_headers=signed_in,  # aiohttp sends it to the proxy only, as Proxy-Authorization
        )

    async def refused(self, routed: Routed) -> Failure | None:
        """Behind a proxy no socket shows where a request ends, so its host is looked up before.

        A name that only the proxy can resolve is left to the proxy, unless it is that of a metadata service.
        """
        if routed.proxy is None:
            return None
        place = plain_host(routed.url.raw_host or ""), routed.url.port or 0
        if place not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[place] = await self._looked_up(*place)
        return self._known[place]

    async def _looked_up(self, host: str, port: int) -> Failure | None:
        if (refused := metadata_name(host)) is not None:
            return Failure(FailureKind.FORBIDDEN_ADDRESS, refused)
        try:
            socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
            addresses = [host]
        except OSError:
            try:
                addresses = [each["host"] for each in await self._names.resolve(host, port, socket.AF_UNSPEC)]
            except OSError:
                return None
        for address in addresses:
            refused = self._gate.refusal(address, host, port)
            if refused is not None:
                return Failure(FailureKind.FORBIDDEN_ADDRESS, refused)
        return None
