"""Headers that are too many, too long or malformed, and content types that are missing or untrue."""

from __future__ import annotations

from itertools import chain, repeat

from tests.servers.behaviour import FINE, FINE_TITLE, Behaviour, ExpectedResult, fails, whole
from urlset.model.answer import FailureKind as Kind
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Raw

REFUSED = fails(Kind.BAD_HTTP, states=(State.ERROR, State.UNKNOWN, State.BLOCKED))
EITHER = (ExpectedResult(), *REFUSED)
STRAY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(FINE)
TERMINAL_TITLE = "\x1b[2J\x1b]0;owned\x07 Fine"


def behaviours() -> list[Behaviour]:
    return [*sizes(), *malformed(), *types()]


def sizes() -> list[Behaviour]:
    return [
        Behaviour(
            name="header-of-a-megabyte",
            does="one header of 1 MB",
            route=Raw([STRAY, b"X-Long: ", b"a" * (1 << 20), b"\r\n\r\n", FINE]),
            outcomes=EITHER,
            heavy=True,
        ),
        Behaviour(
            name="headers-by-the-thousand",
            does="5,000 headers",
            route=Raw([STRAY, *(b"X-Number-%d: %d\r\n" % (n, n) for n in range(5000)), b"\r\n", FINE]),
            outcomes=EITHER,
        ),
        Behaviour(
            name="headers-a-hundred",
            does="100 headers, which some sites do send",
            route=whole(FINE, *(f"X-Number-{n}: {n}" for n in range(98))),
        ),
        Behaviour(
            name="headers-endless",
            does="headers without end",
            route=lambda _: Raw(chain([STRAY], repeat(b"X-Again: and again\r\n" * 400))),
            outcomes=fails(Kind.BAD_HTTP, Kind.TOTAL_TIMEOUT, states=(State.ERROR, State.UNKNOWN, State.BLOCKED)),
            heavy=True,
        ),
        Behaviour(
            name="header-endless",
            does="one header without end",
            route=lambda _: Raw(chain([STRAY, b"X-Long: "], repeat(b"a" * 8000))),
            outcomes=fails(Kind.BAD_HTTP, Kind.TOTAL_TIMEOUT, states=(State.ERROR, State.UNKNOWN, State.BLOCKED)),
            heavy=True,
        ),
    ]


def malformed() -> list[Behaviour]:
    def sends(name: str, does: str, line: bytes, outcomes: tuple[ExpectedResult, ...] = EITHER) -> Behaviour:
        return Behaviour(name=name, does=does, route=Raw([STRAY + line + b"\r\n\r\n" + FINE]), outcomes=outcomes)

    good = (ExpectedResult(),)
    return [
        sends("header-nul", "a NUL in a header", b"X-Odd: a\x00b"),
        sends("header-bare-cr", "a bare CR in a header", b"X-Odd: a\rSet-Cookie: b=c"),
        sends("header-bare-lf", "a bare LF that starts another header", b"X-Odd: a\nX-Injected: yes"),
        sends("header-folded", "a header folded over two lines, as was allowed once", b"X-Odd: a\r\n  b"),
        sends("header-space-before-colon", "a space before the colon", b"X-Odd : a"),
        sends("header-no-colon", "a header line without a colon", b"this is not a header"),
        sends("header-no-name", "a header without a name", b": a"),
        sends("header-empty-value", "a header without a value", b"X-Odd:", good),
        sends("header-utf-8", "UTF-8 in a header", "X-Odd: grüße".encode(), good),
        sends("header-latin-1", "Latin-1 in a header", "X-Odd: grüße".encode("latin-1"), good),
        sends("header-terminal", "terminal escapes in a header", b"X-Robots-Tag: \x1b[31mnoindex"),
        sends("header-bad-cookie", "a cookie that follows no rule", b"Set-Cookie: =;;\xff; path=\x22", good),
        sends("header-bad-link", "a Link header that follows no rule", b'Link: <<>>; rel="canonical; ,,;', good),
        sends("header-bad-dates", "dates that are none", b"Last-Modified: yesterday\r\nExpires: -1", good),
    ]


def types() -> list[Behaviour]:
    binary = bytes(range(256)) * 200

    def serves(name: str, does: str, page: PageAnswer, title: str | None = None) -> Behaviour:
        return Behaviour(name=name, does=does, route=page, title=title)

    return [
        serves("type-missing", "HTML without a Content-Type", PageAnswer(body=FINE, type=None), FINE_TITLE),
        serves("type-empty", "HTML with an empty Content-Type", PageAnswer(body=FINE, type="")),
        serves("type-nonsense", "HTML with a nonsense Content-Type", PageAnswer(body=FINE, type=";;/text;html=;")),
        serves(
            "type-upper-case", "HTML with a shouted Content-Type", PageAnswer(body=FINE, type="TEXT/HTML"), FINE_TITLE
        ),
        serves("binary-as-html", "binary data called HTML", PageAnswer(body=binary)),
        serves("nul-in-html", "HTML full of NUL bytes", PageAnswer(body=FINE.replace(b" ", b"\x00 "))),
        serves("deep-html", "20,000 elements inside each other", PageAnswer(body=b"<div>" * 20_000 + FINE)),
        serves(
            "terminal-title",
            "terminal escapes in the title",
            PageAnswer(body=f"<title>{TERMINAL_TITLE}</title>".encode() + FINE),
            TERMINAL_TITLE,
        ),
        serves(
            "title-endless", "a title of 1 MB", PageAnswer(body=b"<title>" + b"fine " * 200_000 + b"</title>" + FINE)
        ),
    ]
