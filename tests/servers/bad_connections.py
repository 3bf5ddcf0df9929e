"""Servers that drop, reset, hang, drip or speak something that is not HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat

from tests.servers.behaviour import FINE, NO_ANSWER, Behaviour, ExpectedResult, answers, fails, fine, head
from urlset.model.answer import FailureKind as Kind
from urlset.model.visit import State
from urlset.testing.exchange import Piece, Raw, Request, TurnByTurn

DRIP = 0.05
"""seconds between two bytes: well within a read timeout, so only a total timeout ends it"""
BODY_HEAD = head("Content-Type: text/html; charset=utf-8", f"Content-Length: {len(FINE)}")
HALF = FINE[: len(FINE) // 2]


def behaviours() -> list[Behaviour]:
    return [*drops(), *silences(), *interim(), *foreign()]


def dripping(start: bytes, drop: bytes) -> Callable[[Request], Raw]:
    """One `drop` after the other, for ever."""

    def pieces() -> Iterator[Piece]:
        yield start
        while True:
            yield DRIP
            yield drop

    return lambda _: Raw(pieces())


def drops() -> list[Behaviour]:
    nothing = fails(Kind.RESET, Kind.CUT_SHORT, Kind.BAD_HTTP, states=NO_ANSWER)
    half = fails(Kind.CUT_SHORT, Kind.RESET, status=200, states=(State.ERROR, State.UNKNOWN))
    return [
        Behaviour(name="close-before-status", does="closes without a word", route=Raw(), outcomes=nothing),
        Behaviour(
            name="close-in-status-line",
            does="closes in the middle of the status line",
            route=Raw([b"HTTP/1.1 20"]),
            outcomes=nothing,
        ),
        Behaviour(
            name="close-in-headers",
            does="closes in the middle of the headers",
            route=Raw([BODY_HEAD[:-9]]),
            outcomes=nothing,
        ),
        Behaviour(
            name="close-in-body", does="closes in the middle of the body", route=Raw([BODY_HEAD, HALF]), outcomes=half
        ),
        Behaviour(
            name="close-once",
            does="closes without a word the first time, answers the second time",
            route=TurnByTurn(Raw(), fine()),
            least_tries=2,
        ),
        Behaviour(
            name="reset-before-status",
            does="resets the connection (RST) instead of answering",
            route=Raw(end="reset"),
            outcomes=fails(Kind.RESET, states=NO_ANSWER),
        ),
        Behaviour(
            name="reset-in-body",
            does="resets the connection in the middle of the body",
            # the pause lets the first half out before the reset discards what was not sent
            route=Raw([BODY_HEAD, HALF, DRIP], "reset"),
            outcomes=half,
        ),
        Behaviour(
            name="reset-once",
            does="resets the connection the first time, answers the second time",
            route=TurnByTurn(Raw(end="reset"), fine()),
            least_tries=2,
        ),
    ]


def silences() -> list[Behaviour]:
    silent = (State.UNKNOWN, State.ERROR, State.BLOCKED)
    waiting = fails(Kind.READ_TIMEOUT, Kind.TOTAL_TIMEOUT, states=silent)
    waiting_inside = fails(Kind.READ_TIMEOUT, Kind.TOTAL_TIMEOUT, status=200, states=silent)
    return [
        Behaviour(
            name="hang-before-status",
            does="takes the request and says nothing",
            route=Raw(end="hang"),
            outcomes=waiting,
        ),
        Behaviour(
            name="hang-in-headers",
            does="stops in the middle of the headers",
            route=Raw([BODY_HEAD[:-9]], "hang"),
            outcomes=waiting,
        ),
        Behaviour(
            name="hang-in-body",
            does="stops in the middle of the body",
            route=Raw([BODY_HEAD, HALF], "hang"),
            outcomes=waiting_inside,
        ),
        Behaviour(
            name="drip-headers",
            does=f"sends a header byte every {DRIP} s, for ever",
            route=dripping(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
            outcomes=fails(Kind.TOTAL_TIMEOUT, Kind.READ_TIMEOUT, Kind.BAD_HTTP, states=silent),
        ),
        Behaviour(
            name="drip-body",
            does=f"sends a body byte every {DRIP} s, for ever",
            route=dripping(head("Content-Type: text/html"), b"a"),
            outcomes=fails(Kind.TOTAL_TIMEOUT, status=200, states=silent),
        ),
        Behaviour(
            name="drip-gzip",
            does="the same with a gzip header first: nothing can be unpacked yet",
            route=dripping(
                head("Content-Type: text/html", "Content-Encoding: gzip") + b"\x1f\x8b\x08\x08" + bytes(6), b"a"
            ),
            outcomes=fails(Kind.TOTAL_TIMEOUT, status=200, states=silent),
        ),
    ]


def interim() -> list[Behaviour]:
    flood = repeat(head(status="100 Continue") * 500)
    return [
        Behaviour(
            name="early-hints",
            does="three interim answers (103) before the real one, as HTTP allows",
            route=Raw([head("Link: </a.css>; rel=preload", status="103 Early Hints") * 3, BODY_HEAD, FINE]),
        ),
        Behaviour(
            name="continue-flood",
            does="interim answers (100) without end",
            route=Raw(flood),
            outcomes=fails(Kind.TOTAL_TIMEOUT, Kind.READ_TIMEOUT, Kind.BAD_HTTP, states=NO_ANSWER),
            heavy=True,
        ),
        Behaviour(
            name="switching-protocols",
            does="101 Switching Protocols, not requested",
            route=Raw(
                [head("Upgrade: websocket", "Connection: Upgrade", status="101 Switching Protocols"), b"\x81\x00"]
            ),
            outcomes=(
                *fails(Kind.BAD_HTTP, Kind.CUT_SHORT, Kind.RESET, states=NO_ANSWER),
                *fails(Kind.BAD_HTTP, status=101, states=NO_ANSWER),
                ExpectedResult(101, states=(State.ERROR, State.UNKNOWN)),
            ),
        ),
    ]


def foreign() -> list[Behaviour]:
    odd = fails(Kind.BAD_HTTP, states=NO_ANSWER)

    def says(name: str, does: str, *pieces: bytes, outcomes: tuple[ExpectedResult, ...] = odd) -> Behaviour:
        return Behaviour(name=name, does=does, route=Raw(list(pieces)), outcomes=outcomes)

    length = f"Content-Length: {len(FINE)}\r\n\r\n".encode()
    return [
        says("http-0.9", "sends the page without status line and headers", FINE),
        says("ssh", "greets like an SSH server", b"SSH-2.0-OpenSSH_9.9\r\n"),
        says("noise", "sends random bytes", bytes(range(1, 256)) * 8),
        says("status-word", "a status line without a number", b"HTTP/1.1 fine OK\r\n" + length, FINE),
        says("status-huge", "a status of five digits", b"HTTP/1.1 20000 OK\r\n" + length, FINE),
        says("status-line-endless", "a status line of 4 MB", b"HTTP/1.1 200 ", *[b"O" * (1 << 20)] * 4),
        says(
            "no-reason",
            "a status line without a reason, as HTTP allows",
            b"HTTP/1.1 200\r\n" + length,
            FINE,
            outcomes=(ExpectedResult(),),
        ),
        says(
            "http-1.0",
            "answers in HTTP/1.0 without a length",
            b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n",
            FINE,
            outcomes=(ExpectedResult(),),
        ),
        says(
            "line-feeds",
            "ends its lines with LF alone",
            b"HTTP/1.1 200 OK\n" + length.replace(b"\r", b""),
            FINE,
            outcomes=(ExpectedResult(), *odd),
        ),
        says(
            "status-999",
            "status 999, with which one large network turns bots away",
            b"HTTP/1.1 999 Request denied\r\nContent-Length: 0\r\n\r\n",
            outcomes=(*answers(999, State.BLOCKED, State.UNKNOWN, State.ERROR), *odd),
        ),
    ]
