"""How a site is reached that is not simply public: credentials, a staging server, a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from urlset.settings.declare import Opt, Options, Scope
from urlset.web.access import (
    AccessError,
    SiteAccess,
    auth_of,
    cookie_of,
    header_of,
    mapping_of,
    pin_of,
    proxy_of,
    read_netrc,
)


@dataclass(frozen=True, kw_only=True)
class AccessSettings(Options):
    """Every command that fetches. Without `ORIGIN=`, a credential goes to the origins of the targets only."""

    heading: ClassVar[str] = "Access"

    headers: Annotated[
        tuple[str, ...],
        Opt("Send a header to the site", "[ORIGIN=]NAME: VALUE", "--header", scope=Scope.NOT_IN_FILES, secret=True),
    ] = field(default=(), repr=False)
    cookies: Annotated[
        tuple[str, ...],
        Opt("Send a cookie to the site", "[ORIGIN=]NAME=VALUE", "--cookie", scope=Scope.NOT_IN_FILES, secret=True),
    ] = field(default=(), repr=False)
    auth: Annotated[
        tuple[str, ...],
        Opt("Sign in with basic authentication", "[ORIGIN=]USER:PASSWORD", scope=Scope.NOT_IN_FILES, secret=True),
    ] = field(default=(), repr=False)
    netrc: Annotated[bool, Opt("Sign in with credentials from .netrc", scope=Scope.NOT_IN_FILES)] = False
    maps: Annotated[
        tuple[str, ...],
        Opt("Send requests for ORIGIN to SERVER", "ORIGIN=SERVER", "--map", scope=Scope.NOT_IN_FILES),
    ] = ()
    resolve: Annotated[
        tuple[str, ...],
        Opt("Use this IP address for HOST and PORT", "HOST:PORT:ADDRESS", scope=Scope.NOT_IN_FILES),
    ] = ()
    proxy: Annotated[
        str | None, Opt("HTTP proxy for all other requests", "URL", scope=Scope.NOT_IN_FILES, secret=True)
    ] = field(default=None, repr=False)

    @property
    def access(self) -> SiteAccess:
        """Raises AccessError, which `problems` reports first."""
        return SiteAccess.of(
            headers=self.headers,
            cookies=self.cookies,
            auth=self.auth,
            netrc=self.netrc,
            maps=self.maps,
            resolve=self.resolve,
            proxy=self.proxy,
        )

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        parts: tuple[tuple[str, tuple[str, ...], Callable[[str], Any]], ...] = (
            ("headers", self.headers, header_of),
            ("cookies", self.cookies, cookie_of),
            ("auth", self.auth, auth_of),
            ("maps", self.maps, mapping_of),
            ("resolve", self.resolve, pin_of),
            ("proxy", (self.proxy,) if self.proxy else (), proxy_of),
        )
        for name, values, parse in parts:
            try:
                for value in values:
                    parse(value)
            except AccessError as error:
                yield name, str(error)
        if self.netrc:
            try:
                read_netrc()
            except AccessError as error:
                yield "netrc", str(error)
