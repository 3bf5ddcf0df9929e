"""Who may see the dashboard: a token or a password → sessions that are signed, expire, and can be ended."""

from __future__ import annotations

import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections import deque
from collections.abc import Callable
from hashlib import sha256

import msgspec

from urlset.web.address import is_loopback_host

SHORTEST_TOKEN = 16
_LIFETIME = 12 * 3_600
_MOST_SESSIONS = 10_000
FAILURES, WINDOW = 5, 60.0
"""wrong passwords from one address within so many seconds, after which it has to wait"""
_FAILURES_OF_ALL = 50
"""the same for all addresses together"""
HASH = "$argon2"
"""how a hashed password starts"""


class ProtectionError(Exception):
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
    """Raises AccessError where it can be reached from elsewhere, perhaps through a proxy, and nothing protects it."""
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
        self._forget_old()
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

    def _forget_old(self) -> None:
        now = self._clock()
        if len(self._known) >= _MOST_SESSIONS:
            self._known = {name: each for name, each in self._known.items() if each.ends > now and each.signed_in}
        while len(self._known) >= _MOST_SESSIONS:
            self._known.pop(next(iter(self._known)))


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
