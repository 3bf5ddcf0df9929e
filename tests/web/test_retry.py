"""Answers that may be better the next time, and those that will not → how often the server was asked."""

from __future__ import annotations

import socket
import time
from email.utils import formatdate
from typing import Any

import pytest

from tests.web.fetching import Names, fetch, quick
from urlset.model.answer import Answer, FailureKind
from urlset.testing import PageAnswer, Raw, Reply, Request, Site
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.web.pace import Exchange, pause_before_retry, retry_after


def tries_of(*replies: Reply, **options: Any) -> tuple[int, int | None, FailureKind | None]:
    """How often it was asked, and how it ended."""
    left = list(replies)

    def route(_request: Request) -> Reply:
        return left.pop(0) if len(left) > 1 else left[0]

    with Site(route) as site:
        answer = fetch(site.url("/"), **options)
        assert len(site.log) == answer.tries
    return answer.tries, answer.status, answer.failure.kind if answer.failure else None


@pytest.mark.parametrize("status", [502, 503, 504, 429])
def test_passing_trouble_is_asked_again(status: int) -> None:
    assert tries_of(PageAnswer(status), PageAnswer(body="x")) == (2, 200, None)
    assert tries_of(PageAnswer(status)) == (3, status, None)
    assert tries_of(PageAnswer(status), tries=1) == (1, status, None)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 410, 451, 500, 501, 200, 204])
def test_everything_else_is_asked_once(status: int) -> None:
    assert tries_of(PageAnswer(status)) == (1, status, None)


@pytest.mark.parametrize("end", ["close", "reset"])
def test_dropped_connections_are_asked_again(end: str) -> None:
    drop = Raw((), end=end)  # type: ignore[arg-type]
    assert tries_of(drop, drop, PageAnswer(body="x")) == (3, 200, None)
    assert tries_of(drop) == (3, None, FailureKind.RESET)


def test_a_body_cut_short_is_asked_for_once_more() -> None:
    cut = Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",))
    assert tries_of(cut, PageAnswer(body="x")) == (2, 200, None)
    assert tries_of(cut) == (2, 200, FailureKind.CUT_SHORT)


def test_a_timeout_is_asked_once_more() -> None:
    assert tries_of(Raw((), end="hang"), read_timeout=0.1) == (2, None, FailureKind.READ_TIMEOUT)


def test_what_is_not_http_stays_so() -> None:
    assert tries_of(Raw((b"SSH-2.0-OpenSSH_9.6\r\n",))) == (1, None, FailureKind.BAD_HTTP)


def closed_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_dead_host_gets_one_try_each_after_a_while() -> None:
    origin = f"http://127.0.0.1:{closed_port()}"

    async def main() -> list[Answer]:
        async with Client(quick()) as client:
            return [await client.get(f"{origin}/{number}") for number in range(4)]

    answers = run(main())
    assert [answer.failure.kind for answer in answers if answer.failure] == [FailureKind.REFUSED] * 4
    assert [answer.tries for answer in answers] == [3, 3, 1, 1]


def test_tries_that_never_help_become_rare() -> None:
    async def main(site: Site) -> list[int]:
        async with Client(quick(tries=2, backoff=0.001)) as client:
            return [(await client.get(site.url(f"/{number}"))).tries for number in range(12)]

    with Site(lambda _request: PageAnswer(502)) as site:
        assert run(main(site)) == [2, 2, 2, 2, 2, 1, 1, 1, 2, 1, 1, 1]


def test_a_name_that_does_not_exist_is_asked_for_once() -> None:
    names = Names()
    answer = fetch("http://nowhere.test/", resolver=names)
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.DNS
    assert answer.failure.detail == "Name or service not known"
    assert (answer.tries, names.asked) == (1, ["nowhere.test"])


def test_a_patient_try_pauses_first() -> None:
    with Site({"/": "x"}) as site:
        started = time.monotonic()
        answer = fetch(site.url("/"), patient=True, patience=0.2)
        assert site.log[0].started - started >= 0.2
    assert answer.seconds < 0.2


def refused(value: str, **headers: str) -> Exchange:
    return Exchange(429, (("retry-after", value), *headers.items()))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0), ("7", 7), (" 7 ", 7), ("1.5", 1.5), ("-1", None), ("soon", None), ("", None), ("9" * 400, None)],
)
def test_retry_after_as_a_number(value: str, seconds: float | None) -> None:
    assert retry_after(refused(value)) == seconds


def test_retry_after_as_a_date_goes_by_the_servers_clock() -> None:
    then = 1_000_000_000.0
    date = formatdate(then, usegmt=True)
    assert retry_after(refused(formatdate(then + 90, usegmt=True), date=date)) == 90
    assert retry_after(refused(formatdate(then - 90, usegmt=True), date=date)) == 0
    assert retry_after(refused(date)) == 0
    assert retry_after(refused("Sun, 06 Nov 1994 08:49:37", date="nonsense")) == 0


def test_a_long_wait_is_not_waited() -> None:
    options = WebOptions(max_retry_after=60)
    assert pause_before_retry(refused("60"), 1, options) == 60
    assert pause_before_retry(refused("61"), 1, options) is None
