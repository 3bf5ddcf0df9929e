"""The addresses a user gave → the private hosts that may be asked, and a notice for each that was refused."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from urlset.model.answer import Answer, FailureKind
from urlset.web.address import NotFetchableError, quoted, target_of
from urlset.web.guard import NEVER, NOT_NAMED, Gate, plain_host
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST, WebOptions

_MOST_NOTICES = 20


class PrivateHosts:
    def __init__(self, options: WebOptions, named: Iterable[str], notices: list[str]) -> None:
        own = frozenset(host for url in named if (host := host_of(url)))
        self._opened = options.allow_private or bool(options.private_hosts)
        self.hosts = frozenset(map(named_host, options.private_hosts)) | (own if options.allow_private else frozenset())
        """as `plain_host` writes them"""
        known = own if own or self._opened else None
        self.gate = Gate(hosts=self.hosts, allow=options.allow_addresses, named=known)
        self._notices = notices
        self._refused: set[str] = set()

    def note(self, answer: Answer) -> None:
        """Add a notice for a host that was refused although the user opened private hosts, once for each."""
        if not self._opened or answer.failure is None or answer.failure.kind is not FailureKind.FORBIDDEN_ADDRESS:
            return
        host = host_of(answer.final_url)
        if host is None or host in self._refused or len(self._refused) >= _MOST_NOTICES:
            return
        self._refused.add(host)
        self._notices.append(f"not fetched from {host}: {answer.failure}{advice(answer)}")


def named_host(text: str) -> str:
    """A host as people write it (`LOCALHOST.`, `[::1]:8080`, `127.1`, a URL), as the guard sees it."""
    spellings = (text if "://" in text else f"http://{text}/", f"http://[{text}]/")
    return next(filter(None, map(host_of, spellings)), plain_host(text))


def host_of(url: str) -> str | None:
    """The host of an address, as the guard sees it: number hosts such as 0x7f.1 are written as 127.0.0.1."""
    try:
        host = urlsplit(target_of(url).href).hostname
    except (NotFetchableError, ValueError):
        return None
    return plain_host(host) if host else None


def advice(answer: Answer) -> str:
    """What to do about an address that was refused; empty where there is nothing to be done, or it was not."""
    failure = answer.failure
    if failure is None or failure.kind is not FailureKind.FORBIDDEN_ADDRESS or NEVER in failure.detail:
        return ""
    if NOT_NAMED not in failure.detail:
        return f"; {ALLOW_PRIVATE} allows it"
    host = host_of(answer.final_url)
    return f"; {PRIVATE_HOST} {host if host and host.isascii() else quoted(host or '')} allows it"
