"""One address and some options → its Answer, for tests that need a single request."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from urlset.model.answer import Answer
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.web.pace import Pace

LOOPBACK = frozenset({"127.0.0.1", "127.0.0.2", "127.0.0.3", "::1"})
"""addresses of test sites"""
QUICK: Mapping[str, Any] = {"allow_private": True, "allow_addresses": LOOPBACK, "backoff": 0.01, "patience": 0.05}
ASKING = frozenset({"cap", "validators", "spool", "patient", "keep"})


def quick(**options: Any) -> WebOptions:
    closed: dict[str, Any] = {} if options.get("allow_private", True) else {"allow_addresses": frozenset()}
    return WebOptions(**{**QUICK, **closed, **options})


def fetch(url: str, *, named: tuple[str, ...] = (), resolver: AbstractResolver | None = None, **given: Any) -> Answer:
    """What `Client.get` takes goes there, everything else is an option; the user named the address itself."""
    asked = {name: given.pop(name) for name in ASKING & given.keys()}

    async def get() -> Answer:
        async with Client(quick(**given), named=named or (url,), resolver=resolver) as client:
            return await client.get(url, **asked)

    return run(get())


def fetch_all(*urls: str, **given: Any) -> list[Answer]:
    """All at once, by one client."""
    resumed = given.pop("resumed", False)

    async def get() -> list[Answer]:
        async with Client(quick(**given), named=urls, resumed=resumed) as client:
            return list(await asyncio.gather(*(client.get(url) for url in urls)))

    return run(get())


class Names(AbstractResolver):
    """A name service that answers from a table; what is not in it does not exist."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del family
        self.asked.append(host)
        if host not in self.answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self.answers[host]
        ]

    async def close(self) -> None:
        pass


def pace_of(client: Client) -> Pace:
    """Of a client that sends its requests by itself."""
    pace = client._pace
    assert isinstance(pace, Pace)
    return pace
