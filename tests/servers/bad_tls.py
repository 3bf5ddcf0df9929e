"""Servers whose TLS is at fault, each on its own port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from tests.servers.behaviour import fine
from tests.servers.certificates import Authority, self_signed, untrusted
from urlset.model.answer import FailureKind as Kind
from urlset.testing.exchange import Raw
from urlset.testing.site import Site

FAULTS: dict[str, tuple[Kind, ...]] = {
    "tls-fine": (),
    "tls-expired": (Kind.TLS_EXPIRED,),
    "tls-wrong-host": (Kind.TLS_NAME,),
    "tls-self-signed": (Kind.TLS_UNTRUSTED,),
    "tls-untrusted": (Kind.TLS_UNTRUSTED,),
    "tls-garbage": (Kind.TLS,),
    "tls-plain-http": (Kind.TLS,),
    "tls-closed": (Kind.TLS, Kind.RESET),
    "tls-reset": (Kind.TLS, Kind.RESET),
    "tls-silent": (Kind.TLS, Kind.CONNECT_TIMEOUT, Kind.READ_TIMEOUT, Kind.TOTAL_TIMEOUT),
}
"""what a client that trusts the authority must conclude: one of these, or no failure where none is named"""


class TlsSites(msgspec.Struct, frozen=True):
    urls: dict[str, str]
    """name → address"""
    ca_file: Path
    """the authority to trust"""


@contextmanager
def bad_tls_sites() -> Iterator[TlsSites]:
    with ExitStack() as stack:
        authority = stack.enter_context(Authority())
        contexts = {
            "tls-fine": authority.context(),
            "tls-expired": authority.context(expired=True),
            "tls-wrong-host": authority.context("other.example"),
            "tls-self-signed": self_signed(),
            "tls-untrusted": untrusted(),
        }
        greetings = {
            "tls-garbage": Raw([bytes(range(256)) * 4]),
            "tls-plain-http": Raw([b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"]),
            "tls-closed": Raw(),
            "tls-reset": Raw(end="reset"),
            "tls-silent": Raw(end="hang"),
        }
        urls = {name: stack.enter_context(Site({"/": fine()}, tls=each)).url("/") for name, each in contexts.items()}
        for name, each in greetings.items():
            urls[name] = stack.enter_context(Site({}, greeting=each)).url("/").replace("http:", "https:")
        yield TlsSites(urls, authority.ca_file)
