"""One call to a service API → its answer or how it failed; retried where that helps, secrets kept out of every text."""

from __future__ import annotations

import asyncio
import json
import smtplib
import ssl
from collections.abc import Iterable
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import aiohttp
import msgspec
from yarl import URL

from urlset.model.answer import Failure, FailureKind
from urlset.web.access import hideable, redacted
from urlset.web.address import is_loopback_host
from urlset.web.failures import NETWORK_ERRORS, failure_of
from urlset.web.guard import Gate, PrivateHosts, asked_host, host_port_of, plain_host
from urlset.web.options import USER_AGENT, WebOptions

_MOST_BYTES = 64 << 20
_LONGEST_WAIT = 60.0
_LASTING = frozenset({FailureKind.FORBIDDEN_ADDRESS, FailureKind.BAD_ADDRESS})
_NOT_SENT = frozenset({FailureKind.DNS, FailureKind.REFUSED, FailureKind.UNREACHABLE, FailureKind.CONNECT_TIMEOUT})
"""failures after which it is certain that nothing arrived"""
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
        self, *, timeout: float = 60.0, tries: int = 4, backoff: float = 1.0, named: Iterable[str] = ()
    ) -> None:
        self._private = set(PrivateHosts(WebOptions(allow_private=True), named, []).hosts)
        self._timeout, self._tries, self._backoff = timeout, tries, backoff
        self._secrets: list[str] = []
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def hide(self, secrets: Iterable[str]) -> None:
        """Texts that must appear in no message."""
        self._secrets = hideable((*self._secrets, *secrets))

    def redact(self, text: str) -> str:
        return redacted(text, self._secrets)

    async def call(self, request: ApiRequest) -> ApiAnswer:
        """Send it; again after a failure that may pass, with growing pauses. A 429 is waited for only as told."""
        answer = ApiAnswer()
        for number in range(1, self._tries + 1):
            answer = msgspec.structs.replace(await self._once(request), tries=number)
            wait = self._wait(request, answer, number)
            if wait is None:
                break
            await asyncio.sleep(wait)
        return answer

    def _wait(self, request: ApiRequest, answer: ApiAnswer, number: int) -> float | None:
        """Seconds before the next try; None when there is none."""
        if number >= self._tries:
            return None
        asked = answer.retry_after()
        if answer.status == 429:  # without a time, trying again only burns quota
            return asked if asked is not None and asked <= _LONGEST_WAIT else None
        failed = None if answer.failure is None else answer.failure.kind
        if not answer.transient or failed in _LASTING or (failed is not None and failed.is_tls):
            return None
        if failed is not None and failed not in _NOT_SENT and not request.idempotent:
            return None
        wait = self._backoff * 2 ** (number - 1) if asked is None else asked
        return wait if wait <= _LONGEST_WAIT else None

    async def _once(self, request: ApiRequest) -> ApiAnswer:
        body, kind = request.body()
        headers = dict(request.headers) | ({"Content-Type": kind} if kind else {})
        try:
            url = URL(request.url, encoded=True)
            asked_host.set(plain_host(url.raw_host or ""))
            place = host_port_of(request.url)
            if place is not None and is_loopback_host(place[0]):
                self._private.add(place)
            async with self._opened().request(
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

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            gate = Gate(hosts=self._private)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=64, socket_factory=gate.open, keepalive_timeout=15.0),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
                timeout=aiohttp.ClientTimeout(total=self._timeout, connect=10.0),
            )
        return self._session


def is_loopback(url: str) -> bool:
    """Whether the address names this machine."""
    try:
        return is_loopback_host(urlsplit(url).hostname or "")
    except ValueError:
        return False


# A message → handed to a mail server; credentials are sent over TLS only.

_SECONDS = 30.0
_TLS_FROM_THE_START = 465


class Mailbox(msgspec.Struct, frozen=True):
    """Where mail is handed in, and as whom."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Mailbox({self.host}:{self.port})"


def send_mail(mailbox: Mailbox, to: str, subject: str, text: str, message_id: str) -> str:
    """Why it was not taken; empty where it was. The same `message_id` on a second try lets servers drop a copy."""
    try:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = mailbox.sender, to, subject
        message["Date"] = formatdate()
        message["Message-ID"] = f"<{message_id}@urlset.invalid>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        with _connected(mailbox) as server:
            server.send_message(message)
    except smtplib.SMTPAuthenticationError:
        return "the mail server refused the user name or password"
    except smtplib.SMTPResponseException as error:
        return f"the mail server answered {error.smtp_code}"
    except smtplib.SMTPRecipientsRefused:
        return "the mail server refused the recipient"
    except (smtplib.SMTPException, ValueError) as error:
        return str(error)[:200] or type(error).__name__
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def _connected(mailbox: Mailbox) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if mailbox.port == _TLS_FROM_THE_START:
        server: smtplib.SMTP = smtplib.SMTP_SSL(mailbox.host, mailbox.port, timeout=_SECONDS, context=context)
    else:
        server = smtplib.SMTP(mailbox.host, mailbox.port, timeout=_SECONDS)
        server.ehlo_or_helo_if_needed()
        if server.has_extn("starttls"):
            server.starttls(context=context)
        elif mailbox.user and not is_loopback_host(mailbox.host):
            server.close()
            raise smtplib.SMTPException("the mail server offers no TLS, so the password was not sent")
    if mailbox.user:
        server.login(mailbox.user, mailbox.password)
    return server
