"""How a workflow reaches live sitemaps: the web options, the limits, and who receives progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from urlset.web.options import WebOptions

if TYPE_CHECKING:
    from urlset.model.answer import Answer
    from urlset.reading.host_robots import HostRobots

MAX_FILES = 50_001


class Observer:
    """Told what a check meets on the way; does nothing unless a subclass does."""

    def robots(self, robots: HostRobots) -> None:
        """The robots.txt of a target's host, however it was answered."""

    def listed(self, url: str, lastmod: str | None) -> None:
        """An index lists this sitemap."""

    def arrived(self, url: str, answer: Answer) -> None:
        """The answer to a request for a sitemap."""


class Live(msgspec.Struct, frozen=True):
    """How addresses are fetched, and who receives the progress."""

    web: WebOptions = WebOptions()
    max_files: int = MAX_FILES
    notify: Callable[[str], None] = lambda _line: None
    resumed: bool = False
    """an earlier process may have asked the same hosts a moment ago"""
    skip: Callable[[str], bool] = lambda _url: False
    """sitemaps that need not be fetched"""
    still_valid: Callable[[str], bool] | None = None
    """sitemaps whose kept copy in `web.cache` is used without a request"""
    observer: Observer = Observer()


def why_not_fetched(url: str) -> str | None:
    """The reason why this URL cannot be a target; None where it can."""
    from urlset.reading.host_robots import origin_of  # files do not need it

    if origin_of(url) is None:
        return f"{url} is not a URL that can be fetched"
    if "@" in url.partition("//")[2].partition("/")[0]:
        return "a URL with a user name or password is not fetched: remove it from the URL"
    return None
