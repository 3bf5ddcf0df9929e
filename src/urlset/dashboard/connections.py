"""Connections → those that ask for something: a slow or silent client cannot keep others out.

uvicorn waits for a request as long as the client likes and counts every open connection, so 200 clients that sent one
byte each made it refuse everyone. Here a request has a deadline, and so has a client that does not read its answer.
When too many connections are open, from one address or in all, the oldest one without a complete request makes room
for the new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0
"""from the first byte of a request, or the start of the connection, to the end of the request's body"""
UNREAD_SECONDS = 30.0
"""for which a client may leave its answer unread"""
MOST, MOST_OF_CLIENT = 256, 64
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)


class LimitedProtocol(H11Protocol):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline, self._unread = _Timer(self, REQUEST_SECONDS), _Timer(self, UNREAD_SECONDS)
        self.network: str | int = ""
        self.opened = 0.0

    @property
    def is_waiting(self) -> bool:
        """For a request, or for the rest of one."""
        return self.conn.their_state in _INCOMPLETE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self.opened, self.network = self.loop.time(), _network(self.client)
        self._deadline.start()
        everyone: set[LimitedProtocol] = self.connections  # type: ignore[assignment]  # all are made by this class
        own = [each for each in everyone if each.network == self.network]
        if len(own) > MOST_OF_CLIENT:
            self._make_room(own)
        elif len(everyone) > MOST:
            self._make_room(everyone)

    def _make_room(self, among: Iterable[LimitedProtocol]) -> None:
        waiting = (each for each in among if each is not self and each.is_waiting)
        min(waiting, key=lambda each: each.opened, default=self).drop()

    def drop(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._deadline.start()
        super().data_received(data)
        if not self.is_waiting:
            self._deadline.stop()

    def pause_writing(self) -> None:
        self._unread.start()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unread.stop()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.stop()
        self._unread.stop()
        super().connection_lost(exc)


class _Timer:
    """Drops a connection unless it is stopped in time; starting it again gives no more time."""

    def __init__(self, connection: LimitedProtocol, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        if self._handle is None:
            self._handle = self._connection.loop.call_later(self._seconds, self._connection.drop)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


def _network(client: tuple[str, int] | None) -> str | int:
    """An IPv4 address, or the 64 bits of an IPv6 address that one customer of a provider gets."""
    host = client[0] if client else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    return int(address) >> 64 if isinstance(address, IPv6Address) and not address.ipv4_mapped else host
