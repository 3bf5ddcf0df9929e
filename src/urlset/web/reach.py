"""A host → whether it can be connected to over IPv4 and IPv6, as a crawler on either network would try."""

from __future__ import annotations

import asyncio
import socket

import msgspec

from urlset.web.guard import Gate, plain_host, why_forbidden

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
