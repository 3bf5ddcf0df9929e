"""How the client behaves towards servers: who it says it is, how fast, how long, how much."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from urlset.model.shown import Shown
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.version import HOME, __version__
from urlset.web.access import SiteAccess

TOKEN = "urlset"
"""the product token that robots.txt groups are chosen by, unless --user-agent names another"""
USER_AGENT = f"{TOKEN}/{__version__} (+{HOME})"
CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 20.0
MAX_REDIRECTS = 10
"""Google follows ten"""
ALLOW_PRIVATE = "--allow-private"
PRIVATE_HOST = "--private-host"
"""how messages name `allow_private` and `private_hosts`; to Python programs they are named as they write them"""


class WebOptions(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """Everything the command line can say about fetching."""

    user_agent: str = USER_AGENT
    concurrency: int = 4
    """requests under way at one host"""
    total_concurrency: int = 32
    delay: float = 0.0
    """seconds between the end of an answer and the next request to that host; above 0 means one at a time"""
    obey_crawl_delay: bool = True
    max_crawl_delay: float = 30.0
    """a longer Crawl-delay is cut to this, and said so"""
    connect_timeout: float = CONNECT_TIMEOUT
    read_timeout: float = READ_TIMEOUT
    """between two pieces of an answer"""
    total_timeout: float = 60.0
    """for one request, body included: what stops a slow drip"""
    max_retry_after: float = 120.0
    """a longer Retry-After is not waited for: the page stays unknown"""
    tries: int = 3
    backoff: float = 0.5
    """seconds before a second try without a Retry-After time; doubles with every further one"""
    patience: float = 5.0
    """seconds before the slow second try after a block"""
    max_redirects: int = MAX_REDIRECTS
    max_body: int = 16 << 20
    """unpacked bytes of a page that are read; sitemaps have a larger cap"""
    allow_private: bool = False
    """fetch from the hosts and ports of the targets also where they are not on the public internet"""
    private_hosts: frozenset[str] = frozenset()
    """further private hosts to fetch from, as `HOST` (ports 80 and 443) or `HOST:PORT`"""
    allow_addresses: frozenset[str] = frozenset()
    """single IP addresses that may be asked although they are not public"""
    verify_tls: bool = True
    ca_file: Path | None = None
    """certificates to trust in addition to the system's"""
    cache: Path | None = None
    """a folder for sitemaps and robots.txt, asked conditionally the next time"""
    access: SiteAccess = SiteAccess()
    """credentials, servers that answer for others, a proxy"""
    record: Path | None = None
    replay: Path | None = None

    def keeping(self, state: Path) -> WebOptions:
        """With sitemaps and robots.txt kept in a state folder, so the next run asks only whether they changed.

        Each set of servers has a folder: what a staging server sent says nothing about the public one.
        """
        if self.cache is not None:
            return self
        folder = state / "answers"
        if self.access.views:
            folder /= sha256("\n".join(self.access.views).encode()).hexdigest()[:12]
        return msgspec.structs.replace(self, cache=folder)

    @property
    def token(self) -> str:
        """The product token: `MyBot` of `MyBot/2.1 (+address)` and of `Mozilla/5.0 (compatible; MyBot/2.1)`."""
        found = _COMPATIBLE.search(self.user_agent) or _FIRST_WORD.search(self.user_agent)
        return found[1] if found else TOKEN


_COMPATIBLE = lazy_pattern(r"\bcompatible; *([A-Za-z_-]+)")
_FIRST_WORD = lazy_pattern(r"([A-Za-z_-]+)")
