"""Routes → what a plain socket and urllib get from the test server, and what its log says afterwards."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from pathlib import Path

import pytest

from tests.servers.certificates import Authority
from tests.servers.process import SiteProcess
from urlset.testing import PageAnswer, Raw, Reply, Request, Routes, Site, redirect
from urlset.testing.exchange import gaps, most_at_once


def ask(
    site: Site, path: str, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=5)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def test_bare_text_is_served_as_its_name_says() -> None:
    routes: Routes = {"/": "hello", "/a.txt": "x", "/sitemap.xml": b"<urlset/>", "/map.xml.gz": b"\x1f\x8b"}
    with Site(routes) as site:
        types = [ask(site, path)[0].getheader("content-type") for path in routes]
    assert types == ["text/html; charset=utf-8", "text/plain; charset=utf-8", "application/xml", "application/gzip"]


def test_page_fields_reach_the_client() -> None:
    page = PageAnswer(418, "no coffee", headers=[("X-A", "1"), ("X-A", "2")], type=None, reason="Teapot")
    with Site({"/": page}) as site:
        answer, body = ask(site, "/")
    assert (answer.status, answer.reason, body) == (418, "Teapot", b"no coffee")
    assert answer.headers.get_all("x-a") == ["1", "2"]
    assert answer.getheader("content-type") is None


def test_unknown_paths_are_404_and_logged() -> None:
    with Site({}) as site:
        assert ask(site, "/nowhere?a=b")[0].status == 404
    assert [(each.path, each.query, each.target, each.status) for each in site.log] == [
        ("/nowhere", "a=b", "/nowhere?a=b", 404)
    ]


@pytest.mark.parametrize(
    ("path", "host", "found"),
    [
        ("/a?x=1", "127.0.0.1", "query"),
        ("/a?x=2", "127.0.0.1", "path"),
        ("/a", "b.example:80", "host"),
        ("/deep/down", "127.0.0.1", "deep"),
        ("/deep/er/down", "127.0.0.1", "deeper"),
        ("/other", "b.example", "host rest"),
        ("/other", "c.example", "rest"),
    ],
)
def test_the_most_exact_route_wins(path: str, host: str, found: str) -> None:
    routes: Routes = {
        "/a?x=1": "query",
        "/a": "path",
        "b.example/a": "host",
        "/deep/*": "deep",
        "/deep/er/*": "deeper",
        "b.example/*": "host rest",
        "/*": "rest",
    }
    with Site(routes) as site:
        assert ask(site, path, Host=host)[1].decode() == found


def test_head_has_the_length_and_no_body() -> None:
    with Site({"/": "hello"}) as site:
        answer, body = ask(site, "/", "HEAD")
    assert (answer.getheader("content-length"), body) == ("5", b"")


def test_a_posted_body_arrives_whole() -> None:
    big = b"x" * 300_000
    with Site({"/": lambda request: request.body[::-1]}) as site:
        assert ask(site, "/", "POST", big)[1] == big


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"If_None_Match": '"v1"'}, 304),
        ({"If_None_Match": 'W/"v1", "v2"'}, 304),
        ({"If_None_Match": "*"}, 304),
        ({"If_None_Match": '"v2"'}, 200),
        ({"If_None_Match": '"v2"', "If_Modified_Since": "Tue, 02 Sep 2025 00:00:00 GMT"}, 200),
        ({"If_Modified_Since": "Mon, 01 Sep 2025 00:00:00 GMT"}, 304),
        ({"If_Modified_Since": "Sun, 31 Aug 2025 00:00:00 GMT"}, 200),
        ({"If_Modified_Since": "yesterday"}, 200),
        ({}, 200),
    ],
)
def test_conditions_are_compared(sent: dict[str, str], status: int) -> None:
    page = PageAnswer(body="x" * 9, headers={"ETag": '"v1"', "Last-Modified": "Mon, 01 Sep 2025 00:00:00 GMT"})
    with Site({"/": page}) as site:
        answer, body = ask(site, "/", "GET", None, **sent)
        # the connection is still in step after an answer without body
        assert ask(site, "/")[0].status == 200
    assert (answer.status, len(body)) == (status, 9 if status == 200 else 0)
    assert answer.getheader("etag") == '"v1"'


def test_gzip_is_for_those_who_accept_it() -> None:
    with Site({"/": PageAnswer(body="hello", gzip=True)}) as site:
        packed, body = ask(site, "/", Accept_Encoding="gzip, br")
        plain, bare = ask(site, "/", Accept_Encoding="identity")
    assert (packed.getheader("content-encoding"), gzip.decompress(body)) == ("gzip", b"hello")
    assert (plain.getheader("content-encoding"), bare) == (None, b"hello")


def test_one_connection_serves_many_requests() -> None:
    with Site({"/": "a", "/slow": PageAnswer(body="b", pause=0.01)}) as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=5)
        for path in ("/", "/slow", "/", "/missing"):
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()
    assert {each.connection for each in site.log} == {1}
    assert [each.status for each in site.log] == [200, 200, 200, 404]


def test_pipelined_requests_are_answered_in_order() -> None:
    with (
        Site({"/1": PageAnswer(body="one", pause=0.05), "/2": "two"}) as site,
        socket.create_connection(("127.0.0.1", site.port), timeout=5) as plug,
    ):
        plug.sendall(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        got = b"".join(iter(lambda: plug.recv(65536), b""))
    assert got.index(b"one") < got.index(b"two")


@pytest.mark.parametrize(
    ("sent", "status"), [(b"nonsense\r\n\r\n", 400), (b"GET / HTTP/3\r\n\r\n", 400), (b"GET /" + b"a" * 70_000, 431)]
)
def test_what_is_not_http_is_refused(sent: bytes, status: int) -> None:
    with (
        Site({"/": "x"}) as site,
        socket.create_connection(("127.0.0.1", site.port), timeout=5) as plug,
    ):
        plug.sendall(sent)
        assert plug.recv(65536).split()[1] == str(status).encode()


def test_raw_answers_go_out_as_they_are() -> None:
    with Site({"/keep": Raw([b"HTTP/1.1 200 OK\r\nContent-", 0.01, b"Length: 2\r\n\r\nhi"], "keep")}) as site:
        assert ask(site, "/keep")[1] == b"hi"


def test_raw_can_close_and_reset() -> None:
    with Site({"/close": Raw(), "/reset": Raw(end="reset")}) as site:
        with pytest.raises(RemoteDisconnected):
            ask(site, "/close")
        with pytest.raises(ConnectionResetError):
            ask(site, "/reset")
    assert [each.status for each in site.log] == [None, None]


def test_endless_answers_wait_for_the_client() -> None:
    sent = 0

    def endless(_: Request) -> Raw:
        def pieces() -> Iterator[bytes]:
            nonlocal sent
            while True:
                sent += 1
                yield b"x" * 65536

        return Raw(pieces())

    with (
        Site({"/": endless, "/other": "served meanwhile"}) as site,
        socket.create_connection(("127.0.0.1", site.port), timeout=5) as plug,
    ):
        plug.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert plug.recv(10)
        assert ask(site, "/other")[1] == b"served meanwhile"
    assert sent * 65536 < 64 << 20


def test_async_routes_and_changed_routes() -> None:
    async def late(request: Request) -> Reply:
        await asyncio.sleep(0.01)
        return request.origin

    with Site({"/late": late}) as site:
        assert ask(site, "/late")[1].decode() == site.origin
        site.routes["/new"] = "new"
        assert ask(site, "/new")[1] == b"new"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_broken_route_is_500_and_comes_out_at_the_end(asynchronous: bool) -> None:
    def broken(_: Request) -> Reply:
        raise ZeroDivisionError("planted")

    async def broken_later(_: Request) -> Reply:
        raise ZeroDivisionError("planted")

    site = Site({"/": broken_later if asynchronous else broken})
    site.__enter__()
    answer, body = ask(site, "/")
    assert (answer.status, b"planted" in body) == (500, True)
    with pytest.raises(ZeroDivisionError, match="planted"):
        site.__exit__(None, None, None)


def test_the_most_at_once_is_counted() -> None:
    with Site({"/": PageAnswer(pause=0.2)}) as site:
        threads = [threading.Thread(target=ask, args=(site, "/")) for _ in range(5)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert site.most_at_once == 5
        assert min(site.gaps()) < 0


def seen(*times: tuple[float, float | None]) -> list[Request]:
    return [Request("GET", "/", {}, started=start, ended=end) for start, end in times]


@pytest.mark.parametrize(
    ("times", "most", "between"),
    [
        ([], 0, []),
        ([(1.0, 2.0)], 1, []),
        ([(1.0, 2.0), (2.0, 3.0), (3.5, 4.0)], 1, [0.0, 0.5]),
        ([(1.0, 5.0), (2.0, 3.0), (6.0, 7.0)], 2, [-3.0, 1.0]),
        ([(6.0, 7.0), (1.0, 2.0)], 1, [4.0]),
    ],
)
def test_gaps_count_from_the_end_of_everything_earlier(
    times: list[tuple[float, float | None]], most: int, between: list[float]
) -> None:
    assert most_at_once(seen(*times)) == most
    assert gaps(seen(*times)) == between


def test_hosts_are_told_apart_in_the_log() -> None:
    with Site({"/": "x"}) as site:
        ask(site, "/", Host="a.example")
        ask(site, "/", Host="b.example:8080")
        ask(site, "/", Host="[::1]:8080")
    assert [each.host for each in site.log] == ["a.example", "b.example", "[::1]"]
    assert len(site.seen(host="b.example")) == 1
    assert site.counts() == {"/": 3}


def test_a_redirect_is_one_line() -> None:
    with Site({"/a": redirect("/b", 308), "/b": "there"}) as site:
        assert ask(site, "/a")[0].getheader("location") == "/b"
        with urllib.request.urlopen(site.url("/a"), timeout=5) as answer:
            assert answer.read() == b"there"


def test_a_taken_port_is_told_to_the_caller() -> None:
    with Site({}) as site, pytest.raises(OSError, match="address already in use"), Site({}, port=site.port):
        pass


def test_a_client_that_stays_does_not_keep_the_server() -> None:
    with Site({"/": Raw(end="hang")}) as site:
        plug = socket.create_connection(("127.0.0.1", site.port), timeout=5)
        plug.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        waited = time.monotonic()
        while not site.log and time.monotonic() - waited < 5:
            time.sleep(0.001)
    plug.close()
    assert site.log[0].ended is not None


def test_tls_is_verified_through_the_authority() -> None:
    with Authority() as authority, Site({"/": lambda request: request.origin}, tls=authority.context()) as site:
        trusting = ssl.create_default_context(cafile=str(authority.ca_file))
        with urllib.request.urlopen(site.url("/"), context=trusting, timeout=5) as answer:
            assert answer.read().decode() == site.origin == f"https://127.0.0.1:{site.port}"


def test_without_trustme_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    with pytest.raises(RuntimeError, match="pip install trustme"):
        Authority()


def thousand() -> Routes:
    return {"/": "here", "/*": lambda request: request.path}


def test_a_process_of_its_own_keeps_its_log(tmp_path: Path) -> None:
    written = tmp_path / "log.jsonl"
    with SiteProcess("tests.testing.test_site:thousand", log_file=written) as site:
        for path in ("/", "/7"):
            with urllib.request.urlopen(site.url(path), timeout=5) as answer:
                assert answer.read() == (b"here" if path == "/" else b"/7")
        assert site.paths() == ["/", "/7"]
        assert site.most_at_once == 1
        assert len(site.gaps()) == 1
    assert len(written.read_text().splitlines()) == 2
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(site.url("/"), timeout=5)


def test_a_process_can_be_made_from_a_file_with_arguments(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text("def many(count):\n    return {f'/{n}': str(n) for n in range(count)}\n")
    with SiteProcess(f"{tmp_path / 'many.py'}:many", count=3) as site:
        with urllib.request.urlopen(site.url("/2"), timeout=5) as answer:
            assert answer.read() == b"2"
        with pytest.raises(urllib.error.HTTPError, match="404") as missing:
            urllib.request.urlopen(site.url("/3"), timeout=5)
        missing.value.close()
    assert [each.status for each in site.log] == [200, 404]


def test_a_process_that_cannot_start_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="did not start"):
        SiteProcess("no.such.module:routes").start()
    assert "no" in capfd.readouterr().err


def test_two_thousand_requests_take_seconds() -> None:
    with Site({"/*": lambda request: PageAnswer(body=request.path)}) as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=5)
        started = time.monotonic()
        for n in range(2000):
            connection.request("GET", f"/{n}")
            connection.getresponse().read()
        connection.close()
        took = time.monotonic() - started
    assert len(site.log) == 2000
    assert took < 15
