"""Requests that are answered by a server the user named: a mapped one, a pinned IP address, a proxy.

Their connections are kept apart, so a request that merely leads to such a server cannot use one of them.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.web.access import Proxy, basic
from urlset.web.guard import Gate, HostPort, metadata_name, plain_host
from urlset.web.routing import Routed, Router

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def _signed_in(proxy: Proxy) -> dict[str, str]:
    """aiohttp sends it to the proxy only, as Proxy-Authorization."""
    return {"Authorization": basic(proxy.user, proxy.password, None).value}


class NamedServers:
    def __init__(self, router: Router, resolver: AbstractResolver, gate: Gate) -> None:
        """`gate`: for hosts that are reached through a proxy."""
        self.resolver = PinnedNames(router.pins, resolver)
        self.socket_factory = Gate(any_private=True).open
        self._names, self._gate = resolver, gate
        self._known: dict[HostPort, Failure | None] = {}

    async def send(self, session: aiohttp.ClientSession, routed: Routed) -> aiohttp.ClientResponse:
        proxy = routed.proxy
        return await session.get(
            routed.url,
            headers=routed.headers,
            allow_redirects=False,
            server_hostname=routed.server_hostname,
            proxy=URL(proxy.url) if proxy is not None else None,
            proxy_headers=_signed_in(proxy) if proxy is not None and proxy.user else None,
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
