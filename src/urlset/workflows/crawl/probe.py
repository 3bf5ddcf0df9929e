"""A site → how it answers addresses that cannot exist, asked once and kept with the crawl."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from urlset.auditing.soft404 import ErrorProbe, probe_of, probe_urls
from urlset.crawling.frontier import CrawlFrontier
from urlset.crawling.loop import Crawl
from urlset.web.client import Client

_META = "error_probe"


class Probing:
    """The baseline by which error pages that are sent as pages are recognised."""

    def __init__(self, frontier: CrawlFrontier) -> None:
        self._frontier = frontier
        kept = frontier.meta(_META)
        self._asked = kept is not None
        self._probe = msgspec.json.decode(kept, type=ErrorProbe | None) if kept is not None else None

    def known(self) -> ErrorProbe | None:
        return self._probe

    def ready(self, client: Client, sitting: Crawl) -> Callable[[str], Awaitable[None]] | None:
        """What asks when the home of the site is known; None where an earlier run has asked."""
        if self._asked:
            return None

        async def ask(home: str) -> None:
            urls = [url for url in probe_urls(f"{home}/") if sitting.may_ask(url)]
            answers = [await client.get(url) for url in urls]
            self._probe = probe_of(answers)
            self._frontier.remember(**{_META: msgspec.json.encode(self._probe).decode()})

        return ask
