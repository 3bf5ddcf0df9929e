"""One request → one Exchange: what came back, or how it failed; nothing is retried or followed here."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.web import tls
from urlset.web.body import ACCEPTED, read_body
from urlset.web.exchange import Exchange, Headers
from urlset.web.failures import NETWORK_ERRORS, failure_of, is_lasting
from urlset.web.guard import AddressInfo, Gate, asked_host, plain_host
from urlset.web.interim import count_interim_answers
from urlset.web.options import WebOptions
from urlset.web.routing import Routed, Router
from urlset.web.servers import NamedServers

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
        self,
        options: WebOptions,
        gate: Gate,
        resolver: AbstractResolver | None = None,
        router: Router | None = None,
    ) -> None:
        """Must be made inside the running loop. Raises OSError where `ca_file` cannot be used."""
        logging.getLogger("aiohttp").addHandler(logging.NullHandler())  # hide warnings about odd cookies
        own_context = options.ca_file is not None or not options.verify_tls
        context = tls.context(options.ca_file, verify=options.verify_tls) if own_context else True
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
            body.data,
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
    count_interim_answers(connector)
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


_known_names: dict[bytes, str] = {}


def _readable(raw: tuple[tuple[bytes, bytes], ...]) -> Headers:
    """Names in lowercase; values as UTF-8 or, where they are not, as Latin-1."""
    names = _known_names
    received = []
    for name, value in raw:
        known = names.get(name)
        if known is None:
            known = name.decode("latin-1").lower()
            if len(names) < 1000:
                names[name] = known
        try:
            received.append((known, value.decode()))
        except UnicodeDecodeError:
            received.append((known, value.decode("latin-1")))
    return tuple(received)
