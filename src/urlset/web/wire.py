"""One request → one Exchange: what came back, or how it failed; nothing is retried or followed here."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import aiohttp
import msgspec
from aiohttp import StreamReader
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import BadHttpMessage
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.model.errors import ArgumentValueError
from urlset.reading.limits import BOMB_FLOOR, BOMB_RATIO
from urlset.reading.unpack import Damaged, quick
from urlset.web import failures
from urlset.web.failures import NETWORK_ERRORS, failure_of, is_lasting
from urlset.web.guard import AddressInfo, Gate, asked_host, plain_host
from urlset.web.options import WebOptions
from urlset.web.pace import Exchange, Headers
from urlset.web.routing import NamedServers, Routed, Router

if TYPE_CHECKING:
    import socket
    import ssl

    from aiohttp.abc import AbstractResolver


REDIRECTS = frozenset({301, 302, 303, 307, 308})

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_LONGEST_HEADER = 1 << 16
_REDIRECT_BODY = 1 << 16
"""read only to reuse the connection"""
_DNS_SECONDS = 300
_IDLE_SECONDS = 15.0


class Wire:
    """The session: connections that are kept, names that are remembered, the guard at every socket."""

    def __init__(
        self, options: WebOptions, gate: Gate, resolver: AbstractResolver | None = None, router: Router | None = None
    ) -> None:
        """Must be made inside the running loop. Raises OSError where `ca_file` cannot be used."""
        logging.getLogger("aiohttp").addHandler(logging.NullHandler())  # hide warnings about odd cookies
        own_context = options.ca_file is not None or not options.verify_tls
        context = failures.context(options.ca_file, verify=options.verify_tls) if own_context else True
        self._resolver = aiohttp.ThreadedResolver() if resolver is None else resolver
        self._session = _session(options, context, self._resolver, gate.open)
        self._router = router if router is not None and router.active else None
        self._named: NamedServers | None = None
        if self._router is not None:
            self._named = NamedServers(self._router, self._resolver, gate)
            self._routed = _session(options, context, self._named.resolver, self._named.socket_factory)

    async def close(self) -> None:
        await self._session.close()
        if self._named is not None:
            await self._routed.close()
        await self._resolver.close()

    async def ask(
        self, href: str, *, cap: int, headers: dict[str, str] | None = None, spool: Path | None = None
    ) -> Exchange:
        """`href` must be escaped already. The body of a redirect is not kept."""
        started = time.monotonic()
        if self._router is None or self._named is None:
            return await self._exchange(started, self._plain(href, headers), cap, spool)
        routed = self._router.route(href, headers)
        refused = await self._named.refused(routed)
        if refused is not None:
            return Exchange(failure=refused, seconds=time.monotonic() - started, started=started)
        sending = self._plain(href, routed.headers) if not routed.by_name else self._named.send(self._routed, routed)
        exchange = await self._exchange(started, sending, cap, spool)
        return _in_terms_of(self._router, routed, exchange, spool)

    async def _plain(self, href: str, headers: dict[str, str] | None) -> aiohttp.ClientResponse:
        url = URL(href, encoded=True)
        for_host = asked_host.set(plain_host(url.raw_host or ""))
        try:
            return await self._session.get(url, headers=headers, allow_redirects=False)
        finally:
            asked_host.reset(for_host)

    async def _exchange(
        self, started: float, sending: Coroutine[Any, Any, aiohttp.ClientResponse], cap: int, spool: Path | None
    ) -> Exchange:
        try:
            response = await sending
        except NETWORK_ERRORS as error:
            return Exchange(
                failure=failure_of(error),
                lasting=is_lasting(error),
                seconds=time.monotonic() - started,
                started=started,
            )
        first_byte = time.monotonic() - started
        try:
            received = _readable(response.raw_headers)
            status = response.status
            if status in REDIRECTS and any(name == "location" for name, _ in received):
                await read_body(response.content, None, _REDIRECT_BODY)
                return Exchange(
                    status, received, seconds=time.monotonic() - started, first_byte=first_byte, started=started
                )
            encoding = next((value for name, value in received if name == "content-encoding"), None)
            if response.connection is None:  # it is all here already
                body = await read_body(response.content, encoding, cap, spool)
            else:
                with _reporting_the_end(response):
                    body = await read_body(response.content, encoding, cap, spool)
        finally:
            response.close()  # gives back a connection whose answer was read to the end, drops any other
        return Exchange(
            status,
            received,
            b"".join(body.pieces),
            body.truncated,
            _with_announced(body.failure, received),
            wire_bytes=body.wire_bytes,
            seconds=time.monotonic() - started,
            first_byte=first_byte,
            started=started,
        )


def _session(
    options: WebOptions,
    context: ssl.SSLContext | bool,
    resolver: AbstractResolver,
    guarded: Callable[[AddressInfo], socket.socket],
) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(
        limit=0,  # the pace counts
        ssl=context,
        resolver=resolver,
        ttl_dns_cache=_DNS_SECONDS,
        keepalive_timeout=_IDLE_SECONDS,
        socket_factory=guarded,
    )
    # there is no public way to name the protocol of a connector
    made: Any = functools.partial(CountingHandler, loop=asyncio.get_running_loop())
    connector._factory = made  # noqa: SLF001
    session = aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        headers={"User-Agent": options.user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED},
        timeout=aiohttp.ClientTimeout(
            total=options.total_timeout, connect=options.connect_timeout, sock_read=options.read_timeout
        ),
        max_line_size=_LONGEST_HEADER,
        max_field_size=_LONGEST_HEADER,
    )
    # aiohttp would ask again at once where a kept connection was dropped: a request that no pace knows of
    session._retry_connection = False  # noqa: SLF001
    return session


def _in_terms_of(router: Router, routed: Routed, exchange: Exchange, spool: Path | None) -> Exchange:
    """The response in terms of the requested address, without any credential that it repeats."""
    headers = exchange.headers
    if routed.server is not None and exchange.status in REDIRECTS:
        headers = tuple((name, router.back(routed, value) if name == "location" else value) for name, value in headers)
    if not routed.secret and routed.proxy is None:
        return msgspec.structs.replace(exchange, headers=headers)
    if spool is not None and exchange.status is not None and exchange.status not in REDIRECTS:
        router.redact_file(spool)
    return msgspec.structs.replace(
        exchange,
        headers=tuple((name, router.redact(value)) for name, value in headers),
        body=router.redact_bytes(exchange.body),
        failure=router.redact_failure(exchange.failure),
    )


@contextmanager
def _reporting_the_end(response: aiohttp.ClientResponse) -> Iterator[None]:
    """aiohttp lets the reader of a body wait for ever where the rest of it could not be parsed."""
    content, connection = response.content, response.connection
    protocol = connection.protocol if connection is not None else None
    ended = protocol.closed if protocol is not None else None
    if ended is None:
        yield
        return

    def tell(_ended: asyncio.Future[None]) -> None:
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection has ended"))

    ended.remove_done_callback(_heard)  # of an earlier answer: a connection may bring thousands
    ended.add_done_callback(_heard)
    ended.add_done_callback(tell)
    try:
        yield
    finally:
        ended.remove_done_callback(tell)


def _heard(ended: asyncio.Future[None]) -> None:
    """The end of a connection that is not read any more is not an error: asyncio would print it otherwise."""
    if not ended.cancelled():
        ended.exception()


def _with_announced(failure: Failure | None, headers: Headers) -> Failure | None:
    if failure is None or failure.kind is not FailureKind.CUT_SHORT:
        return failure
    announced = next((value for name, value in headers if name == "content-length"), None)
    if announced is None or not announced.isdigit():
        return failure
    return Failure(failure.kind, f"{failure.detail} of {int(announced):,}")


def _readable(raw: tuple[tuple[bytes, bytes], ...]) -> Headers:
    """Names in lowercase; values as UTF-8 or, where they are not, as Latin-1."""
    received = []
    for name, value in raw:
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = value.decode("latin-1")
        received.append((name.decode("latin-1").lower(), text))
    return tuple(received)


# A body as it arrives → its bytes with the content encoding undone, up to a cap, in memory or in a file.

ACCEPTED = "gzip, deflate"
"""Accept-Encoding: what every server supports without an extra package"""

_PIECE = 1 << 18
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 31, 15, -15
_MOST_LAYERS = 3
_MOST_MEMBERS = 10_000
"""of one gzip stream: the tools that write many put 64 KB in each"""
_WASTE = 1 << 16
"""bytes and an eighth of the cap: what a body may be larger packed than unpacked"""


class BrokenEncodingError(ArgumentValueError):
    """The message says how."""


class Inflater:
    """One layer of gzip or deflate, fed piece by piece and let out in pieces that bound the memory."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._head = b""
        self._engine: Any = quick.decompressobj(_GZIP_BITS) if encoding == "gzip" else None
        self._fed = False
        self.is_over = False
        """whatever follows is ignored, as browsers do"""
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        if self._engine is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return
            # `deflate` means a zlib stream, but some servers send a bare one
            has_header = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
            self._engine = quick.decompressobj(_ZLIB_BITS if has_header else _RAW_BITS)
        while data and not self.is_over:
            try:
                piece = self._engine.decompress(data, _PIECE)
            except Damaged as error:
                raise BrokenEncodingError(f"not {self.encoding}, or damaged") from error
            if piece:
                yield piece
            data = self._engine.unconsumed_tail
            if self._engine.eof:
                # another member may follow
                data = self._engine.unused_data
                self.is_over = self.encoding != "gzip" or (bool(data) and not data.startswith(b"\x1f"))
                if data and not self.is_over:
                    self._members += 1
                    if self._members > _MOST_MEMBERS:
                        raise BrokenEncodingError(f"more than {_MOST_MEMBERS:,} members of {self.encoding}")
                    self._engine = quick.decompressobj(_GZIP_BITS)
            elif not piece and not data:
                return

    def finish(self) -> None:
        if self._fed and not self.is_over and (self._engine is None or not self._engine.eof):
            raise BrokenEncodingError(f"the {self.encoding} stream ends in the middle")


def inflaters(encoding: str | None) -> list[Inflater]:
    """In the order of undoing. Raises BrokenEncodingError for an encoding that was not requested."""
    names = [name.strip().lower().removeprefix("x-") for name in (encoding or "").split(",")]
    names = [name for name in names if name not in ("", "identity")]
    for name in names:
        if name not in ("gzip", "deflate"):
            raise BrokenEncodingError(f"{name[:40]!r}, which was not requested")
    if len(names) > _MOST_LAYERS:
        raise BrokenEncodingError(f"{len(names)} layers of it")
    return [Inflater(name) for name in reversed(names)]


def _undone(layers: list[Inflater], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].feed(data):
        yield from _undone(layers[1:], piece)


class Body:
    """Collects up to the cap, in memory or in a file."""

    def __init__(self, cap: int, file: BinaryIO | None = None) -> None:
        self.size = self.wire_bytes = 0
        self.cap, self.file = cap, file
        self.pieces: list[bytes] = []
        self.truncated = False
        self.failure: Failure | None = None

    def take(self, piece: bytes) -> bool:
        """Whether all of it had room."""
        room = self.cap - self.size
        self.size += len(piece)
        if len(piece) > room:
            piece = piece[: max(room, 0)]
        if self.file is None:
            self.pieces.append(piece)
        else:
            self.file.write(piece)
        return self.size <= self.cap

    def drop_as_bomb(self) -> None:
        self.pieces.clear()
        if self.file is not None:
            self.file.truncate(0)
        self.failure = Failure(FailureKind.BOMB, f"{self.size:,} bytes and more out of {self.wire_bytes:,}")


async def read_body(content: StreamReader, encoding: str | None, cap: int, spool: Path | None = None) -> Body:
    """Never raises for what comes over the wire; errors of the spool file are the caller's."""
    with nullcontext() if spool is None else spool.open("wb") as file:
        body = Body(cap, file)
        await _read(content, encoding, body)
        return body


async def _read(content: StreamReader, encoding: str | None, body: Body) -> None:
    try:
        layers = inflaters(encoding) if encoding else []
        while body.failure is None:
            try:
                data = await content.readany()
            except NETWORK_ERRORS as error:
                body.failure = failure_of(error)
                data = _left_over(content)
            if not data and body.failure is None:
                break
            body.wire_bytes += len(data)
            for piece in _undone(layers, data):
                has_room = body.take(piece)
                is_large = not has_room or body.size > BOMB_FLOOR
                if layers and is_large and body.size > BOMB_RATIO * body.wire_bytes:
                    body.drop_as_bomb()
                    return
                if not has_room:
                    body.truncated, body.failure = True, None
                    return
            if layers and body.wire_bytes > body.cap + body.cap // 8 + _WASTE:
                if not layers[0].is_over:
                    said = f"{body.wire_bytes:,} bytes and more that unpack to {body.size:,}"
                    body.failure = body.failure or Failure(FailureKind.BAD_ENCODING, said)
                break
        if body.failure is None:
            for layer in layers:
                layer.finish()
    except BrokenEncodingError as error:
        body.failure = body.failure or Failure(FailureKind.BAD_ENCODING, str(error))
    if body.failure is not None and body.failure.kind is FailureKind.CUT_SHORT:
        body.failure = Failure(FailureKind.CUT_SHORT, f"after {body.wire_bytes:,} bytes")


def _left_over(content: StreamReader) -> bytes:
    """What had arrived before the connection broke: the library forgets it, so the same answer would differ by luck."""
    try:
        content._exception = None  # noqa: SLF001 - there is no public way to it
        return content.read_nowait()
    except (*NETWORK_ERRORS, AttributeError, RuntimeError):
        return b""


# Interim answers (100 to 199) → a few are passed over, a flood of them is cut off before it fills the memory.

MOST = 64


class CountingHandler(ResponseHandler):
    """aiohttp passes over interim answers one by one, however fast they come."""

    _interim = 0

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        if data[0].code >= 200:
            self._interim = 0
        else:
            self._interim += 1
            if self._interim > MOST:
                if self.transport is not None:
                    self.transport.abort()
                self.set_exception(BadHttpMessage("endless interim responses"))
                return
        super().feed_data(data, size)
