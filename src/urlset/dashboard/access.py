"""Who may see the dashboard: passwords and tokens, sessions that expire, and the checks on every request."""

from __future__ import annotations

import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import parse_qs, quote

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from urlset.model.errors import UrlsetError
from urlset.web.address import host_of_header, is_loopback_host

SHORTEST_TOKEN = 16
_LIFETIME = 12 * 3_600
_MOST_SESSIONS = 10_000
FAILURES, WINDOW = 5, 60.0
"""wrong passwords from one address within so many seconds, after which it has to wait"""
_FAILURES_OF_ALL = 50
"""the same for all addresses together"""
HASH = "$argon2"
"""how a hashed password starts"""


class ProtectionError(UrlsetError):
    """The dashboard may not be served like this; the message says what to do."""


def hash_password(password: str) -> str:
    from argon2 import PasswordHasher

    return PasswordHasher().hash(password)


class Protection(msgspec.Struct, frozen=True):
    """What opens the dashboard; neither: it is open to everyone who reaches it."""

    token: str | None = None
    password: str | None = None
    """an argon2 hash"""

    @property
    def is_open(self) -> bool:
        return self.token is None and self.password is None

    def token_fits(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(self.token.encode(), given.encode("utf-8", "replace"))

    def fits(self, given: str) -> bool:
        """The password or the token. Takes about 50 ms and 64 MB for a password."""
        if self.token_fits(given):
            return True
        if self.password is None:
            return False
        from argon2 import PasswordHasher
        from argon2.exceptions import Argon2Error, InvalidHashError

        try:
            return PasswordHasher().verify(self.password, given)
        except (Argon2Error, InvalidHashError):
            return False


def access_for(host: str, token: str | None, password: str | None, *, is_public: bool = False) -> Protection:
    """Raises ProtectionError if other machines or a proxy can reach it and nothing protects it."""
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise ProtectionError(f"the token is too short: use at least {SHORTEST_TOKEN} characters")
    if password is not None and not password.startswith(HASH):
        password = hash_password(password)
    access = Protection(token or None, password)
    if access.is_open and (is_public or not is_loopback_host(host)):
        raise ProtectionError(
            f"{'a public URL' if is_public else host} can be reached by others:"
            " protect it with `urlset serve --set-password` or the variable URLSET_SERVE_TOKEN"
        )
    return access


class SignInSession(msgspec.Struct):
    id: str
    ends: float
    signed_in: bool


class Sessions:
    """Known to this process only: a restart ends them all."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._key = secrets.token_bytes(32)
        self._clock = clock
        self._known: dict[str, SignInSession] = {}

    def start(self, *, signed_in: bool) -> SignInSession:
        now = self._clock()
        if len(self._known) >= _MOST_SESSIONS:
            self._known = {name: each for name, each in self._known.items() if each.ends > now and each.signed_in}
        while len(self._known) >= _MOST_SESSIONS:
            self._known.pop(next(iter(self._known)))
        session = SignInSession(secrets.token_urlsafe(24), self._clock() + _LIFETIME, signed_in)
        self._known[session.id] = session
        return session

    def cookie(self, session: SignInSession) -> str:
        return f"{session.id}.{self._sign('session', session.id)}"

    def find(self, cookie: str) -> SignInSession | None:
        name, _, signature = cookie.partition(".")
        if not hmac.compare_digest(self._sign("session", name), signature):
            return None
        session = self._known.get(name)
        return session if session is not None and session.ends > self._clock() else None

    def end(self, session: SignInSession) -> None:
        self._known.pop(session.id, None)

    def form_token(self, session: SignInSession) -> str:
        """What a form of this session has to send along."""
        return self._sign("form", session.id)

    def form_token_fits(self, session: SignInSession, given: str) -> bool:
        return hmac.compare_digest(self.form_token(session), given.encode("ascii", "replace").decode())

    def _sign(self, purpose: str, text: str) -> str:
        digest = hmac.new(self._key, f"{purpose}:{text}".encode("utf-8", "replace"), sha256).digest()
        return urlsafe_b64encode(digest).decode().rstrip("=")


class LoginLimit:
    """Counts failures by address; the right password has to wait too, or the wait would say that it was right."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: deque[tuple[float, str]] = deque()

    def wait(self, address: str) -> float:
        """Seconds until this address may try; 0 for now."""
        now = self._clock()
        while self._failures and now - self._failures[0][0] >= WINDOW:
            self._failures.popleft()
        own = [at for at, who in self._failures if who == address]
        waits = [0.0]
        if len(own) >= FAILURES:
            waits.append(WINDOW - (now - own[-FAILURES]))
        if len(self._failures) >= _FAILURES_OF_ALL:
            waits.append(WINDOW - (now - self._failures[-_FAILURES_OF_ALL][0]))
        return max(waits)

    def failed(self, address: str) -> None:
        self._failures.append((self._clock(), address))


# Checks on a request: right host, small, signed in, not forged. Answers get strict headers.

COOKIE = "urlset_session"
LONGEST_TARGET = 8_192
LARGEST_BODY = 65_536
UPLOADS, LARGEST_UPLOAD = ("/validator",), 16 << 20
"""paths that take files, and how much of them"""
OPEN_PATHS, OPEN_FOLDER = ("/login", "/healthz"), "/static/"
"""what can be seen without signing in"""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class AllowedHosts:
    """The names under which the dashboard may be asked: another one is a DNS rebinding attack or a mistake."""

    def __init__(self, bound: str, names: Iterable[str] = ()) -> None:
        self._is_local = is_loopback_host(bound)
        self._names = {name.lower() for name in (bound, *names)}

    def allows(self, headers: Sequence[str]) -> bool:
        """The Host headers of a request: exactly one, with exactly a host, or a host and a port."""
        name = host_of_header(headers[0]) if len(headers) == 1 else None
        if name is None:
            return False
        if name in self._names or is_loopback_host(name):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return not self._is_local  # an address that was typed is not a name that was rebound


class RequestGuard:
    """The outermost layer of the application."""

    def __init__(
        self, app: ASGIApp, *, access: Protection, sessions: Sessions, hosts: AllowedHosts, is_secure: bool
    ) -> None:
        self._app, self._access, self._sessions, self._hosts = app, access, sessions, hosts
        self._is_secure = is_secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        known = self._sessions.find(request.cookies.get(COOKIE, ""))
        session = known or self._sessions.start(signed_in=self._access.is_open)
        scope["state"] = {**scope.get("state", {}), "session": session}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                session: SignInSession = scope["state"]["session"]
                if known is None or scope["state"].get("renewed"):
                    secure = "; Secure" if self._is_secure else ""
                    headers.append(
                        "set-cookie",
                        f"{COOKIE}={self._sessions.cookie(session)}; Path=/; HttpOnly; SameSite=Lax{secure}",
                    )
            await send(message)

        refusal = await self._refusal(request, session)
        answer: ASGIApp = refusal or self._app
        await answer(scope, _limited(receive, _largest(str(scope["path"]))), send_with_headers)

    async def _refusal(self, request: Request, session: SignInSession) -> Response | None:
        # never `request.url`, which is put together from the Host header
        headers, path = request.headers, str(request.scope["path"])
        if not self._hosts.allows(headers.getlist("host")):
            return PlainTextResponse("unknown host; start `urlset serve` with --public-url\n", 421)
        if len(path) + len(request.scope["query_string"]) > LONGEST_TARGET:
            return PlainTextResponse("the URL is too long\n", 414)
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("method not allowed\n", 405, {"allow": "GET, HEAD, POST"})
        given = headers.get("content-length", "0")
        is_number = given.isascii() and given.isdigit() and len(given) < 12
        if not is_number or int(given) > _largest(path):
            return PlainTextResponse("the request is too large\n", 413)
        is_open = path in OPEN_PATHS or path.startswith(OPEN_FOLDER)
        kind, _, token = headers.get("authorization", "").partition(" ")
        bears_token = kind.lower() == "bearer" and self._access.token_fits(token.strip())
        if not session.signed_in and not is_open and not bears_token:
            if request.method != "GET" or request.headers.get("hx-request"):
                return PlainTextResponse("sign in first\n", 401, {"hx-redirect": "/login"})
            query = request.scope["query_string"].decode("latin-1")
            target = quote(path) + (f"?{query}" if query else "")
            return RedirectResponse(f"/login?next={quote(target, safe='')}", 303)
        if request.method == "POST" and not _from_here(headers):
            return PlainTextResponse("the request came from another site\n", 403)
        return None


def _largest(path: str) -> int:
    return LARGEST_UPLOAD if path in UPLOADS else LARGEST_BODY


def _from_here(headers: Headers) -> bool:
    """Browsers say where a form was sent from; a request without that is judged by its form token alone."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin, host = headers.get("origin"), headers.get("host", "")
    return origin is None or origin in (f"http://{host}", f"https://{host}")


def _limited(receive: Receive, most: int) -> Receive:
    """A body without a length may not be endless either."""
    read = 0

    async def receive_some() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            return {"type": "http.disconnect"}
        return message

    return receive_some


async def form_of(request: Request) -> dict[str, str]:
    """The last value of each field of an ordinary form; other bodies are none."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return {}
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qs(body, keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return {}
    return {name: values[-1] for name, values in fields.items()}
