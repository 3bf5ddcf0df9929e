"""Certificates of every kind → told apart, trusted where asked to, and accepted where told so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.certificates import Authority, self_signed, untrusted
from tests.web.fetching import Names, fetch
from urlset.model.answer import FailureKind
from urlset.testing import Raw, Routes, Site

ROUTES: Routes = {"/": "hello"}


@pytest.fixture(scope="module")
def authority() -> Iterator[Authority]:
    with Authority() as made:
        yield made


def failure(site: Site, host: str | None = None, **options: object) -> tuple[FailureKind, str]:
    answer = fetch(site.url("/", host), **options)  # type: ignore[arg-type]
    assert answer.failure is not None
    assert (answer.status, answer.tries) == (None, 1)
    return answer.failure.kind, answer.failure.detail


def test_a_trusted_authority(authority: Authority) -> None:
    with Site(ROUTES, tls=authority.context()) as site:
        assert fetch(site.url("/"), ca_file=authority.ca_file).body == b"hello"


def test_expired(authority: Authority) -> None:
    with Site(ROUTES, tls=authority.context(expired=True)) as site:
        assert failure(site, ca_file=authority.ca_file) == (FailureKind.TLS_EXPIRED, "")


def test_another_host(authority: Authority) -> None:
    with Site(ROUTES, tls=authority.context("other.test")) as site:
        assert failure(site, ca_file=authority.ca_file)[0] is FailureKind.TLS_NAME
        names = Names(**{"mine.test": ["127.0.0.1"]})
        kind, said = failure(site, "mine.test", resolver=names, ca_file=authority.ca_file)
    assert kind is FailureKind.TLS_NAME
    assert "mine.test" in said


def test_nobody_vouches(authority: Authority) -> None:
    with Site(ROUTES, tls=self_signed()) as site:
        kind, said = failure(site, ca_file=authority.ca_file)
    assert (kind, said) == (FailureKind.TLS_UNTRUSTED, "self-signed certificate")
    with Site(ROUTES, tls=untrusted()) as site:
        assert failure(site)[0] is FailureKind.TLS_UNTRUSTED


@pytest.mark.parametrize("kind", ["expired", "self-signed", "other"])
def test_insecure_accepts_all(kind: str, authority: Authority) -> None:
    contexts = {
        "expired": authority.context(expired=True),
        "self-signed": self_signed(),
        "other": authority.context("other.test"),
    }
    with Site(ROUTES, tls=contexts[kind]) as site:
        assert fetch(site.url("/"), verify_tls=False).body == b"hello"


def test_plain_http_on_a_tls_port() -> None:
    with Site(ROUTES, greeting=Raw((b"HTTP/1.1 400 Bad Request\r\n\r\n",))) as site:
        answer = fetch(site.url("/").replace("http:", "https:"))
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.TLS
    assert answer.failure.detail == "the server does not speak TLS on this port"


def test_tls_on_a_plain_http_port(authority: Authority) -> None:
    with Site(ROUTES, tls=authority.context()) as site:
        answer = fetch(site.url("/").replace("https:", "http:"), tries=1)
    assert answer.failure is not None
    assert answer.failure.kind in (FailureKind.RESET, FailureKind.BAD_HTTP)


def test_a_server_that_never_shakes_hands() -> None:
    with Site(ROUTES, greeting=Raw((), end="hang")) as site:
        answer = fetch(site.url("/").replace("http:", "https:"), connect_timeout=0.2, tries=1)
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.CONNECT_TIMEOUT


def test_a_ca_file_without_certificates_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.write_text("nothing here")
    with pytest.raises(OSError, match=r"ca\.pem: no PEM certificate found"):
        fetch("https://127.0.0.1/", ca_file=empty)
    with pytest.raises(FileNotFoundError):
        fetch("https://127.0.0.1/", ca_file=tmp_path / "missing.pem")
