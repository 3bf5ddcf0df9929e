"""An https site → signals on its certificate: about to expire, expired, or another one than before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from urlset.findings.severity import Severity
from urlset.model.answer import Failure, FailureKind
from urlset.watching.signals import AlertKind, Condition, Measurement
from urlset.web.certificate import Certificate, certificate_of
from urlset.workflows.watch.site import Look

_SOON = timedelta(days=14)
_WRONG_FOR_EVERYONE = frozenset({FailureKind.TLS_EXPIRED, FailureKind.TLS_NAME})


def certificate_signals(ask: Look) -> Iterator[Measurement]:
    url, web = ask.site.url, ask.site.web
    if urlsplit(url).scheme.lower() != "https" or web.replay is not None or not web.verify_tls:
        return
    if web.access.mappings or web.access.pins or web.access.proxy is not None:
        return  # another server would be asked than the one that answers requests
    found = certificate_of(url, web)
    where = urlsplit(url).netloc
    if isinstance(found, Failure):
        if found.kind in _WRONG_FOR_EVERYONE:
            yield _validity(where, Condition.BAD, f"certificate of {where}: {found}")
        return
    left = found.until - ask.now
    words = f"certificate of {where} expires on {found.until:%Y-%m-%d}, in {max(left.days, 0)} days"
    yield _validity(where, Condition.BAD if left < _SOON else Condition.OK, words, found)
    yield Measurement(
        kind=AlertKind.CERTIFICATE_CHANGED,
        subject=where,
        digest=found.fingerprint,
        content=f"issuer: {found.issuer}\nvalid until: {found.until:%Y-%m-%d}\nSHA-256: {found.fingerprint}",
        severity=Severity.INFO,
        message=f"certificate of {where} changed: issued by {found.issuer}, valid until {found.until:%Y-%m-%d}",
    )


def _validity(where: str, state: Condition, message: str, found: Certificate | None = None) -> Measurement:
    until = {} if found is None else {"valid_until": f"{found.until:%Y-%m-%dT%H:%M:%SZ}", "issuer": found.issuer}
    return Measurement(
        kind=AlertKind.CERTIFICATE,
        subject=where,
        condition=state,
        message=message,
        recovered=f"certificate of {where} is valid",
        details=until,
    )
