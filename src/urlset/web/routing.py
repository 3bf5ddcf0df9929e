"""A request → the server that gets it and the headers that only that server may see; a response → no secret in it."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from yarl import URL

from urlset.model.answer import Failure
from urlset.web.access import Credential, Proxy, SiteAccess, basic, origin_of_href, read_netrc, spellings
from urlset.web.address import NotFetchableError, target_of
from urlset.web.guard import plain_host

HIDDEN = "***"
_SHORTEST = 6
"""characters of a secret that is looked for: a shorter one would blacken ordinary words"""


class Routed(msgspec.Struct, frozen=True):
    """How one request is sent."""

    url: URL
    headers: dict[str, str]
    server_hostname: str | None = None
    """the name that the certificate must have, if it is not the host of `url`"""
    named_server: bool = False
    """the user named this server or its IP address, so it may be private"""
    proxy: Proxy | None = None
    server: str | None = None
    """the origin that answers, where another one does"""
    origin: str = ""
    secret: bool = False
    """a credential is sent, and could come back in the response"""

    @property
    def by_name(self) -> bool:
        """It goes to a server that the user named, not to the one that its address says."""
        return self.named_server or self.proxy is not None


class Router:
    """One for a client; `named` are the addresses the user gave, whose origins get what is bound to no other."""

    def __init__(self, access: SiteAccess, named: Iterable[str]) -> None:
        """Raises AccessError for a .netrc that cannot be read."""
        self._access = access
        self._servers = {each.origin: each.server for each in access.mappings}
        self.pins = {(pin.host, pin.port): pin.addresses for pin in access.pins}
        self._targets = frozenset(origin for url in named if (origin := _origin(url)) is not None)
        self._credentials = (*access.credentials, *self._from_netrc()) if access.netrc else access.credentials
        known: set[str] = set()
        for secret in self._secrets():
            known |= spellings(secret)
        self._hidden = sorted((each for each in known if len(each) >= _SHORTEST), key=len, reverse=True)
        self._hidden_bytes = [each.encode() for each in self._hidden]
        self._known: dict[str, tuple[dict[str, str], bool]] = {}
        self.active = bool(self._credentials or self._servers or self.pins or access.proxy)
        """False where every request goes out as its address says"""

    def route(self, href: str, headers: dict[str, str] | None) -> Routed:
        origin = origin_of_href(href)
        server = self._servers.get(origin)
        own, secret = self._headers_for(origin, server)
        sent = {**own, **headers} if headers else own
        if server is not None:
            return self._mapped(href, origin, server, sent, secret=secret)
        url = URL(href, encoded=True)
        pinned = (plain_host(url.raw_host or ""), url.port or 0) in self.pins
        proxy = None if pinned else self._access.proxy
        return Routed(url, sent, None, pinned, proxy, None, origin, secret)

    def _mapped(self, href: str, origin: str, server: str, sent: dict[str, str], *, secret: bool) -> Routed:
        """As behind a reverse proxy: the server sees the host of the address, and the scheme visitors use."""
        host = next((value for name, value in sent.items() if name.lower() == "host"), urlsplit(origin).netloc)
        sent = {**sent, "Host": host}
        scheme = origin.partition(":")[0]
        if scheme != server.partition(":")[0]:
            sent.setdefault("X-Forwarded-Proto", scheme)
        name = urlsplit(f"//{host}").hostname if server.startswith("https:") else None
        return Routed(URL(server + href[len(origin) :], encoded=True), sent, name, True, None, server, origin, secret)

    def back(self, routed: Routed, location: str) -> str:
        """A redirect target in terms of the requested address: the server may name itself."""
        if routed.server is None:
            return location
        try:
            href = target_of(location, str(routed.url)).href if "://" in location else None
        except NotFetchableError:
            return location
        if href is None or origin_of_href(href) != routed.server:
            return location
        return routed.origin + href[len(routed.server) :]

    # credentials

    def _headers_for(self, origin: str, server: str | None) -> tuple[dict[str, str], bool]:
        found = self._known.get(origin)
        if found is None:
            found = self._joined([each for each in self._credentials if self._is_for(each, origin, server)])
            if len(self._known) < 1000:
                self._known[origin] = found
        return found

    def _joined(self, credentials: list[Credential]) -> tuple[dict[str, str], bool]:
        """Repeated headers as one; an Authorization that was given as a header replaces any other."""
        headers: dict[str, str] = {}
        for each in credentials:
            name = next((name for name in headers if name.lower() == each.name.lower()), each.name)
            if name not in headers:
                headers[name] = each.value
            elif name.lower() != "authorization":
                headers[name] += ("; " if name.lower() == "cookie" else ", ") + each.value
        return headers, bool(credentials)

    def _is_for(self, credential: Credential, origin: str, server: str | None) -> bool:
        wanted = self._targets if credential.origin is None else (credential.origin,)
        return any(_covers(each, origin) or each == server for each in wanted)

    def _from_netrc(self) -> Iterable[Credential]:
        known = read_netrc()
        for origin in sorted(self._targets | set(self._servers.values())):
            found = known.authenticators(urlsplit(origin).hostname or "")
            if found is not None and found[2]:
                yield basic(found[0], found[2], origin)

    def _secrets(self) -> Iterable[str]:
        for each in self._credentials:
            yield from each.secrets
        if self._access.proxy is not None and self._access.proxy.password:
            yield self._access.proxy.password
            yield from basic(self._access.proxy.user, self._access.proxy.password, None).secrets

    # what comes back

    def redact(self, text: str) -> str:
        for secret in self._hidden:
            if secret in text:
                text = text.replace(secret, HIDDEN)
        return text

    def redact_bytes(self, data: bytes) -> bytes:
        """A server that repeats what it was sent must not bring it into a recording or a report."""
        for secret in self._hidden_bytes:
            if secret in data:
                data = data.replace(secret, HIDDEN.encode())
        return data

    def redact_file(self, path: Path) -> None:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if all(data.find(secret) < 0 for secret in self._hidden_bytes):
                    return
        path.write_bytes(self.redact_bytes(path.read_bytes()))

    def redact_failure(self, failure: Failure | None) -> Failure | None:
        if failure is None or not failure.detail:
            return failure
        return Failure(failure.kind, self.redact(failure.detail))


def _origin(url: str) -> str | None:
    try:
        return origin_of_href(target_of(url).href)
    except NotFetchableError:
        return None


def _covers(named: str, origin: str) -> bool:
    """The same origin, or the encrypted one of the same host."""
    if named == origin:
        return True
    return named.startswith("http:") and named.count(":") == 1 and origin == f"https:{named[5:]}"
