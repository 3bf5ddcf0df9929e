"""Answers of every kind → the state a page is in, and never "broken" for what only we met."""

from __future__ import annotations

import pytest

from urlset.auditing.state import state_of
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.model.visit import State

URL = "https://e.test/a"
HTML = (("content-type", "text/html"),)
PAGE = b"<html><head><title>A</title></head><body>" + b"<p>some words of a page</p>" * 50 + b"</body></html>"


def answer(status: int | None, **more: object) -> Answer:
    given: dict[str, object] = {"url": URL, "final_url": URL, "headers": HTML, "body": PAGE, **more}
    return Answer(status=status, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (200, State.OK),
        (204, State.OK),
        (404, State.GONE),
        (410, State.GONE),
        (400, State.GONE),
        (405, State.GONE),
        (422, State.GONE),
        (401, State.LOGIN),
        (403, State.BLOCKED),
        (407, State.BLOCKED),
        (429, State.BLOCKED),
        (451, State.BLOCKED),
        (999, State.BLOCKED),
        (500, State.ERROR),
        (503, State.ERROR),
        (521, State.ERROR),
        (300, State.ERROR),
        (304, State.ERROR),
        (102, State.ERROR),
        (None, State.UNKNOWN),
    ],
)
def test_a_status(status: int | None, state: State) -> None:
    found, reason = state_of(answer(status))
    assert found is state
    assert status is None or str(status) in reason


@pytest.mark.parametrize(
    ("kind", "tries", "state"),
    [
        (FailureKind.DNS, 1, State.ERROR),
        (FailureKind.TLS_EXPIRED, 1, State.ERROR),
        (FailureKind.TLS_NAME, 1, State.ERROR),
        (FailureKind.READ_TIMEOUT, 1, State.UNKNOWN),
        (FailureKind.READ_TIMEOUT, 3, State.ERROR),
        (FailureKind.CONNECT_TIMEOUT, 2, State.ERROR),
        (FailureKind.REFUSED, 1, State.UNKNOWN),
        (FailureKind.REFUSED, 3, State.ERROR),
        (FailureKind.RESET, 1, State.UNKNOWN),
        (FailureKind.RESET, 3, State.BLOCKED),
        (FailureKind.UNREACHABLE, 3, State.UNKNOWN),
        (FailureKind.FORBIDDEN_ADDRESS, 1, State.UNKNOWN),
        (FailureKind.BAD_ADDRESS, 1, State.UNKNOWN),
        (FailureKind.NOT_RECORDED, 1, State.UNKNOWN),
        (FailureKind.NOT_ALLOWED, 1, State.UNKNOWN),
        (FailureKind.REDIRECT_LOOP, 1, State.ERROR),
        (FailureKind.TOO_MANY_REDIRECTS, 1, State.ERROR),
        (FailureKind.BAD_REDIRECT, 1, State.ERROR),
        (FailureKind.BAD_ENCODING, 1, State.ERROR),
        (FailureKind.BOMB, 1, State.UNKNOWN),
    ],
)
def test_a_failure(kind: FailureKind, tries: int, state: State) -> None:
    found, reason = state_of(answer(None, failure=Failure(kind), tries=tries, body=b""))
    assert found is state
    assert kind.value in reason


def test_a_body_cut_short_is_an_error_unless_the_status_said_it_all() -> None:
    cut = Failure(FailureKind.CUT_SHORT, "100 of 200 bytes")
    assert state_of(answer(200, failure=cut))[0] is State.ERROR
    assert state_of(answer(404, failure=cut))[0] is State.GONE
    assert state_of(answer(403, failure=cut))[0] is State.BLOCKED


def test_brotli_that_only_we_cannot_unpack_says_nothing_about_the_page() -> None:
    headers = (*HTML, ("content-encoding", "br"))
    failure = Failure(FailureKind.BAD_ENCODING, "'br', which was not requested")
    state, reason = state_of(answer(200, failure=failure, headers=headers, body=b""))
    assert state is State.UNKNOWN
    assert "Brotli" in reason
    assert state_of(answer(404, failure=failure, headers=headers, body=b""))[0] is State.GONE
    damaged = Failure(FailureKind.BAD_ENCODING, "not gzip, or damaged")
    assert state_of(answer(200, failure=damaged, headers=(*HTML, ("content-encoding", "gzip"))))[0] is State.ERROR


def test_a_reset_in_the_middle_of_a_body_is_no_block() -> None:
    assert state_of(answer(200, failure=Failure(FailureKind.RESET), tries=3))[0] is State.ERROR


def test_a_redirect_that_arrives() -> None:
    hops = (Hop(URL, 301, "/b"), Hop("https://e.test/b", 302, "/c"))
    state, reason = state_of(answer(200, hops=hops, final_url="https://e.test/c"))
    assert state is State.REDIRECTED
    assert reason == "301 to https://e.test/c, 2 redirects"


def test_a_redirect_to_a_missing_page_is_gone() -> None:
    state, reason = state_of(answer(404, hops=(Hop(URL, 301, "/b"),), final_url="https://e.test/b"))
    assert (state, reason) == (State.GONE, "404 Not Found, after a redirect")


def test_a_redirect_to_a_check_for_humans_is_a_block() -> None:
    final = "https://e.test/.well-known/captcha/?r=%2Fa"
    assert state_of(answer(200, hops=(Hop(URL, 302, final),), final_url=final))[0] is State.BLOCKED


def test_a_page_whose_own_name_is_captcha_is_not_blocked_by_it() -> None:
    hops = (Hop("http://e.test/captcha/", 301, "https://e.test/captcha/"),)
    found = state_of(answer(200, url="http://e.test/captcha/", hops=hops, final_url="https://e.test/captcha/"))
    assert found[0] is State.REDIRECTED


def test_an_unchanged_page_is_fine() -> None:
    assert state_of(answer(304, not_modified=True, body=b"")) == (State.OK, "304: unchanged")


def test_a_server_that_waited_in_vain_is_asked_again_before_it_counts() -> None:
    assert state_of(answer(408))[0] is State.UNKNOWN
    assert state_of(answer(408, tries=2))[0] is State.ERROR
