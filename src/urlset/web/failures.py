"""An exception of the network → the Failure it means."""

from __future__ import annotations

import errno
import hashlib
import re
import socket
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec
from aiohttp.http_exceptions import HttpProcessingError

from urlset.model.answer import Failure, FailureKind
from urlset.web.guard import FORBIDDEN, Gate, PrivateHosts, asked_host, plain_host
from urlset.web.options import WebOptions

NETWORK_ERRORS = (aiohttp.ClientError, HttpProcessingError, OSError, TimeoutError, ValueError)
"""what a server, a name service or an odd address can make the library raise; UnicodeError is a ValueError"""

_ERRNO = re.compile(r"\[Errno (\d+)\]")
_LONGEST = 160

# In this order where a host has several addresses that failed in different ways: what a living server did says most.
_BY_ERRNO = {
    errno.ECONNRESET: FailureKind.RESET,
    errno.EPIPE: FailureKind.RESET,
    errno.ECONNABORTED: FailureKind.RESET,
    errno.ECONNREFUSED: FailureKind.REFUSED,
    errno.ETIMEDOUT: FailureKind.CONNECT_TIMEOUT,
    FORBIDDEN: FailureKind.FORBIDDEN_ADDRESS,
}

# EAI_NONAME, EAI_NODATA: the name service is sure that there is no such host
_NO_SUCH_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


def failure_of(error: BaseException) -> Failure:  # noqa: PLR0911 - one line per kind
    match error:
        case aiohttp.ClientConnectorDNSError():
            return Failure(FailureKind.DNS, _said(error.os_error))
        case aiohttp.ClientConnectorCertificateError():
            return certificate_failure(error.certificate_error)
        case aiohttp.ClientConnectorSSLError():
            return handshake_failure(error.os_error)
        case aiohttp.ConnectionTimeoutError():
            return Failure(FailureKind.CONNECT_TIMEOUT)
        case aiohttp.SocketTimeoutError():
            return Failure(FailureKind.READ_TIMEOUT)
        case aiohttp.ClientConnectorError():
            return _of_system(error.os_error)
        case aiohttp.ServerDisconnectedError():
            return Failure(FailureKind.RESET, "closed before a response arrived")
        case aiohttp.ClientPayloadError():
            return Failure(FailureKind.CUT_SHORT)
        case aiohttp.ClientResponseError() | HttpProcessingError():
            return Failure(FailureKind.BAD_HTTP, _first_line(error.message))
        case ssl.SSLError():
            return handshake_failure(error)
        case UnicodeError():
            return Failure(FailureKind.DNS, "not a valid host name")
        case ValueError():
            return Failure(FailureKind.BAD_ADDRESS, _first_line(str(error)))
        case TimeoutError():
            return _of_system(error) if error.errno else Failure(FailureKind.TOTAL_TIMEOUT)
        case OSError():
            return _of_system(error)
    return Failure(FailureKind.BAD_HTTP, _first_line(str(error)))


def is_lasting(error: BaseException) -> bool:
    """Whether the name service was sure: asking again would be no use."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorDNSError) else None
    return isinstance(cause, socket.gaierror) and cause.errno in _NO_SUCH_NAME


def _of_system(error: OSError) -> Failure:
    """If several addresses were tried, the numbers are only in the text."""
    numbers = {error.errno} if error.errno else {int(number) for number in _ERRNO.findall(str(error))}
    for number, kind in _BY_ERRNO.items():
        if number in numbers:
            said = _said(error) if kind is FailureKind.FORBIDDEN_ADDRESS else ""
            return Failure(kind, said)
    if isinstance(error, ConnectionError):
        return Failure(FailureKind.RESET, _said(error))
    return Failure(FailureKind.UNREACHABLE, _said(error))


def _said(error: OSError) -> str:
    said = _ERRNO.sub("", error.strerror or str(error)).removeprefix("Multiple exceptions: ")
    return _first_line(" ".join(said.replace(" ,", ",").split()))


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0].strip().rstrip(".:")[:_LONGEST] if lines else ""


# Whom to trust → the context connections are made with; a failed handshake → which kind of failure it is.

_EXPIRED, _NOT_YET_VALID = 10, 9
_OTHER_NAME, _OTHER_ADDRESS = 62, 64
"""OpenSSL's X509_V_ERR_ numbers; every other one means that the chain does not lead to a trusted root"""


def context(ca_file: Path | None, *, verify: bool) -> ssl.SSLContext:
    """Raises OSError where the file cannot be read or holds no certificate."""
    made = ssl.create_default_context()
    if not verify:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    elif ca_file is not None:
        try:
            made.load_verify_locations(ca_file)
        except ssl.SSLError as error:
            raise OSError(f"{ca_file}: no PEM certificate found") from error
    return made


def certificate_failure(error: Exception) -> Failure:
    code = getattr(error, "verify_code", None)
    said = str(getattr(error, "verify_message", "") or error).rstrip(".")
    if code == _EXPIRED:
        return Failure(FailureKind.TLS_EXPIRED)
    if code in (_OTHER_NAME, _OTHER_ADDRESS):
        return Failure(FailureKind.TLS_NAME, said)
    if code == _NOT_YET_VALID:
        return Failure(FailureKind.TLS_UNTRUSTED, "the certificate is not valid yet")
    return Failure(FailureKind.TLS_UNTRUSTED, said)


def handshake_failure(error: BaseException) -> Failure:
    """What OpenSSL calls WRONG_VERSION_NUMBER is nearly always a server that speaks plain HTTP there."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return certificate_failure(error)
    reason = getattr(error, "reason", None)
    if reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
        return Failure(FailureKind.TLS, "the server does not speak TLS on this port")
    return Failure(FailureKind.TLS, str(reason or error).replace("_", " ").lower())


# A host → the certificate it shows: who issued it, until when it is valid, and a fingerprint.

_HTTPS = 443


class Certificate(msgspec.Struct, frozen=True):
    fingerprint: str
    """SHA-256 of the whole certificate"""
    issuer: str
    until: datetime
    tls: str = ""
    """the version that was negotiated, such as TLSv1.3"""
    http2: bool = False
    """whether the server offers HTTP/2"""


def certificate_of(url: str, options: WebOptions) -> Certificate | Failure:
    """Of the server at an https address that the user gave."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    token = asked_host.set(plain_host(host))
    try:
        trust = context(options.ca_file, verify=options.verify_tls)
        trust.set_alpn_protocols(["h2", "http/1.1"])
        with (
            _connected(host, parts.port or _HTTPS, options, PrivateHosts(options, [url], []).gate) as plug,
            trust.wrap_socket(plug, server_hostname=host) as stream,
        ):
            named: Any = stream.getpeercert() or {}
            until = ssl.cert_time_to_seconds(str(named["notAfter"])) if named.get("notAfter") else 0
            issuer = {key: value for part in named.get("issuer", ()) for key, value in part}
            return Certificate(
                hashlib.sha256(stream.getpeercert(binary_form=True) or b"").hexdigest(),
                str(issuer.get("organizationName") or issuer.get("commonName") or "unknown"),
                datetime.fromtimestamp(until, UTC),
                stream.version() or "",
                stream.selected_alpn_protocol() == "h2",
            )
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
