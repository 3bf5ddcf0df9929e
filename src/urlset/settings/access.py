"""How a site is reached that is not simply public: credentials, a staging server, a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from urlset.settings.declare import Opt, Options, OptionScope

if TYPE_CHECKING:
    from urlset.web.access import SiteAccess


class AccessSettings(Options):
    """Every command that fetches. Without `ORIGIN=`, a credential goes to the origins of the targets only."""

    heading: ClassVar[str] = "Access"

    headers: Annotated[
        tuple[str, ...],
        Opt(
            "Send a header to the site", "[ORIGIN=]NAME: VALUE", "--header", scope=OptionScope.NOT_IN_FILES, secret=True
        ),
    ] = ()
    cookies: Annotated[
        tuple[str, ...],
        Opt(
            "Send a cookie to the site", "[ORIGIN=]NAME=VALUE", "--cookie", scope=OptionScope.NOT_IN_FILES, secret=True
        ),
    ] = ()
    auth: Annotated[
        tuple[str, ...],
        Opt("Sign in with basic authentication", "[ORIGIN=]USER:PASSWORD", scope=OptionScope.NOT_IN_FILES, secret=True),
    ] = ()
    netrc: Annotated[bool, Opt("Sign in with credentials from .netrc", scope=OptionScope.NOT_IN_FILES)] = False
    maps: Annotated[
        tuple[str, ...],
        Opt("Send requests for ORIGIN to SERVER", "ORIGIN=SERVER", "--map", scope=OptionScope.NOT_IN_FILES),
    ] = ()
    resolve: Annotated[
        tuple[str, ...],
        Opt("Use this IP address for HOST and PORT", "HOST:PORT:ADDRESS", scope=OptionScope.NOT_IN_FILES),
    ] = ()
    proxy: Annotated[
        str | None, Opt("HTTP proxy for all other requests", "URL", scope=OptionScope.NOT_IN_FILES, secret=True)
    ] = None

    @property
    def access(self) -> SiteAccess:
        """Raises AccessError, which `problems` reports first."""
        from urlset.web.access import SiteAccess

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
        given = (self.headers, self.cookies, self.auth, self.maps, self.resolve, self.proxy, self.netrc)
        if not any(given):
            return
        from urlset.web import access  # most runs have no credentials

        parts: tuple[tuple[str, tuple[str, ...], Callable[[str], Any]], ...] = (
            ("headers", self.headers, access.header_of),
            ("cookies", self.cookies, access.cookie_of),
            ("auth", self.auth, access.auth_of),
            ("maps", self.maps, access.mapping_of),
            ("resolve", self.resolve, access.pin_of),
            ("proxy", (self.proxy,) if self.proxy else (), access.proxy_of),
        )
        for name, values, parse in parts:
            try:
                for value in values:
                    parse(value)
            except access.AccessError as error:
                yield name, str(error)
        if self.netrc:
            try:
                access.read_netrc()
            except access.AccessError as error:
                yield "netrc", str(error)
