"""One connection to a test server: bytes become requests, what the routes say becomes bytes."""

from __future__ import annotations

import asyncio
import inspect
import socket
import struct
import time
from collections.abc import AsyncIterable, Awaitable, Coroutine
from typing import Protocol, cast

from urlset.testing.exchange import PageAnswer, Piece, Raw, Reply, Request, as_page
from urlset.testing.wire import HeadTooLongError, encode, take_request


class Serving(Protocol):
    """What a connection needs to know of the server it belongs to."""

    connections: set[Connection]
    log: list[Request]
    greeting: Raw | None
    scheme: str

    def next_number(self) -> int: ...

    def note(self, request: Request) -> None: ...

    def reply_to(self, request: Request) -> Reply | Awaitable[Reply | None]: ...

    def broken_route(self, fault: Exception) -> PageAnswer: ...


class Connection(asyncio.Protocol):
    """Answers one request after the other; a slow answer is a task, a plain one is written at once."""

    def __init__(self, service: Serving) -> None:
        self.service = service
        self.number = service.next_number()
        self.transport: asyncio.Transport | None = None
        self.buffer = bytearray()
        self.current: Request | None = None
        self.task: asyncio.Task[None] | None = None
        self.writable = asyncio.Event()
        self.writable.set()
        self.gone = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.service.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.service.connections.discard(self)
        self.gone.set()
        self.writable.set()
        if self.task is not None:
            self.task.cancel()
        self._finish(None)

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        if self.service.greeting is not None:
            if self.task is None:
                self._start(self._send_raw(self.service.greeting))
            return
        self.buffer += data
        self._proceed()

    def _proceed(self) -> None:
        while self.current is None and self.buffer and self.transport is not None and not self.transport.is_closing():
            try:
                request = take_request(self.buffer)
            except HeadTooLongError:
                self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n")
                self.transport.close()
                return
            except ValueError:
                self.transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                self.transport.close()
                return
            if request is None:
                return
            request.connection = self.number
            request.scheme = self.service.scheme
            request.started = time.monotonic()
            self.current = request
            self.service.log.append(request)
            self._answer(request)

    def _answer(self, request: Request) -> None:
        reply = self.service.reply_to(request)
        if inspect.isawaitable(reply):
            self._start(self._await(reply, request))
        else:
            self._give(reply, request)

    async def _await(self, coming: Awaitable[Reply | None], request: Request) -> None:
        reply: Reply | None
        try:
            reply = await coming
        except Exception as fault:  # noqa: BLE001 - a broken route must not leave the client waiting
            reply = self.service.broken_route(fault)
        self._give(PageAnswer(404, "no such page\n") if reply is None else reply, request)

    def _give(self, reply: Reply, request: Request) -> None:
        if isinstance(reply, Raw):
            self._start(self._send_raw(reply))
            return
        page = reply if isinstance(reply, PageAnswer) else as_page(reply, request.path)
        if page.pause > 0:
            asyncio.get_running_loop().call_later(page.pause, self._send, page, request)
        else:
            self._send(page, request)

    def _send(self, page: PageAnswer, request: Request) -> None:
        if self.current is not request or self.transport is None or self.transport.is_closing():
            return
        data, status, keep = encode(page, request)
        # noted before it is written: the client may have it before the next line runs
        self._finish(status)
        self.transport.write(data)
        if keep:
            # a plain answer inside _proceed is followed by the loop there; a late one has to look itself
            if self.buffer:
                asyncio.get_running_loop().call_soon(self._proceed)
        else:
            self.transport.close()

    def _finish(self, status: int | None) -> None:
        request, self.current = self.current, None
        if request is not None:
            request.status = status
            request.ended = time.monotonic()
            self.service.note(request)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        self.task = asyncio.get_running_loop().create_task(work)

    async def _send_raw(self, raw: Raw) -> None:
        transport = self.transport
        assert transport is not None
        if isinstance(raw.pieces, AsyncIterable):
            async for piece in raw.pieces:
                await self._send_piece(transport, piece)
        else:
            for piece in raw.pieces:
                await self._send_piece(transport, piece)
        if raw.end == "hang":
            await self.gone.wait()
        self._finish(None)
        if raw.end == "keep":
            self._proceed()
        elif raw.end == "reset":
            reset(transport)
        else:
            transport.close()

    async def _send_piece(self, transport: asyncio.Transport, piece: Piece) -> None:
        if not isinstance(piece, bytes):
            await asyncio.sleep(piece)
            return
        if transport.is_closing():
            raise asyncio.CancelledError
        transport.write(piece)
        if self.writable.is_set():
            # an endless answer must not keep the other connections from being served
            await asyncio.sleep(0)
        else:
            await self.writable.wait()


def reset(transport: asyncio.Transport) -> None:
    """Drop the connection with RST instead of FIN."""
    plug = transport.get_extra_info("socket")
    if plug is not None:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
