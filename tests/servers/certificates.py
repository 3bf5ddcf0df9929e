"""Certificates for test servers: a private authority, what it signed, and certificates that no client trusts."""

from __future__ import annotations

import datetime as dt
import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import trustme


class Authority:
    """A private certificate authority: clients trust it through `ca_file`, its certificates are for loopback."""

    def __init__(self) -> None:
        self._authority: trustme.CA = maker().CA()
        self._folder = tempfile.TemporaryDirectory(prefix="urlset-ca-")
        self.ca_file = Path(self._folder.name) / "ca.pem"
        self._authority.cert_pem.write_to_path(str(self.ca_file))

    def context(self, *hosts: str, expired: bool = False) -> ssl.SSLContext:
        """For a server that claims to be these hosts, 127.0.0.1 and localhost where none is named."""
        until = dt.datetime.now(dt.UTC) - dt.timedelta(days=30) if expired else None
        since = dt.datetime(2020, 1, 1, tzinfo=dt.UTC) if expired else None
        issued = self._authority.issue_cert(*(hosts or ("127.0.0.1", "localhost")), not_before=since, not_after=until)
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        issued.configure_cert(made)
        return made

    def close(self) -> None:
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def untrusted(*hosts: str) -> ssl.SSLContext:
    """A certificate from an unknown authority."""
    with Authority() as stranger:
        return stranger.context(*hosts)


def self_signed() -> ssl.SSLContext:
    """A certificate that vouches for itself."""
    authority = maker().CA()
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="urlset-ca-") as folder:
        both = Path(folder) / "both.pem"
        both.write_bytes(authority.private_key_pem.bytes() + authority.cert_pem.bytes())
        made.load_cert_chain(both)
    return made


def maker() -> Any:
    try:
        import trustme as found
    except ImportError as missing:
        raise RuntimeError("test servers with TLS need the package trustme: pip install trustme") from missing
    return found
