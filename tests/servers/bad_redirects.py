"""Redirects that loop, never end, or lead where no page can be."""

from __future__ import annotations

from itertools import chain, repeat

from tests.servers.behaviour import FINE, FINE_TITLE, Behaviour, ExpectedResult, answers, fails, fine, head
from urlset.model.answer import FailureKind as Kind
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Raw, Request, Routes, redirect

FINE_PATH = "/fine"
ENCODED_PATH = "/gr%C3%BC%C3%9Fe%20aus"


def behaviours() -> list[Behaviour]:
    return [*loops(), *endless(), *nowhere(), *outside(), *unusual()]


def ring(name: str, length: int) -> Behaviour:
    paths = [f"/{name}", *(f"/{name}/{step}" for step in range(1, length))]
    routes: Routes = {
        path: redirect(following, 302) for path, following in zip(paths, [*paths[1:], paths[0]], strict=True)
    }
    return Behaviour(
        name=name,
        does=f"a circle of {length} redirect{'s' if length > 1 else ''}",
        route=routes[paths[0]],
        more=routes,
        outcomes=fails(Kind.REDIRECT_LOOP, status=302),
        hops=length,
    )


def loops() -> list[Behaviour]:
    def with_cookie(request: Request) -> PageAnswer:
        if "seen=1" in request.headers.get("cookie", ""):
            return fine()
        return redirect("/loop-without-cookie", 302, Set_Cookie="seen=1; Path=/")

    def flip(request: Request) -> PageAnswer:
        return redirect(f"{request.origin}/loop-slash{'' if request.path.endswith('/') else '/'}")

    return [
        ring("loop-1", 1),
        ring("loop-2", 2),
        ring("loop-3", 3),
        Behaviour(
            name="loop-slash",
            does="adds the final slash and takes it away again, with absolute addresses",
            route=flip,
            more={"/loop-slash/": flip},
            outcomes=fails(Kind.REDIRECT_LOOP, status=301),
            hops=2,
        ),
        Behaviour(
            name="loop-without-cookie",
            does="redirects to itself until a cookie comes back; search engines send none",
            route=with_cookie,
            outcomes=(*fails(Kind.REDIRECT_LOOP, status=302), *answers(200, State.REDIRECTED)),
            hops=1,
        ),
        Behaviour(
            name="loop-fragment",
            does="redirects to #top of itself",
            route=redirect("#top", 302),
            outcomes=fails(Kind.REDIRECT_LOOP, status=302),
            hops=1,
        ),
    ]


def endless() -> list[Behaviour]:
    def count_up(request: Request) -> PageAnswer:
        step = int(request.path.rpartition("/")[2] or 0)
        return redirect(f"/endless/{step + 1}", 302)

    def grow(request: Request) -> PageAnswer:
        return redirect(f"/growing?{request.query or 'x'}{request.query or 'x'}", 302)

    def reversed_steps(request: Request) -> PageAnswer:
        step = int(request.path.rpartition("/")[2])
        return redirect(f"/chain/{step - 1}" if step else FINE_PATH, (301, 302, 307, 308)[step % 4])

    return [
        Behaviour(
            name="endless",
            does="every address redirects to a new one",
            path="/endless/0",
            route=count_up,
            more={"/endless/*": count_up},
            outcomes=fails(Kind.TOO_MANY_REDIRECTS, status=302),
            hops=None,
        ),
        Behaviour(
            name="growing",
            does="every redirect doubles the length of the address",
            route=grow,
            outcomes=fails(Kind.TOO_MANY_REDIRECTS, Kind.BAD_REDIRECT, status=302),
            hops=None,
        ),
        Behaviour(
            name="chain",
            does="four redirects in four ways, then a page",
            path="/chain/3",
            route=reversed_steps,
            more={"/chain/*": reversed_steps, FINE_PATH: fine()},
            outcomes=answers(200, State.REDIRECTED),
            hops=4,
            title=FINE_TITLE,
        ),
    ]


def nowhere() -> list[Behaviour]:
    def to(name: str, does: str, location: str, *kinds: Kind) -> Behaviour:
        kinds = kinds or (Kind.BAD_REDIRECT, Kind.BAD_ADDRESS)
        return Behaviour(
            name=name, does=does, route=redirect(location, 302), outcomes=fails(*kinds, status=302), hops=None
        )

    gone = (
        *fails(Kind.REFUSED, Kind.DNS, Kind.UNREACHABLE, Kind.CONNECT_TIMEOUT, states=(State.ERROR, State.UNKNOWN)),
    )
    return [
        Behaviour(
            name="redirect-without-location",
            does="301 without a Location header",
            route=PageAnswer(301),
            outcomes=(*fails(Kind.BAD_REDIRECT, status=301), *answers(301, State.ERROR)),
            hops=None,
        ),
        to("redirect-empty", "an empty Location", "", Kind.BAD_REDIRECT, Kind.REDIRECT_LOOP),
        to("redirect-javascript", "to javascript:", "javascript:alert(1)"),
        to("redirect-file", "to file:", "file:///etc/passwd", Kind.BAD_REDIRECT, Kind.BAD_ADDRESS),
        to("redirect-data", "to data:", "data:text/html,<h1>hello</h1>"),
        to("redirect-mailto", "to mailto:", "mailto:someone@example.org"),
        to("redirect-no-host", "to an address without a host", "http://", Kind.BAD_REDIRECT, Kind.BAD_ADDRESS),
        to("redirect-bad-port", "to port 99999", "http://127.0.0.1:99999/"),
        Behaviour(
            name="redirect-closed-port",
            does="to a closed port",
            route=redirect("http://127.0.0.1:1/", 302),
            outcomes=gone,
            hops=1,
        ),
        Behaviour(
            name="redirect-unknown-host",
            does="to a host name that can never exist",
            route=redirect("http://nowhere.invalid/", 302),
            outcomes=gone,
            hops=1,
        ),
    ]


def outside() -> list[Behaviour]:
    """Into private space: a client that lets itself be led there can be used against its own network."""
    places = {
        "10": "http://10.0.0.1/",
        "192-168": "http://192.168.0.1/admin",
        "metadata": "http://169.254.169.254/latest/meta-data/",
        "ipv6-loopback": "http://[::1]/",
        "ipv4-mapped": "http://[::ffff:10.0.0.1]/",
        "decimal": "http://167772161/",
        "octal": "http://012.0.0.1/",
        "zero": "http://0.0.0.0/",
    }
    return [
        Behaviour(
            name=f"redirect-private-{name}",
            does=f"to {place}",
            route=redirect(place, 302),
            outcomes=fails(Kind.FORBIDDEN_ADDRESS, states=(State.UNKNOWN, State.ERROR)),
            hops=1,
            outside=True,
        )
        for name, place in places.items()
    ]


def unusual() -> list[Behaviour]:
    raw_utf8 = "Location: /grüße aus".encode().decode("latin-1")
    start = head(f"Location: {FINE_PATH}", "Content-Type: text/html", status="302 Found")
    arrived = answers(200, State.REDIRECTED)
    return [
        Behaviour(
            name="redirect-unencoded",
            does="a Location with a space and UTF-8 bytes, which browsers encode",
            route=Raw([head(raw_utf8, "Content-Length: 0", status="301 Moved Permanently")]),
            more={ENCODED_PATH: fine()},
            outcomes=arrived,
            hops=1,
        ),
        Behaviour(
            name="redirect-endless-body",
            does="a good redirect with a body that never ends",
            route=lambda _: Raw(chain([start], repeat(b"x" * 65536))),
            more={FINE_PATH: fine()},
            outcomes=arrived,
            hops=1,
            heavy=True,
        ),
        Behaviour(
            name="redirect-encoded-line-break",
            does="a Location with %0d%0a in it, which must stay encoded",
            route=redirect("/split%0d%0aX-Injected:%20yes", 302),
            more={"/split%0d%0aX-Injected:%20yes": fine()},
            outcomes=arrived,
            hops=1,
        ),
        Behaviour(
            name="redirect-terminal",
            does="a Location with terminal escapes",
            route=Raw([head("Location: /\x1b[2J\x1b[31mred", "Content-Length: 0", status="302 Found")]),
            outcomes=(
                *fails(Kind.BAD_HTTP, states=(State.ERROR, State.UNKNOWN, State.BLOCKED)),
                *fails(Kind.BAD_REDIRECT, status=302),
                *answers(404, State.GONE),
            ),
            hops=None,
        ),
        Behaviour(
            name="meta-refresh",
            does="a page that sends its visitors on with a meta element",
            route=PageAnswer(body=b'<title>Moved</title><meta http-equiv="refresh" content="0; url=/fine">' + FINE),
            outcomes=answers(200, State.OK, State.REDIRECTED),
        ),
        Behaviour(
            name="refresh-header",
            does="the same with a Refresh header",
            route=fine(Refresh=f"0; url={FINE_PATH}"),
            outcomes=answers(200, State.OK, State.REDIRECTED),
        ),
        Behaviour(
            name="not-modified-unasked",
            does="304 to a request without conditions",
            route=PageAnswer(304),
            outcomes=(ExpectedResult(304, states=(State.UNKNOWN, State.ERROR)), *fails(Kind.BAD_HTTP, status=304)),
        ),
    ]
