"""Routes → a real HTTP/1.1 server on loopback, in a thread, that logs every request it sees.

Site        listens in its thread, finds the route of a request, keeps the log
Connection  bytes become requests, answers become bytes
"""

from __future__ import annotations

import asyncio
import gzip
import http
import inspect
import socket
import ssl
import struct
import threading
import time
import traceback
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Sequence
from email.utils import formatdate, parsedate_to_datetime
from itertools import count
from typing import Self, cast

from urlset.testing.exchange import Logged, PageAnswer, Piece, Raw, Reply, Request, Route, Routes, as_page

LOOPBACK = "127.0.0.1"
PATIENCE = 10.0
NOT_FOUND = PageAnswer(404, "no such page\n", type="text/plain; charset=utf-8")
LONGEST_HEAD = 1 << 16
BODILESS = frozenset({204, 304})
REASONS = {each.value: each.phrase for each in http.HTTPStatus}


class Site(Logged):
    """`with Site({"/": "hello"}) as site:` serves on a free port until the block ends.

    A route is a PageAnswer, a Raw, bare text or bytes, or a callable (also async) that makes one of these from the
    Request. They are looked up as `host/path?query`, `host/path`, `/path?query`, `/path`; then the longest `…*`.
    `routes` may be changed while the site runs. A route that raises is answered with 500, and its exception comes out
    at the end of the block.
    """

    def __init__(
        self,
        routes: Routes | Callable[[Request], Reply | None],
        *,
        port: int = 0,
        addresses: Sequence[str] = (LOOPBACK,),
        tls: ssl.SSLContext | None = None,
        greeting: Raw | None = None,
        note: Callable[[Request], None] | None = None,
    ) -> None:
        """`addresses`: 127.0.0.2 and so on are further hosts on the same port (not on macOS).

        `tls` is a context with a certificate. `greeting` is sent to each client that connects, instead of HTTP.
        `note` is called in the server's thread with every request that has ended.
        """
        self.routes: Routes = {"/*": routes} if callable(routes) else routes
        self._addresses, self._tls, self._note = addresses, tls, note
        self.port = port
        self.greeting = greeting
        self.scheme = "http" if tls is None else "https"
        self.log: list[Request] = []
        self.connections: set[Connection] = set()
        self._faults: list[Exception] = []
        self._numbers = count(1)
        self._servers: list[asyncio.Server] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._trouble: BaseException | None = None

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:4711`."""
        return f"{self.scheme}://{self._addresses[0]}:{self.port}"

    def url(self, path: str = "/", host: str | None = None) -> str:
        """The address of a path; `host` is what the URL says instead of 127.0.0.1: localhost, or one of `addresses`."""
        return f"{self.scheme}://{host or self._addresses[0]}:{self.port}{path}"

    def start(self) -> Self:
        self._thread = threading.Thread(target=self._serve, name="urlset.testing.Site", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._trouble is not None:
            self._thread.join()
            raise self._trouble
        return self

    def stop(self) -> None:
        """End every connection and free the port; the log stays."""
        if self._thread is None or self._loop is None or self._stop is None:
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise RuntimeError(f"the test server did not stop within {PATIENCE:.0f} s: a route must be blocking")
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: object, *_fault: object) -> None:
        self.stop()
        if kind is None and self._faults:
            raise self._faults[0]

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as trouble:  # noqa: BLE001 - raised again in the thread that started us
            self._trouble = trouble
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        for address in self._addresses:  # the system chooses a port for the first; the same port for the others
            server = await self._loop.create_server(
                lambda: Connection(self, next(self._numbers)), address, self.port, ssl=self._tls, backlog=1024
            )
            self._servers.append(server)
            self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            for server in self._servers:
                server.close()
            connections = list(self.connections)
            for connection in connections:
                if connection.transport is not None:
                    connection.transport.abort()
            # sockets are closed in the next turns of the loop
            await asyncio.gather(*(each.gone.wait() for each in connections))
            await asyncio.gather(*(each.task for each in connections if each.task is not None), return_exceptions=True)

    def note(self, request: Request) -> None:
        if self._note is not None:
            self._note(request)

    def reply_to(self, request: Request) -> Reply | Awaitable[Reply | None]:
        route = self._route(request)
        if route is None:
            return NOT_FOUND
        if not callable(route):
            return route
        try:
            return route(request) or NOT_FOUND
        except Exception as fault:  # noqa: BLE001 - kept, and raised when the site is closed
            return self.broken_route(fault)

    def broken_route(self, fault: Exception) -> PageAnswer:
        self._faults.append(fault)
        return PageAnswer(500, "".join(traceback.format_exception(fault)), type="text/plain; charset=utf-8")

    def _route(self, request: Request) -> Route | None:
        host, path, routes = request.host, request.path, self.routes
        for key in (f"{host}{request.target}", f"{host}{path}", request.target, path):
            if (route := routes.get(key)) is not None:
                return route
        for name in (f"{host}{path}", path):
            for length in range(len(name), -1, -1):
                if (route := routes.get(f"{name[:length]}*")) is not None:
                    return route
        return None


class Connection(asyncio.Protocol):
    """Answers one request after the other; a slow answer is a task, a plain one is written at once."""

    def __init__(self, site: Site, number: int) -> None:
        self.site, self.number = site, number
        self.transport: asyncio.Transport | None = None
        self.buffer = bytearray()
        self.current: Request | None = None
        self.task: asyncio.Task[None] | None = None
        self.writable = asyncio.Event()
        self.writable.set()
        self.gone = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.site.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.site.connections.discard(self)
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
        if self.site.greeting is not None:
            if self.task is None:
                self._start(self._send_raw(self.site.greeting))
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
            request.scheme = self.site.scheme
            request.started = time.monotonic()
            self.current = request
            self.site.log.append(request)
            reply = self.site.reply_to(request)
            if inspect.isawaitable(reply):
                self._start(self._await(reply, request))
            else:
                self._give(reply, request)

    async def _await(self, coming: Awaitable[Reply | None], request: Request) -> None:
        reply: Reply | None
        try:
            reply = await coming
        except Exception as fault:  # noqa: BLE001 - a broken route must not leave the client waiting
            reply = self.site.broken_route(fault)
        self._give(NOT_FOUND if reply is None else reply, request)

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
            self.site.note(request)

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


class HeadTooLongError(Exception):
    """The head of a request has no end in sight."""


def take_request(buffer: bytearray) -> Request | None:
    """The first request in the buffer, which loses it; None while it is not whole; ValueError where it is not HTTP."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > LONGEST_HEAD:
            raise HeadTooLongError
        return None
    lines = buffer[:end].decode("latin-1").split("\r\n")
    method, target, version = lines[0].split(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError(version)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        name, value = name.lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if "transfer-encoding" in headers:
        raise ValueError("no chunked requests here")
    length = int(headers.get("content-length", 0))
    if len(buffer) < end + 4 + length:
        return None
    body = bytes(buffer[end + 4 : end + 4 + length])
    del buffer[: end + 4 + length]
    if version == "HTTP/1.0":
        headers.setdefault("connection", "close")
    return Request(method=method, target=target, headers=headers, body=body)


def encode(page: PageAnswer, request: Request) -> tuple[bytes, int, bool]:
    """The answer as sent, its status, and whether the connection stays open."""
    pairs = page.pairs()
    names = {name.lower(): value for name, value in pairs}
    keep = "close" not in request.headers.get("connection", "").lower() and names.get("connection") != "close"
    unchanged = page.status == 200 and request.method in {"GET", "HEAD"} and is_unchanged(names, request)
    status = 304 if unchanged else page.status
    lines = [f"HTTP/1.1 {status} {page.reason or REASONS.get(status, 'Unknown')}", f"Date: {formatdate(usegmt=True)}"]
    body = b""
    if status not in BODILESS:
        body = page.payload()
        if page.gzip and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(body, 1, mtime=0)
            lines.append("Content-Encoding: gzip\r\nVary: Accept-Encoding")
        if page.type is not None:
            lines.append(f"Content-Type: {page.type}")
        if "content-length" not in names:
            lines.append(f"Content-Length: {len(body)}")
    lines.extend(f"{name}: {value}" for name, value in pairs)
    if not keep and "connection" not in names:
        lines.append("Connection: close")
    # bytes above 0x7f go out as latin-1 where they can: that is how servers send them
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "backslashreplace")
    return (head if request.method == "HEAD" else head + body), status, keep


def is_unchanged(headers: dict[str, str], request: Request) -> bool:
    """If-None-Match counts where it is sent, If-Modified-Since only without it (RFC 9110, 13.2.2)."""
    wanted = request.headers.get("if-none-match")
    if wanted is not None:
        etag = headers.get("etag")
        return etag is not None and (wanted.strip() == "*" or bare(etag) in {bare(each) for each in wanted.split(",")})
    since, modified = request.headers.get("if-modified-since"), headers.get("last-modified")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False


def bare(etag: str) -> str:
    return etag.strip().removeprefix("W/")
