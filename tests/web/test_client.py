"""The client as a whole: what it sends, what an Answer holds, how it ends when it is interrupted."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator

import pytest

from tests.servers.certificates import self_signed
from tests.web.fetching import Names, fetch, fetch_all, quick
from urlset.model.answer import Answer, FailureKind
from urlset.testing import PageAnswer, Raw, Site
from urlset.version import __version__
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions


def kind(answer: Answer) -> FailureKind | None:
    return answer.failure.kind if answer.failure else None


def test_it_says_who_it_is() -> None:
    with Site({"/": "x"}) as site:
        fetch(site.url("/"))
        fetch(site.url("/"), user_agent="Mine/1.0 (+https://example.com/)")
        agents = [request.headers["user-agent"] for request in site.log]
        assert "cookie" not in site.log[0].headers
    assert agents == [f"urlset/{__version__} (+https://github.com/urlset/urlset)", "Mine/1.0 (+https://example.com/)"]


def test_a_user_agent_with_a_line_break_is_refused() -> None:
    with pytest.raises(ValueError, match="control characters"):
        Client(WebOptions(user_agent="x\r\nHost: evil"))


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("urlset/1.0 (+x)", "urlset"),
        ("MyBot", "MyBot"),
        ("Mozilla/5.0 (compatible; MyBot/2.1; +https://example.com)", "MyBot"),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Google-InspectionTool/1.0;)",
         "Google-InspectionTool"),
        ("123", "urlset"),
    ],
)  # fmt: skip
def test_the_product_token(agent: str, token: str) -> None:
    assert WebOptions(user_agent=agent).token == token


def test_an_answer_holds_what_came() -> None:
    headers = [("X-Case", "Kept"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b;;=2"), ("X-Robots-Tag", "noindex")]
    with Site({"/": PageAnswer(203, body="hello", headers=headers, pause=0.05)}) as site:
        answer = fetch(site.url("/"))
    assert (answer.status, answer.body, answer.wire_bytes, answer.tries) == (203, b"hello", 5, 1)
    assert answer.all("set-cookie") == ["a=1", "b;;=2"]
    assert answer.header("x-case") == "Kept"
    assert 0.05 <= answer.first_byte <= answer.seconds < 2
    assert answer.moment.endswith("Z")
    assert answer.moment.startswith("20")


def test_headers_that_are_not_utf_8_are_read_as_latin_1() -> None:
    raw = Raw((b"HTTP/1.1 200 OK\r\nX-A: caf\xe9\r\nX-B: caf\xc3\xa9\r\nContent-Length: 0\r\n\r\n",))
    with Site({"/": raw}) as site:
        answer = fetch(site.url("/"))
    assert (answer.header("x-a"), answer.header("x-b")) == ("café", "café")


def test_long_headers_are_read_and_endless_ones_refused() -> None:
    with Site(
        {"/": PageAnswer(headers={"Link": "x" * 30_000}), "/huge": PageAnswer(headers={"Link": "x" * 3_000_000})}
    ) as site:
        assert fetch(site.url("/")).ok
        assert kind(fetch(site.url("/huge"))) is FailureKind.BAD_HTTP


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/a b", "/a%20b"),
        ("/ä?ö=ü", "/%C3%A4?%C3%B6=%C3%BC"),
        ("/%c3%a4", "/%c3%a4"),
        ("/100%", "/100%"),
        ("/a|b^c`d{e}", "/a|b%5Ec%60d%7Be%7D"),
        ("/a/../b/./c", "/b/c"),
        ("?q=1&amp;r='", "/?q=1&amp;r=%27"),
        ("/x#frag", "/x"),
        ("/a\\b", "/a/b"),
        ("/tab\there", "/tabhere"),
        ("//double//", "//double//"),
    ],
)
def test_addresses_go_out_as_browsers_send_them(path: str, sent: str) -> None:
    with Site(lambda _request: PageAnswer(body="x")) as site:
        assert fetch(site.origin + path).ok
        assert site.paths() == [sent]


def test_failures_to_connect_are_told_apart() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert kind(fetch(f"http://127.0.0.1:{port}/", tries=1)) is FailureKind.REFUSED
    names = Names(**{"both.test": ["::1", "127.0.0.1"], "v6.test": ["::1"]})
    assert kind(fetch(f"http://both.test:{port}/", tries=1, resolver=names)) is FailureKind.REFUSED
    assert kind(fetch("http://unknown.test/", resolver=names)) is FailureKind.DNS
    assert kind(fetch(f"http://{'a' * 64}.test/")) is FailureKind.DNS


def test_a_full_backlog_is_a_connect_timeout() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        with socket.socket() as first, socket.socket() as second:
            for each in (first, second):
                each.setblocking(False)
                each.connect_ex(deaf.getsockname())
            answer = fetch(f"http://127.0.0.1:{deaf.getsockname()[1]}/", connect_timeout=0.2, read_timeout=0.2, tries=1)
    assert kind(answer) in (FailureKind.CONNECT_TIMEOUT, FailureKind.READ_TIMEOUT)


def test_interim_answers_are_passed_over_unless_they_never_end() -> None:
    def flood() -> Iterator[bytes]:
        while True:
            yield b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 100

    few = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 5 + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with Site({"/few": Raw((few,)), "/flood": lambda _request: Raw(flood())}) as site:
        answer = fetch(site.url("/few"))
        assert (answer.status, answer.body) == (200, b"ok")
        answer = fetch(site.url("/flood"), total_timeout=5)
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.detail) == (FailureKind.BAD_HTTP, "endless interim responses")
    assert answer.seconds < 3


def test_many_at_once_over_few_connections_do_not_mix() -> None:
    with Site(lambda request: PageAnswer(body=request.target)) as site:
        answers = fetch_all(*(site.url(f"/{number}") for number in range(300)), concurrency=8)
        assert [answer.body for answer in answers] == [b"/%d" % number for number in range(300)]
        assert len({request.connection for request in site.log}) == 8


def test_extra_bytes_behind_a_body_do_not_become_the_next_answer() -> None:
    smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    first = Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + smuggled,), end="keep")

    async def main(site: Site) -> list[bytes]:
        async with Client(quick(concurrency=1)) as client:
            return [(await client.get(site.url(path))).body for path in ("/a", "/b")]

    with Site({"/a": first, "/b": "right"}) as site:
        assert run(main(site)) == [b"ok", b"right"]


@pytest.mark.parametrize("tls", [False, True])
def test_interrupted_in_the_middle_nothing_stays_open(tls: bool) -> None:
    """Warnings are errors here: a socket or transport left open would fail the test."""

    async def main(site: Site) -> None:
        async with Client(quick(verify_tls=False)) as client:
            paths = ("/hang", "/drip", "/slow", "/slow", "/slow", "/slow")
            tasks = [asyncio.create_task(client.get(site.url(path))) for path in paths]
            await client.get(site.url("/fine"))
            await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in done)
            assert (await client.get(site.url("/fine"))).ok  # the pace is not short of turns now

    routes = {
        "/fine": "x",
        "/hang": Raw((), end="hang"),
        "/drip": Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx", 5.0), end="hang"),
        "/slow": PageAnswer(pause=5.0),
    }
    with Site(routes, tls=self_signed() if tls else None) as site:  # type: ignore[arg-type]
        if tls:
            asyncio.run(main(site))
        else:
            run(main(site))
        gc.collect()


def test_ctrl_c_ends_at_once_without_a_word() -> None:
    script = """
        import asyncio, os, signal, sys
        from urlset.web.client import Client
        from urlset.web.loop import run
        from urlset.web.options import WebOptions

        async def main():
            async with Client(WebOptions(allow_addresses=frozenset({"127.0.0.1"}))) as client:
                asyncio.get_running_loop().call_later(0.3, os.kill, os.getpid(), signal.SIGINT)
                await asyncio.gather(*(client.get(f"{sys.argv[1]}/{n}") for n in range(20)))

        try:
            run(main())
        except KeyboardInterrupt:
            print("interrupted")
    """
    with Site(lambda _request: PageAnswer(pause=20.0)) as site:
        command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(script), site.origin]
        done = subprocess.run(command, capture_output=True, text=True, timeout=15, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
