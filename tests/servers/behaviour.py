"""One way in which a server can misbehave, and what a correct client and audit must conclude from it."""

from __future__ import annotations

import msgspec

from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Raw, Route, Routes

FINE_TITLE = "A page without fault"
FINE = (
    f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{FINE_TITLE}</title></head><body><h1>'
    f"{FINE_TITLE}</h1><p>{'It was served as it should be, and each client received the whole of it. ' * 12}</p>"
    "</body></html>\n"
).encode()
"""what is behind the good ends of the bad roads"""

NO_ANSWER = (State.ERROR, State.BLOCKED, State.UNKNOWN)
"""nothing came back: a firewall against bots looks the same as a broken server, so each of these is honest"""


class ExpectedResult(msgspec.Struct, frozen=True):
    """One conclusion that is right."""

    status: int | None = 200
    failure: FailureKind | None = None
    states: tuple[State, ...] = (State.OK,)
    """what an audit may call it; never anything else"""
    truncated: bool = False


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """A route, what it does, and the conclusions that are right: usually one, several where standards leave it open."""

    name: str
    does: str
    """for the reader of a list"""
    route: Route
    outcomes: tuple[ExpectedResult, ...] = (ExpectedResult(),)
    more: Routes = {}
    """further routes it needs"""
    path: str = ""
    """where it differs from `/name`"""
    hops: int | None = 0
    """redirects that belong into the answer; None where the outcomes differ in it"""
    title: str | None = None
    """of the page, where the audit must be able to read it"""
    least_tries: int = 1
    waits: float = 0.0
    """seconds that a polite client waits before it asks again"""
    heavy: bool = False
    """made to exhaust memory: worth a measurement"""
    outside: bool = False
    """leads to an address beyond loopback: only for a client that refuses to go there"""
    soft_404: bool = False
    """an error page with status 200"""

    @property
    def at(self) -> str:
        return self.path or f"/{self.name}"

    def routes(self) -> Routes:
        return {self.at: self.route, **self.more}


def fails(
    *kinds: FailureKind, status: int | None = None, states: tuple[State, ...] = (State.ERROR,)
) -> tuple[ExpectedResult, ...]:
    """One of these failures."""
    return tuple(ExpectedResult(status, kind, states) for kind in kinds)


def answers(status: int, *states: State) -> tuple[ExpectedResult, ...]:
    """That status, without failure."""
    return (ExpectedResult(status, states=states),)


def head(*lines: str, status: str = "200 OK") -> bytes:
    """A status line and header lines, for Raw answers."""
    return "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *lines, "")).encode("latin-1")


def fine(**headers: str) -> PageAnswer:
    return PageAnswer(body=FINE, headers={name.replace("_", "-"): value for name, value in headers.items()})


def whole(body: bytes, *lines: str, status: str = "200 OK", end: str = "close") -> Raw:
    """A Raw answer with the right length, to which odd header lines can be added."""
    first = head("Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}", *lines, status=status)
    return Raw([first + body], "keep" if end == "keep" else "close")
