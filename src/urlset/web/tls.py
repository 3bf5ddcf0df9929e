"""Whom to trust → the context connections are made with; a failed handshake → which kind of failure it is."""

from __future__ import annotations

import ssl
from pathlib import Path

from urlset.model.answer import Failure, FailureKind

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
