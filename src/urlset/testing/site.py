"""Routes → a real HTTP/1.1 server on loopback, in a thread, that logs every request it sees."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from urlset.testing.exchange import Raw, Reply, Request, Routes
from urlset.testing.request_log import Logged
from urlset.testing.service import Service

LOOPBACK = "127.0.0.1"
PATIENCE = 10.0


class Site(Logged):
    """`with Site({"/": "hello"}) as site:` serves on a free port until the block ends.

    A route is a Page, a Raw, bare text or bytes, or a callable (also async) that makes one of these from the Request.
    `routes` may be changed while the site runs. A route that raises is answered with 500, and its exception comes
    out at the end of the block.
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

        `tls`: see certificates.py. `greeting` is sent to each client that connects, instead of HTTP.
        `note` is called in the server's thread with every request that has ended.
        """
        self._service = Service(routes, tls=tls, greeting=greeting, note=note)
        self._addresses = addresses
        self.port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._trouble: BaseException | None = None

    @property
    def routes(self) -> Routes:
        return self._service.routes

    @property
    def log(self) -> list[Request]:  # type: ignore[override]
        return self._service.log

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:4711`."""
        return f"{self._service.scheme}://{self._addresses[0]}:{self.port}"

    def url(self, path: str = "/", host: str | None = None) -> str:
        """The address of a path; `host` is what the URL says instead of 127.0.0.1: localhost, or one of `addresses`."""
        return f"{self._service.scheme}://{host or self._addresses[0]}:{self.port}{path}"

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

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if fault is None and self._service.faults:
            raise self._service.faults[0]

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as trouble:  # noqa: BLE001 - raised again in the thread that started us
            self._trouble = trouble
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self.port = await self._service.listen(self._addresses, self.port)
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            await self._service.close()
