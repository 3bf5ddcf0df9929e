"""The options of a crawl, and its result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.crawling.completeness import Completeness
from urlset.crawling.found import TrapKind
from urlset.model.shown import Shown
from urlset.settings.crawl import CrawlSettings
from urlset.settings.declare import StrPath
from urlset.web.options import WebOptions
from urlset.workflows.live.rendering import Render


class CrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """One crawl: where it starts, how far it goes, what it obeys."""

    url: str
    state: Path
    """the folder in which the frontier is kept"""
    prefix: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_pages: int | None = None
    max_depth: int | None = None
    follow_nofollow: bool = False
    ignore_robots: bool = False
    ignore_traps: tuple[TrapKind, ...] = ()
    seed_sitemaps: bool = False
    fresh: bool = False
    content: bool = False
    """keep what a build needs of each page: the hashes of its text, and images and videos when wanted"""
    images: bool = False
    videos: bool = False
    purpose: str = ""
    """crawls for different ends are kept apart: a build asks for pages of its last set that no link leads to"""
    parts: StrPath | None = None
    """a folder or storage URL for the rows, as Parquet parts"""
    render: Render = Render()
    web: WebOptions = WebOptions()

    @classmethod
    def of(cls, settings: CrawlSettings, url: str, state: Path, *, for_rows: bool) -> CrawlOptions:
        """Rows are also there to be built from, for which the text of the pages must be judged."""
        return cls(
            url=url,
            state=state,
            prefix=settings.prefix,
            include=settings.include,
            exclude=settings.exclude,
            max_pages=settings.max_pages,
            max_depth=settings.max_depth,
            follow_nofollow=settings.follow_nofollow,
            ignore_robots=settings.ignore_robots,
            ignore_traps=settings.ignore_traps,
            seed_sitemaps=settings.seed_sitemaps,
            fresh=settings.fresh,
            content=for_rows,
            purpose="file" if for_rows else "",
            parts=settings.parts,
            render=Render.of(settings),
            web=settings.fetching,
        )

    def identity(self) -> bytes:
        """What makes it another crawl, whose pages cannot be reused; limits only bound it."""
        same = msgspec.structs.replace(
            self,
            state=Path(),
            max_pages=None,
            max_depth=None,
            fresh=False,
            parts=None,
            render=Render(self.render.mode),
            web=WebOptions(),
        )
        seen_as = (self.web.user_agent, *self.web.access.views, *self.web.access.sends)
        return msgspec.json.encode((same, seen_as), enc_hook=str)


class TrapReport(msgspec.Struct, frozen=True):
    kind: str
    place: str
    reason: str
    addresses: int
    example: str
    exclude: str | None = None
    """the pattern for --exclude that keeps a crawl out of it, where there is one"""


class CrawlReport(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl found."""

    url: str
    home: str
    """scheme and host of the site, after the redirects of the start"""
    state_file: str
    ended: str
    """done, limit, stopped, kept out"""
    started: str
    taken_over: int = 0
    """pages that an earlier, interrupted run had visited"""
    asked: int = 0
    """pages visited in this run"""
    visited: int = 0
    states: dict[str, int] = {}
    depths: dict[int, int] = {}
    """pages by the clicks that lead to them"""
    not_asked: dict[str, int] = {}
    """addresses of the site that were not requested, by reason"""
    left: int = 0
    """addresses found that are still to be asked"""
    only_in_sitemaps: int = 0
    traps: tuple[TrapReport, ...] = ()
    tracking: dict[str, str] = {}
    """parameters that were left out of addresses, with an example"""
    completeness: Completeness
    notices: tuple[str, ...] = ()
    robots_txt: bytes | None = None
    """of the site, where it has one"""

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "url", self.url
        yield "ended", self.ended
        yield "visited", self.visited
        yield "states", self.states


class CrawlError(Exception):
    """A crawl that could not begin."""


class CrawlStopped(CrawlError):  # noqa: N818 - requested by the user, not an error
    """Ctrl-C during a crawl that something else was waiting for; the same call resumes it."""
