"""A host → the certificate it shows: who issued it, until when it is valid, and a fingerprint."""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

import msgspec

from urlset.model.answer import Failure, FailureKind
from urlset.web import failures
from urlset.web.failures import NETWORK_ERRORS, failure_of
from urlset.web.guard import Gate, PrivateHosts, asked_host, plain_host
from urlset.web.options import WebOptions

_HTTPS = 443


class Certificate(msgspec.Struct, frozen=True):
    fingerprint: str
    """SHA-256 of the whole certificate"""
    issuer: str
    until: datetime


def certificate_of(url: str, options: WebOptions) -> Certificate | Failure:
    """Of the server at an https address that the user gave."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    token = asked_host.set(plain_host(host))
    try:
        context = failures.context(options.ca_file, verify=options.verify_tls)
        with (
            _connected(host, parts.port or _HTTPS, options, PrivateHosts(options, [url], []).gate) as plug,
            context.wrap_socket(plug, server_hostname=host) as stream,
        ):
            return _read(stream.getpeercert(binary_form=True) or b"", stream.getpeercert() or {})
    except NETWORK_ERRORS as error:
        return failure_of(error)
    finally:
        asked_host.reset(token)


def _connected(host: str, port: int, options: WebOptions, gate: Gate) -> socket.socket:
    """Through the guard, as every request is."""
    problem: OSError = OSError(FailureKind.DNS.value)
    for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        plug: socket.socket | None = None
        try:
            plug = gate.open(info)
            plug.settimeout(options.connect_timeout)
            plug.connect(info[4])
        except OSError as error:
            problem = error
            if plug is not None:
                plug.close()
        else:
            return plug
    raise problem


def _read(whole: bytes, named: Mapping[str, object]) -> Certificate:
    until = ssl.cert_time_to_seconds(str(named["notAfter"])) if named.get("notAfter") else 0
    issuer = {key: value for part in named.get("issuer", ()) for key, value in part}  # type: ignore[attr-defined]
    return Certificate(
        hashlib.sha256(whole).hexdigest(),
        str(issuer.get("organizationName") or issuer.get("commonName") or "unknown"),
        datetime.fromtimestamp(until, UTC),
    )
