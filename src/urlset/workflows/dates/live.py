"""A running site → its pages as they are served, and the dates of its sitemap as far as they can be believed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from urlset.auditing.facts import is_html
from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.evidence import doubt
from urlset.building.lock import LIVE_DETAIL, LockedPage, LockPaths
from urlset.building.sources.folder import page_evidence, stated_dates
from urlset.building.sources.page_memory import PageMemory
from urlset.model.entry import Entry
from urlset.model.shown import few
from urlset.reading.fingerprint import BlockCounter, boilerplate_of, page_fingerprint
from urlset.reading.host_robots import origin_of, path_of
from urlset.settings.dates import DatesSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.workflows.live.harvest import Harvest
from urlset.workflows.live.tree import AHEAD, LiveTree

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_STAMPED = 4
_NAMED = 3


class LiveSite:
    """`url` is a site or one of its sitemaps. Pages of the target are requested from the same host."""

    def __init__(self, url: str, settings: DatesSettings, temporary: Path, memory: PageMemory) -> None:
        if urlsplit(url).hostname in _LOOPBACK:
            settings = replace(settings, allow_private=True)  # the host was named
        self._url, self._settings, self._folder, self._memory = url, settings, temporary, memory
        self._origin = origin_of(url) or ""
        self.notes: list[str] = []
        self.lastmods: dict[str, str] = {}
        """by URL, as the live sitemap lists them; the empty text for none"""

    def read_sitemaps(self) -> None:
        tree = LiveTree([self._url], SitemapFetchSettings(web=self._settings.fetching), notify=self.notes.append)
        for document in tree:
            if document.kind.lists_pages:
                columns = document.columns
                for loc, lastmod in zip(columns.locs, columns.lastmods, strict=True):
                    if loc and loc.strip():
                        self.lastmods.setdefault(loc.strip(), (lastmod or "").strip())
        self.notes += [f"{missing.loc}: {missing.reason}" for missing in tree.missing[:_NAMED]]

    def pages(self, locs: Iterable[str]) -> Iterator[Candidate]:
        """As they are served now, in this order; without content where a page could not be had."""
        web = self._settings.fetching
        waiting: deque[tuple[str, int | None]] = deque()
        rest, refused = iter(locs), []
        with Harvest(web, self._folder / "live", named=[self._url]) as harvest:
            robots = harvest.robots(self._origin + "/")
            while True:
                for loc in rest:
                    asked = self._origin + path_of(loc)
                    allowed = robots.match(web.token, asked).allowed
                    waiting.append((loc, harvest.request(asked) if allowed else None))
                    if len(waiting) >= max(AHEAD, web.concurrency):
                        break
                if not waiting:
                    break
                loc, number = waiting.popleft()
                page = Candidate(Entry(loc), "")
                if number is not None:
                    arrival = harvest.wait_for(number)
                    if arrival.answer.ok and is_html(arrival.answer):
                        body = arrival.path.read_bytes()
                        look = self._memory.of(body)
                        dates = page_evidence(stated_dates(None, look.facts), self._settings.timezone)
                        page = Candidate(
                            Entry(loc), "", evidence=tuple(dates), blocks=None if look.is_empty else look.blocks
                        )
                    arrival.discard()
                if page.blocks is None:
                    refused.append(loc)
                yield page
        if refused:
            self.notes.append(f"no page from {self._origin} for {few(refused, _NAMED)}")

    def lines(self, locs: Iterable[str], paths: LockPaths, now: datetime) -> dict[str, LockedPage]:
        """What a lock of the live site would say of these pages, as far as its dates can be believed."""
        by_path = {path_of(loc): lastmod for loc, lastmod in self.lastmods.items()}
        asked = [loc for loc in locs if path_of(loc) in by_path]
        believed = believable({loc: date for loc in asked if (date := by_path[path_of(loc)])}, now)
        counter, served = BlockCounter(), []
        for page in self.pages(asked):
            if page.blocks is not None:
                counter.add(page.blocks)
                served.append((page.loc, page.blocks))
        repeated = boilerplate_of(counter)
        return {
            path: LockedPage.of(
                Evidence(EvidenceKind.HTTP, believed[loc], LIVE_DETAIL) if loc in believed else None,
                page_fingerprint(blocks, repeated, self._settings.date_changes),
            )
            for loc, blocks in served
            if (path := paths.of(loc)) is not None
        }


def believable(dates: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Without those that cannot be, and without a day that most pages share, as after every build."""
    found = {loc: date for loc, date in dates.items() if doubt(Evidence(EvidenceKind.HTTP, date), now) is None}
    days = Counter(date[:10] for date in found.values())
    today = now.date().isoformat()
    stamps = {day for day, count in days.items() if count > len(found) / 2 and (count >= _STAMPED or day >= today)}
    return {loc: date for loc, date in found.items() if date[:10] not in stamps}
