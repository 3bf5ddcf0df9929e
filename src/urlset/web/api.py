"""One call to a service API → its answer or how it failed; retried where that helps, secrets kept out of every text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import aiohttp
import msgspec
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.web.address import is_loopback_host
from urlset.web.failures import NETWORK_ERRORS, failure_of
from urlset.web.guard import Gate, PrivateHosts, asked_host, plain_host
from urlset.web.options import USER_AGENT, WebOptions

HIDDEN = "***"
_MOST_BYTES = 64 << 20
_SHORTEST = 6
"""characters of a secret that is looked for: a shorter one would blacken ordinary words"""
_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_TRANSIENT = frozenset({500, 502, 503, 504})


class ApiRequest(msgspec.Struct, frozen=True):
    """What is sent; `json`, `text`, `data` or `form` is the body."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    json: Any = None
    text: str | None = None
    data: bytes | None = None
    """JSON in exactly these bytes, which a signature covers"""
    form: tuple[tuple[str, str], ...] = ()
    idempotent: bool = True
    """may be sent again when it is unknown whether it arrived"""

    def body(self) -> tuple[bytes | None, str | None]:
        """The bytes and their content type."""
        if self.json is not None:
            return json.dumps(self.json, ensure_ascii=False).encode(), "application/json; charset=utf-8"
        if self.data is not None:
            return self.data, "application/json"
        if self.text is not None:
            return self.text.encode(), "text/plain"
        if self.form:
            return urlencode(self.form).encode(), "application/x-www-form-urlencoded"
        return None, None


class ApiAnswer(msgspec.Struct, frozen=True):
    """A status with its body, or a failure."""

    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    failure: Failure | None = None
    tries: int = 1

    @property
    def ok(self) -> bool:
        return self.failure is None and self.status is not None and 200 <= self.status < 300

    @property
    def transient(self) -> bool:
        """Worth another try later: it was not reached, or it had a server error."""
        return self.failure is not None or self.status in _TRANSIENT

    def json(self) -> Any:
        """The decoded body; None where it is empty or not JSON."""
        try:
            return json.loads(self.body) if self.body.strip() else None
        except ValueError:
            return None

    def retry_after(self) -> float | None:
        value = next((value for name, value in self.headers if name == "retry-after"), "")
        return float(value) if value.isdigit() else None


class Api:
    """Connections to service APIs; `async with Api(...) as api`.

    An endpoint on loopback may be called without a flag, because a person named it; every other address that is not
    public is refused, also when DNS answers with one, unless `named` has a URL of its host and port. Redirects are not
    followed: an API has none.
    """

    def __init__(
        self,
        *,
        timeout: float = 60.0,
        tries: int = 4,
        backoff: float = 1.0,
        max_wait: float = 60.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        named: Iterable[str] = (),
    ) -> None:
        self._private = PrivateHosts(WebOptions(allow_private=True), named, []).hosts
        self._timeout, self._tries, self._backoff, self._max_wait = timeout, tries, backoff, max_wait
        self._sleep = sleep
        self._secrets: set[str] = set()
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def hide(self, secrets: Iterable[str]) -> None:
        """Texts that must appear in no message."""
        self._secrets.update(secret for secret in secrets if len(secret) >= _SHORTEST)

    def redact(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text

    async def call(self, request: ApiRequest) -> ApiAnswer:
        """Send it; again after a failure that may pass, with growing pauses. A 429 is waited for only as told."""
        answer = ApiAnswer()
        for number in range(1, self._tries + 1):
            answer = msgspec.structs.replace(await self._once(request), tries=number)
            wait = self._wait(request, answer, number)
            if wait is None:
                break
            await self._sleep(wait)
        return answer

    def _wait(self, request: ApiRequest, answer: ApiAnswer, number: int) -> float | None:
        """Seconds before the next try; None when there is none."""
        if number >= self._tries:
            return None
        asked = answer.retry_after()
        if answer.status == 429:  # without a time, trying again only burns quota
            return asked if asked is not None and asked <= self._max_wait else None
        if not answer.transient or (answer.failure is not None and not _may_pass(request, answer.failure)):
            return None
        wait = self._backoff * 2 ** (number - 1) if asked is None else asked
        return wait if wait <= self._max_wait else None

    async def _once(self, request: ApiRequest) -> ApiAnswer:
        body, kind = request.body()
        headers = dict(request.headers) | ({"Content-Type": kind} if kind else {})
        try:
            url = URL(request.url, encoded=True)
            asked_host.set(plain_host(url.raw_host or ""))
            session = self._session(is_loopback(request.url))
            async with session.request(
                request.method, url, data=body, headers=headers, allow_redirects=False
            ) as response:
                received = await response.content.read(_MOST_BYTES + 1) if response.status != 204 else b""
                while len(received) <= _MOST_BYTES and (more := await response.content.read(1 << 16)):
                    received += more
                if len(received) > _MOST_BYTES:
                    return ApiAnswer(response.status, failure=Failure(FailureKind.BOMB, "the answer is too large"))
                named = tuple((name.lower(), value) for name, value in response.headers.items())
                return ApiAnswer(response.status, named, received)
        except NETWORK_ERRORS as error:
            found = failure_of(error)
            return ApiAnswer(failure=Failure(found.kind, self.redact(found.detail)))

    def _session(self, loopback: bool) -> aiohttp.ClientSession:
        found = self._sessions.get(loopback)
        if found is None:
            allow = _LOOPBACK if loopback else frozenset()
            connector = aiohttp.TCPConnector(
                limit=64, socket_factory=Gate(hosts=self._private, allow=allow).open, keepalive_timeout=15.0
            )
            found = self._sessions[loopback] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
                timeout=aiohttp.ClientTimeout(total=self._timeout, connect=10.0),
            )
        return found


def _may_pass(request: ApiRequest, failure: Failure) -> bool:
    if failure.kind in (FailureKind.FORBIDDEN_ADDRESS, FailureKind.BAD_ADDRESS) or failure.kind.is_tls:
        return False
    if failure.kind in (FailureKind.DNS, FailureKind.REFUSED, FailureKind.UNREACHABLE, FailureKind.CONNECT_TIMEOUT):
        return True
    return request.idempotent


def is_loopback(url: str) -> bool:
    """Whether the address names this machine."""
    try:
        return is_loopback_host(urlsplit(url).hostname or "")
    except ValueError:
        return False
