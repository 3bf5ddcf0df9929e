"""A TLS server → its certificate, or the failure that everyone would see; never outside the guard."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from tests.servers.certificates import Authority
from urlset.model.answer import Failure, FailureKind
from urlset.testing import Site
from urlset.web.failures import Certificate, certificate_of
from urlset.web.options import WebOptions


def look(url: str, options: WebOptions) -> Certificate | Failure:
    return certificate_of(url, msgspec.structs.replace(options, allow_private=True))


def test_a_certificate_has_a_fingerprint_and_an_end() -> None:
    with Authority() as authority:
        options = WebOptions(ca_file=authority.ca_file)
        found = []
        for _ in range(2):
            with Site({}, tls=authority.context()) as site:
                found.append(look(site.url("/"), options))
                assert found[-1] == look(site.url("/other"), options)
        assert all(isinstance(each, Certificate) for each in found)
        assert len(set(found)) == 2
        first = found[0]
        assert isinstance(first, Certificate)
        assert first.until > datetime.now(UTC)
        assert first.issuer.startswith("trustme")


def test_an_expired_or_untrusted_one_is_a_failure() -> None:
    with Authority() as authority, Site({}, tls=authority.context(expired=True)) as site:
        assert look(site.url("/"), WebOptions(ca_file=authority.ca_file)) == Failure(FailureKind.TLS_EXPIRED)
        untrusted = look(site.url("/"), WebOptions())
        assert isinstance(untrusted, Failure)
        assert untrusted.kind is FailureKind.TLS_UNTRUSTED


def test_the_guard_is_asked() -> None:
    with Authority() as authority, Site({}, tls=authority.context()) as site:
        for hosts in ((), ("127.0.0.1:9",)):
            options = WebOptions(ca_file=authority.ca_file, private_hosts=frozenset(hosts))
            refused = certificate_of(site.url("/"), options)
            assert isinstance(refused, Failure)
            assert refused.kind is FailureKind.FORBIDDEN_ADDRESS
