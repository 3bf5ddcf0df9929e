"""Tokens, passwords, sessions and the limit on attempts."""

from __future__ import annotations

import pytest

from urlset.dashboard.access import (
    FAILURES,
    WINDOW,
    AllowedHosts,
    LoginLimit,
    Protection,
    ProtectionError,
    Sessions,
    access_for,
    hash_password,
)
from urlset.web.address import is_loopback_host

TOKEN = "a-token-of-decent-length"


class Time:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.4", False),
        ("example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_what_is_loopback(host: str, expected: bool) -> None:
    assert is_loopback_host(host) is expected


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4"])
def test_nothing_else_is_served_without_a_secret(host: str) -> None:
    with pytest.raises(ProtectionError, match="--set-password"):
        access_for(host, None, None)
    assert not access_for(host, TOKEN, None).is_open


def test_a_public_url_needs_a_secret_even_on_loopback() -> None:
    assert access_for("127.0.0.1", None, None).is_open
    with pytest.raises(ProtectionError, match="public URL"):
        access_for("127.0.0.1", None, None, is_public=True)


def test_a_short_token_is_refused() -> None:
    with pytest.raises(ProtectionError, match="at least 16"):
        access_for("127.0.0.1", "short", None)


def test_a_password_is_kept_as_an_argon2_hash() -> None:
    access = access_for("0.0.0.0", None, "correct horse")
    assert (access.password or "").startswith("$argon2id$")
    assert access.fits("correct horse")
    assert not access.fits("correct hors")
    assert not access.fits(access.password or "")
    assert Protection(password=hash_password("other")).fits("other")


@pytest.mark.parametrize("given", ["", "wrong", TOKEN[:-1], f"{TOKEN} ", "ü\udc80"])
def test_only_the_token_fits(given: str) -> None:
    access = Protection(token=TOKEN)
    assert access.fits(TOKEN)
    assert not access.fits(given)


def test_a_damaged_hash_opens_nothing() -> None:
    assert not Protection(password="$argon2id$nonsense").fits("anything")


def test_sessions_are_signed_and_end() -> None:
    time = Time()
    sessions = Sessions(time)
    session = sessions.start(signed_in=True)
    cookie = sessions.cookie(session)
    assert sessions.find(cookie) is session
    for forged in (
        "",
        "x",
        session.id,
        f"{session.id}.",
        f"{session.id}.{'A' * 43}",
        f"other.{cookie.partition('.')[2]}",
    ):
        assert sessions.find(forged) is None
    assert Sessions(time).find(cookie) is None
    time.now += 13 * 3_600
    assert sessions.find(cookie) is None


def test_a_session_that_was_ended_stays_ended() -> None:
    sessions = Sessions()
    session = sessions.start(signed_in=True)
    sessions.end(session)
    assert sessions.find(sessions.cookie(session)) is None


def test_form_tokens_belong_to_one_session() -> None:
    sessions = Sessions()
    one, other = sessions.start(signed_in=True), sessions.start(signed_in=True)
    assert sessions.form_token_fits(one, sessions.form_token(one))
    assert not sessions.form_token_fits(one, sessions.form_token(other))
    assert not sessions.form_token_fits(one, "ü")


def test_sessions_of_strangers_do_not_push_out_people() -> None:
    sessions = Sessions()
    known = sessions.start(signed_in=True)
    for _ in range(10_050):
        sessions.start(signed_in=False)
    assert sessions.find(sessions.cookie(known)) is known


def test_attempts_are_limited_by_address() -> None:
    time = Time()
    limit = LoginLimit(time)
    for _ in range(FAILURES):
        assert limit.wait("10.0.0.1") == 0
        limit.failed("10.0.0.1")
    assert limit.wait("10.0.0.1") == pytest.approx(WINDOW)
    assert limit.wait("10.0.0.2") == 0
    time.now += WINDOW
    assert limit.wait("10.0.0.1") == 0


def test_attempts_from_many_addresses_are_limited_too() -> None:
    limit = LoginLimit(Time())
    for number in range(50):
        limit.failed(f"10.0.0.{number}")
    assert limit.wait("10.9.9.9") > 0


@pytest.mark.parametrize(
    ("bound", "header", "expected"),
    [
        ("127.0.0.1", "127.0.0.1:8710", True),
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "[::1]:8710", True),
        ("127.0.0.1", "rebound.example.com:8710", False),
        ("127.0.0.1", "127.0.0.1.example.com", False),
        ("127.0.0.1", "192.168.1.4", False),
        ("127.0.0.1", "", False),
        ("0.0.0.0", "192.168.1.4:8710", True),
        ("0.0.0.0", "urlset.example.com", True),
        ("0.0.0.0", "rebound.example.com", False),
    ],
)
def test_host_names(bound: str, header: str, expected: bool) -> None:
    assert AllowedHosts(bound, ("urlset.example.com",)).allows([header]) is expected
