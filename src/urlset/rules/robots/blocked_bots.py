"""One delivery → the crawlers that robots.txt blocks, and the line that blocks them."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from urlset.checking.live_page import Delivery
from urlset.model.robots import RobotsLine
from urlset.reading.host_robots import Access
from urlset.rules import Kind
from urlset.rules.quoting import quoted
from urlset.spec.engines import ENGINES

ROBOTS_TXT = "/robots.txt"
ANY = "*"


class KeptOut(msgspec.Struct, frozen=True):
    """The crawlers that may not fetch it."""

    crawlers: tuple[str, ...]
    """product tokens; * for crawlers without their own group in robots.txt"""
    everyone: bool
    line: RobotsLine

    @property
    def mild(self) -> bool:
        """All crawlers of the selected engines may fetch it."""
        return self.crawlers == (ANY,)

    @property
    def summary(self) -> str:
        named = [crawler for crawler in self.crawlers if crawler != ANY]
        if self.everyone:
            who = "all crawlers are"
        elif not named:
            who = "crawlers without their own group in robots.txt are"
        else:
            who = f"{' and '.join(named)} {'is' if len(named) == 1 else 'are'}"
        return f"{who} blocked by {quoted(f'{self.line.written}: {self.line.value}')} on line {self.line.number}"


def kept_out(delivery: Delivery) -> KeptOut | None:
    """None if nothing is blocked, or if robots.txt could not be read, which has its own rule."""
    robots = delivery.robots
    if robots is None or robots.access is not Access.RULES or delivery.is_robots:
        return None
    tokens = [token for engine in delivery.context.engines for token in ENGINES[engine].robots_tokens[:1]]
    matches = {token: robots.match(token, delivery.url) for token in tokens}
    refused = {token: match.line for token, match in matches.items() if not match.allowed and match.line is not None}
    if not refused:
        return None
    first = min(refused.values(), key=lambda line: line.number)
    return KeptOut(tuple(refused), len(refused) == len(matches) and ANY in refused, first)


def leads_to_a_sitemap(delivery: Delivery) -> bool:
    """The redirects do not end at a web page, so the final URL can be used instead."""
    document = delivery.document
    page = document is not None and document.kind in (Kind.HTML, Kind.EMPTY)
    return bool(delivery.answer.hops) and delivery.answer.ok and not page


def named_by_robots(delivery: Delivery) -> bool:
    """Listed in a Sitemap line."""
    return delivery.parent is not None and _is_robots_txt(delivery.parent)


def named_by_index(delivery: Delivery) -> bool:
    return delivery.parent is not None and not _is_robots_txt(delivery.parent)


def _is_robots_txt(url: str) -> bool:
    try:
        return urlsplit(url).path == ROBOTS_TXT
    except ValueError:
        return False
