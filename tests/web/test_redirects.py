"""Chains of redirects → the hops as they were, and the end they lead to."""

from __future__ import annotations

import pytest

from tests.web.fetching import Names, fetch
from urlset.model.answer import FailureKind, Hop
from urlset.testing import PageAnswer, Raw, Site, redirect


def test_every_hop_is_written_down() -> None:
    with Site({"/a": redirect("/b", 301), "/b": redirect("c?x=1#part", 307), "/c": "the end"}) as site:
        answer = fetch(site.url("/a#top"))
        assert answer.hops == (
            Hop(site.url("/a#top"), 301, "/b"),
            Hop(site.url("/b"), 307, "c?x=1#part"),
        )
        assert answer.url == site.url("/a#top")
        assert answer.final_url == site.url("/c?x=1")
        assert site.paths() == ["/a", "/b", "/c?x=1"]
    assert (answer.status, answer.body, answer.failure) == (200, b"the end", None)


def test_without_redirects_the_final_url_is_the_one_asked_for() -> None:
    with Site({"/ä": "x", "/%C3%A4": "x"}) as site:
        answer = fetch(site.url("/ä"))
        assert answer.final_url == site.url("/ä")
        assert answer.ok
        assert site.paths() == ["/%C3%A4"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_statuses_that_redirect(status: int) -> None:
    with Site({"/a": redirect("/b", status), "/b": "x"}) as site:
        assert fetch(site.url("/a")).hops == (Hop(site.url("/a"), status, "/b"),)


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 404])
def test_the_statuses_that_do_not(status: int) -> None:
    with Site({"/a": PageAnswer(status, headers={"Location": "/b"})}) as site:
        answer = fetch(site.url("/a"))
    assert (answer.status, answer.hops, answer.failure) == (status, (), None)


def test_a_redirect_without_location_is_an_answer() -> None:
    with Site({"/a": PageAnswer(302, body="moved, guess where")}) as site:
        answer = fetch(site.url("/a"))
    assert (answer.status, answer.body, answer.hops, answer.failure) == (302, b"moved, guess where", (), None)


def test_a_loop_that_sets_a_cookie_says_what_it_may_be_waiting_for() -> None:
    with Site({"/a": redirect("/b", Set_Cookie="seen=1"), "/b": redirect("/a")}) as site:
        answer = fetch(site.url("/a"))
        assert answer.failure is not None
        assert answer.failure.kind is FailureKind.REDIRECT_LOOP
        assert answer.failure.detail == (
            f"back to {site.url('/a')}; a cookie was set on the way, and crawlers send none back"
        )


def test_a_loop_is_seen_when_it_closes() -> None:
    with Site({"/a": redirect("/b"), "/b": redirect("/c"), "/c": redirect("/b#again")}) as site:
        answer = fetch(site.url("/a"))
        assert site.paths() == ["/a", "/b", "/c"]
        assert answer.failure is not None
        assert (answer.failure.kind, answer.failure.detail) == (FailureKind.REDIRECT_LOOP, f"back to {site.url('/b')}")
        assert answer.final_url == site.url("/c")
    assert (answer.status, len(answer.hops)) == (301, 3)


def test_a_page_that_redirects_to_itself_is_asked_once() -> None:
    with Site({"/a": redirect("/a", 302, Set_Cookie="seen=1")}) as site:
        answer = fetch(site.url("/a"))
        assert site.paths() == ["/a"]
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.REDIRECT_LOOP


@pytest.mark.parametrize("limit", [0, 3, 10])
def test_too_many_redirects(limit: int) -> None:
    with Site(lambda request: redirect(f"/{int(request.path[1:]) + 1}", 302)) as site:
        answer = fetch(site.url("/0"), max_redirects=limit)
        assert len(site.log) == limit + 1
        assert answer.final_url == site.url(f"/{limit}")
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.TOO_MANY_REDIRECTS
    assert len(answer.hops) == limit + 1


def test_as_many_as_allowed_are_followed() -> None:
    with Site(lambda request: redirect("/1", 302) if request.path == "/0" else PageAnswer(body="x")) as site:
        assert fetch(site.url("/0"), max_redirects=1).ok


@pytest.mark.parametrize(
    "location",
    ["", "  ", "http://", "http://[::1", "mailto:a@example.com", "javascript:alert(1)", "file:///etc/passwd",
     "http://user:pass@127.0.0.1/", "http://exa mple/", "ftp://127.0.0.1/"],
)  # fmt: skip
def test_redirects_that_lead_nowhere(location: str) -> None:
    with Site({"/a": redirect(location)}) as site:
        answer = fetch(site.url("/a"))
        assert answer.final_url == site.url("/a")
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.BAD_REDIRECT
    assert (answer.status, answer.hops[0].location) == (301, location.strip())


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("//HOST/b", "/b"),
        ("http:/b", "/b"),
        ("http:\\\\HOST\\b", "/b"),
        ("/x/../b", "/b"),
        ("?q=a b", "/dir/a?q=a%20b"),
        ("b/ü", "/dir/b/%C3%BC"),
        ("/50%", "/50%"),
        ('/"<>', "/%22%3C%3E"),
    ],
)
def test_locations_are_read_as_browsers_do(location: str, path: str) -> None:
    def route(request: object) -> PageAnswer:
        target = getattr(request, "target", "")
        where = location.replace("HOST", site.origin.removeprefix("http://"))
        return redirect(where) if target == "/dir/a" else PageAnswer(body="x")

    with Site(route) as site:
        assert fetch(site.url("/dir/a")).ok
        assert site.paths() == ["/dir/a", path]


def test_a_location_in_latin_1_is_escaped_byte_by_byte() -> None:
    raw = Raw((b"HTTP/1.1 301 Moved\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n",))
    with Site({"/a": raw, "/caf%C3%A9": "x"}) as site:
        answer = fetch(site.url("/a"))
        assert answer.ok
    assert answer.hops[0].location == "/café"


def test_a_redirect_with_an_endless_body_is_followed() -> None:
    def endless() -> object:
        yield b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n"
        while True:
            yield b"x" * 65_536

    with Site({"/a": lambda _request: Raw(endless()), "/b": "x"}) as site:  # type: ignore[arg-type]
        answer = fetch(site.url("/a"))
    assert answer.body == b"x"


def test_a_redirect_with_a_broken_body_is_followed() -> None:
    raw = Raw((b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\nno",))
    with Site({"/a": raw, "/b": "x"}) as site:
        answer = fetch(site.url("/a"))
    assert (answer.body, answer.failure) == (b"x", None)


def test_hosts_and_failures_at_the_end_of_a_chain() -> None:
    with Site({"/a": redirect("http://gone.test/x")}) as site:
        answer = fetch(site.url("/a"), resolver=Names())
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.DNS
    assert (answer.status, answer.final_url, len(answer.hops)) == (None, "http://gone.test/x", 1)
