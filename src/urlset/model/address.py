"""The text of a page address → its parts, its legality, and the key that tells pages apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.model.address_grammar import (
    IllegalAt,
    Illegality,
    find_illegal,
    is_plain,
    percent_encode,
)
from urlset.model.address_host import HostFault, faults_of_host, host_to_ascii, port_number
from urlset.model.address_key import key_of
from urlset.model.address_parts import AddressParts, Span, split_address
from urlset.model.kept import kept
from urlset.model.shown import Shown
from urlset.spec.lazy_module import LazyModule

if TYPE_CHECKING:
    import ada_url
else:
    ada_url = LazyModule("ada_url")

__all__ = ["Address", "AddressParts", "HostFault", "IllegalAt", "Illegality", "Origin", "Span", "percent_encode"]

_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}


class Origin(NamedTuple):
    """Who answers for an address: two addresses of one site have equal origins."""

    scheme: str
    host: str
    port: int | None


class Address(Shown, msgspec.Struct, frozen=True, dict=True):
    """An address as written; each property is computed on first use.

    The parts follow RFC 3986 to the letter and keep their spelling; `whatwg`, `normalised` and `key` say what
    a crawler makes of the same text. Whitespace around the text does not belong to any component.
    """

    raw: str

    @classmethod
    def parse(cls, raw: str) -> Address:
        return cls(raw)

    def __str__(self) -> str:
        return self.raw

    # legality

    @property
    def illegal(self) -> IllegalAt | None:
        """The first departure from RFC 3986."""
        return None if self._plain else next(iter(self._illegal), None)

    def illegal_all(self) -> list[IllegalAt]:
        """Every departure from RFC 3986, in the order of the text."""
        return list(self._illegal)

    @kept
    def _plain(self) -> bool:
        return is_plain(self.raw)

    @kept
    def _illegal(self) -> list[IllegalAt]:
        return find_illegal(self.raw, self.parts)

    # parts, as written

    @kept
    def parts(self) -> AddressParts:
        return split_address(self.raw)

    @property
    def padded(self) -> bool:
        """There is whitespace before or after the address."""
        return self.parts.core != (0, len(self.raw))

    @property
    def scheme(self) -> str | None:
        return self._cut(self.parts.scheme)

    @property
    def userinfo(self) -> str | None:
        return self._cut(self.parts.userinfo)

    @property
    def host(self) -> str | None:
        return self._cut(self.parts.host)

    @property
    def port(self) -> str | None:
        return self._cut(self.parts.port)

    @property
    def path(self) -> str:
        start, end = self.parts.path
        return self.raw[start:end]

    @property
    def query(self) -> str | None:
        return self._cut(self.parts.query)

    @property
    def fragment(self) -> str | None:
        return self._cut(self.parts.fragment)

    def _cut(self, span: Span | None) -> str | None:
        return None if span is None else self.raw[span[0] : span[1]]

    # what it points at

    @property
    def is_absolute(self) -> bool:
        """It names a scheme and a host."""
        return bool(self.scheme and self.host)

    @property
    def is_web(self) -> bool:
        """It is absolute and its scheme is http or https."""
        return self.is_absolute and (self.scheme or "").lower() in {"http", "https"}

    @property
    def host_ascii(self) -> str | None:
        """The host in lower-case punycode; None when there is none or it cannot be spelled so."""
        return host_to_ascii(self.host) if self.host else None

    @property
    def port_effective(self) -> int | None:
        """The port a client would connect to; None when the text names none that exists."""
        if self.port:
            return port_number(self.port)
        return _DEFAULT_PORTS.get((self.scheme or "").lower())

    @property
    def origin(self) -> Origin | None:
        """None unless absolute. A host that has no punycode spelling is kept as written, in lowercase."""
        if not (self.scheme and self.host):
            return None
        return Origin(self.scheme.lower(), self.host_ascii or self.host.lower(), self.port_effective)

    def host_faults(self) -> list[HostFault]:
        """What keeps host and port from being those of a public site; empty when no authority is written."""
        host = self.host
        return [] if host is None else faults_of_host(host, self.port)

    # what a crawler makes of it

    @kept
    def whatwg(self) -> ada_url.URL | None:
        """The text as the WHATWG URL standard reads it; None when it refuses."""
        try:
            return ada_url.URL(self.raw)
        except ValueError:
            return None

    @property
    def normalised(self) -> str | None:
        """The address a crawler would ask for, without the fragment; None when no client accepts it."""
        return None if self.whatwg is None else self.whatwg.href.partition("#")[0]

    @kept
    def key(self) -> str:
        """Equal for two addresses exactly when RFC 3986 section 6.2 and URL parsers take them for one."""
        return key_of(self.raw)
