"""Sitemaps and access logs → listed pages that are never requested, and requested pages that are not listed."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.building.sources.lists import lines_of
from urlset.building.sources.source import SourceBroken
from urlset.crawling.scope import is_file
from urlset.model.address import key_of
from urlset.model.document import Document
from urlset.model.errors import ArgumentValueError, UrlsetError
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.reading.access_log import LoggedRequest, read_line
from urlset.settings.ls import LogsSettings
from urlset.storage.paths import is_address, is_stored
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.ls import NO_DOCUMENTS, Batch, ListFilter, list_pages


class LogsError(UrlsetError):
    """Logs that cannot be read, or compared with anything."""


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


def compare_logs(
    settings: LogsSettings,
    *,
    notify: Callable[[str], None] = lambda _line: None,
    documents: Mapping[str, Document] = NO_DOCUMENTS,
    unread: list[str] | None = None,
) -> LogReport:
    """Logs are read first: memory grows with the pages that were requested. Raises LogsError, RangesError.

    `documents` are targets in memory, by name. What could not be read is also added to `unread`.
    """
    target, *logs = settings.targets
    start = documents.get(target, target)
    elsewhere = target in documents or is_address(target) or is_stored(target)
    if not elsewhere and not Path(target).exists() and not has_magic(target):
        raise LogsError(f"{target}: no such file or folder; name the sitemap or site first, then the logs")
    counter = HitCounter(settings.bot, read_ranges(Path(settings.ranges)) if settings.ranges is not None else ())
    for path in logs:
        _read(path, counter)
    crawled: list[CrawledRow] = []
    never: list[CrawledRow] = []
    notes: list[str] = []
    root = None if settings.root is None else str(settings.root)
    live = partial(LiveTree, settings=settings, notify=notify)
    for item in list_pages([start], ListFilter(), root, live):
        if not isinstance(item, Batch):
            notes.append(f"{item.source}: {item.text}")
            if unread is not None and item.grave:
                unread.append(notes[-1])
            continue
        for loc in item.locs:
            hits = counter.hits_of(loc)
            if hits is None:
                never.append(CrawledRow(loc, sitemap=item.document.name))
            else:
                crawled.append(CrawledRow(loc, hits.count, hits.last, hits.status, item.document.name))
        del item
    if not crawled and not never:
        raise LogsError("; ".join([f"{target}: no listed pages", *notes]))
    return LogReport(
        target=target,
        bot=settings.bot,
        verified=settings.ranges is not None,
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
        notes=(*notes, *_notes(settings, counter)),
    )


def _read(path: str, counter: HitCounter) -> None:
    try:
        with Path(path).open("rb") as file:
            counter.read(file, path)
    except OSError as error:
        raise LogsError(f"{path}: {error.strerror}") from error
    except SourceBroken as error:
        raise LogsError(str(error)) from error


def _not_listed(counter: HitCounter) -> Iterator[CrawledRow]:
    """Pages that answered with 200 or 304; the rest is not worth listing, and robots.txt and sitemaps are not pages."""
    found = [
        (host, hits)
        for (host, _), hits in counter.pages.items()
        if not hits.is_listed
        and hits.status in (200, 304)
        and (path := hits.target.partition("?")[0]) != "/robots.txt"
        and not is_file(path)
    ]
    found.sort(key=lambda each: (-each[1].count, each[1].target))
    for host, hits in found:
        url = f"https://{host}{hits.target}" if host else hits.target
        yield CrawledRow(url, hits.count, hits.last, hits.status)


def _notes(settings: LogsSettings, counter: HitCounter) -> Iterator[str]:
    if not counter.requests:
        yield f"no request of {settings.bot} in {counter.lines:,} lines; formats: Common, Combined, JSON"
    if counter.requests and settings.ranges is None:
        yield (
            f"{settings.bot} is known by its User-Agent only, which anyone can send;"
            " verify with --ranges FILE and the published IP ranges"
        )
    if counter.unread:
        yield f"{counter.unread:,} lines name {settings.bot} and could not be read"
    if counter.beyond:
        yield f"{counter.beyond:,} requests for further pages were not compared"


# Access logs → how often, when and with which status a crawler requested each page.

MOST_PAGES = 2_000_000
"""different URLs that are remembered; requests for further ones are counted only"""
_ANY = "http://host"


class RangesError(ArgumentValueError):
    """A list of IP ranges that cannot be used."""


class Hits(msgspec.Struct):
    """The requests for one page."""

    target: str
    count: int = 0
    last: datetime | None = None
    status: int = 0
    """of the last one"""
    is_listed: bool = False


class HitCounter:
    """Filled line by line; only lines that name the crawler are looked at closely."""

    def __init__(self, bot: str, ranges: Iterable[str] = ()) -> None:
        self._bot = re.compile(rf"(?<![\w-]){re.escape(bot)}(?![\w-])", re.IGNORECASE)
        self._networks = [ipaddress.ip_network(each) for each in ranges]
        self._known_addresses: dict[str, bool] = {}
        self.pages: dict[tuple[str, str], Hits] = {}
        """by host (empty where unknown) and path"""
        self.lines = 0
        self.unread = 0
        """lines with the name of the crawler that record no request"""
        self.requests = 0
        self.spoofed = 0
        self.beyond = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def read(self, file: BinaryIO, name: str) -> None:
        """Plain or packed. Raises SourceBroken where the file breaks off."""
        for _, line in lines_of(file, name):
            self.lines += 1
            text = "" if line is None else line.decode("utf-8", "replace")
            if self._bot.search(text):
                self._note(read_line(text))

    def _note(self, request: LoggedRequest | None) -> None:
        if request is None:
            self.unread += 1
            return
        if not self._bot.search(request.agent):
            return  # the name is elsewhere in the line
        if self._networks and not self._is_genuine(request.address):
            self.spoofed += 1
            return
        self.requests += 1
        if request.time is not None:
            self.first = request.time if self.first is None else min(self.first, request.time)
            self.last = request.time if self.last is None else max(self.last, request.time)
        key = (request.host, path_key(request.target))
        found = self.pages.get(key)
        if found is None:
            if len(self.pages) >= MOST_PAGES:
                self.beyond += 1
                return
            found = self.pages[key] = Hits(request.target)
        found.count += 1
        if found.last is None or (request.time is not None and request.time >= found.last):
            found.last, found.status = request.time, request.status

    def _is_genuine(self, address: str) -> bool:
        known = self._known_addresses.get(address)
        if known is None:
            try:
                found = ipaddress.ip_address(address)
                known = any(found in network for network in self._networks)
            except ValueError:
                known = False
            self._known_addresses[address] = known
        return known

    def hits_of(self, url: str) -> Hits | None:
        """Those of a listed page; a log without hosts fits any."""
        host, slash, rest = key_of(url).partition("://")[2].partition("/")
        host, path = host.partition(":")[0], slash + rest
        found = self.pages.get((host, path)) or self.pages.get(("", path))
        if found is not None:
            found.is_listed = True
        return found


def path_key(target: str) -> str:
    return key_of(_ANY + target)[len(_ANY) :]


def read_ranges(path: Path) -> Iterator[str]:
    """The file that Google and Bing publish for a crawler: `{"prefixes": [{"ipv4Prefix": …}]}`. Raises RangesError."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
        prefixes = msgspec.json.decode(found["prefixes"], type=list[dict[str, str]])
        for prefix in prefixes:
            for network in prefix.values():
                ipaddress.ip_network(network)
                yield network
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise RangesError(f"{path}: not a list of IP ranges with `prefixes`: {error}") from error
