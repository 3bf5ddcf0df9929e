"""Sitemaps and access logs → listed pages that are never requested, and requested pages that are not listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from glob import has_magic
from pathlib import Path

import msgspec

from urlset.crawling.scope import is_file
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reports.uri import is_address
from urlset.storage.paths import is_stored
from urlset.workflows.live.setup import Live
from urlset.workflows.logs.hits import HitCounter, Hits, read_ranges
from urlset.workflows.ls.batch import Batch
from urlset.workflows.ls.ls import ListFilter, list_pages

BOT = "Googlebot"


class LogsError(Exception):
    """Logs that cannot be read, or compared with anything."""


class LogsOptions(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    """a sitemap, a folder of them, or a site"""
    logs: tuple[Path, ...]
    bot: str = BOT
    ranges: Path | None = None
    """the IP ranges of the crawler; requests from elsewhere are spoofed"""
    root: str | None = None
    live: Live | None = None


class CrawledRow(Shown, msgspec.Struct, frozen=True):
    """One page and the requests for it."""

    url: str
    requests: int = 0
    last: datetime | None = None
    status: int | None = None
    """of the last response"""
    sitemap: str | None = None


class LogReport(Shown, Tabular, msgspec.Struct, frozen=True, kw_only=True):
    """Crawler requests joined to listed pages."""

    target: str
    bot: str
    verified: bool
    """whether requests were checked against IP ranges"""
    lines: int
    requests: int
    spoofed: int
    unread: int
    first: datetime | None
    last: datetime | None
    listed: int
    crawled: int
    """listed pages with a request"""
    pages: tuple[CrawledRow, ...] = ()
    """listed pages with a request"""
    never_crawled: tuple[CrawledRow, ...] = ()
    not_listed: tuple[CrawledRow, ...] = ()
    """the most requested first; `url` is a path where the log has no host"""
    notes: tuple[str, ...] = ()

    @property
    def failing(self) -> tuple[CrawledRow, ...]:
        """Listed pages whose last response was neither 200 nor 304."""
        return tuple(row for row in self.pages if row.status not in (200, 304))

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "target", self.target
        yield "bot", self.bot
        yield "requests", self.requests
        yield "listed", self.listed
        yield "never_crawled", len(self.never_crawled)
        yield "not_listed", len(self.not_listed)

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: never_crawled, not_listed, pages."""
        return {
            "never_crawled": lambda: table_of(CrawledRow, lambda: self.never_crawled),
            "not_listed": lambda: table_of(CrawledRow, lambda: self.not_listed),
            "pages": lambda: table_of(CrawledRow, lambda: self.pages),
        }


def compare_logs(options: LogsOptions) -> LogReport:
    """Logs are read first: memory grows with the pages that were requested. Raises LogsError, RangesError."""
    if (
        not (is_address(options.target) or is_stored(options.target))
        and not Path(options.target).exists()
        and not has_magic(options.target)
    ):
        raise LogsError(f"{options.target}: no such file or folder; name the sitemap or site first, then the logs")
    counter = HitCounter(options.bot, read_ranges(options.ranges) if options.ranges is not None else ())
    for path in options.logs:
        _read(path, counter)
    crawled: list[CrawledRow] = []
    never: list[CrawledRow] = []
    notes: list[str] = []
    for item in list_pages([options.target], ListFilter(), options.root, options.live):
        if not isinstance(item, Batch):
            notes.append(f"{item.source}: {item.text}")
            continue
        for loc in item.locs:
            hits = counter.hits_of(loc)
            if hits is None:
                never.append(CrawledRow(loc, sitemap=item.document.name))
            else:
                crawled.append(_row(loc, hits, item.document.name))
        del item
    if not crawled and not never:
        raise LogsError("; ".join([f"{options.target}: no listed pages", *notes]))
    return LogReport(
        target=options.target,
        bot=options.bot,
        verified=options.ranges is not None,
        lines=counter.lines,
        requests=counter.requests,
        spoofed=counter.spoofed,
        unread=counter.unread,
        first=counter.first,
        last=counter.last,
        listed=len(crawled) + len(never),
        crawled=len(crawled),
        pages=tuple(crawled),
        never_crawled=tuple(never),
        not_listed=tuple(_not_listed(counter)),
        notes=(*notes, *_notes(options, counter)),
    )


def _read(path: Path, counter: HitCounter) -> None:
    from urlset.building.sources.options import SourceBroken

    try:
        with path.open("rb") as file:
            counter.read(file, str(path))
    except OSError as error:
        raise LogsError(f"{path}: {error.strerror}") from error
    except SourceBroken as error:
        raise LogsError(str(error)) from error


def _row(url: str, hits: Hits, sitemap: str | None = None) -> CrawledRow:
    return CrawledRow(url, hits.count, hits.last, hits.status, sitemap)


def _not_listed(counter: HitCounter) -> Iterator[CrawledRow]:
    """Pages that answered with 200 or 304; the rest is not worth listing, and robots.txt and sitemaps are not pages."""
    found = [
        (host, hits)
        for (host, _), hits in counter.pages.items()
        if not hits.is_listed and hits.status in (200, 304) and _is_page(hits.target.partition("?")[0])
    ]
    found.sort(key=lambda each: (-each[1].count, each[1].target))
    for host, hits in found:
        yield _row(f"https://{host}{hits.target}" if host else hits.target, hits)


def _is_page(path: str) -> bool:
    return path != "/robots.txt" and not is_file(path)


def _notes(options: LogsOptions, counter: HitCounter) -> Iterator[str]:
    if not counter.requests:
        yield f"no request of {options.bot} in {counter.lines:,} lines; formats: Common, Combined, JSON"
    if counter.requests and options.ranges is None:
        yield (
            f"{options.bot} is known by its User-Agent only, which anyone can send;"
            " verify with --ranges FILE and the published IP ranges"
        )
    if counter.unread:
        yield f"{counter.unread:,} lines name {options.bot} and could not be read"
    if counter.beyond:
        yield f"{counter.beyond:,} requests for further pages were not compared"
