"""Addresses of sites and sitemaps → documents, one at a time in the order listed, the next ones fetched meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from urlset.model.address import key_of
from urlset.model.answer import Answer
from urlset.model.document import Document
from urlset.reading.disk import NoSitemap
from urlset.reading.limits import REMOTE_CAP
from urlset.reading.read import read
from urlset.reading.tree import MAX_INDEX_DEPTH, Missing, listed
from urlset.rules.fetch_state import FetchState, outcome_of
from urlset.settings.groups import SitemapFetchSettings
from urlset.workflows.live.discover import Lead, complete, discover, robots_document, why_not
from urlset.workflows.live.harvest import Arrival, Harvest
from urlset.writing.files import work_folder

AHEAD = 8
"""files requested before it is their turn: they wait on disk"""


class _Level(msgspec.Struct):
    """One list of sitemaps on the way down, and how far it has been read and requested."""

    leads: Sequence[Lead]
    name: str
    at: int = 0
    asked: dict[int, int] = {}
    asked_to: int = 0


class LiveTree:
    """The same as a Tree on disk. `missing` says what could not be read, as far as the iteration has come."""

    def __init__(
        self,
        targets: Sequence[str],
        settings: SitemapFetchSettings | None = None,
        *,
        notify: Callable[[str], None] = lambda _line: None,
        resumed: bool = False,
        skip: Callable[[str], bool] = lambda _url: False,
        max_depth: int = MAX_INDEX_DEPTH,
        with_robots: bool = False,
    ) -> None:
        """`resumed`: an earlier process may have asked the same hosts a moment ago. `skip` says which sitemaps need
        not be fetched. With `with_robots`, robots.txt is a document too."""
        settings = settings or SitemapFetchSettings()
        self._targets, self._web, self._resumed = targets, settings.fetching, resumed
        self.max_files, self.max_depth, self.skips = settings.max_files, max_depth, skip
        self._notify, self._with_robots = notify, with_robots
        self.missing: list[Missing] = []
        self.answer: Answer | None = None
        """how the document handed out last was delivered"""

    def __iter__(self) -> Iterator[Document]:
        self.missing.clear()
        with (
            work_folder() as folder,
            Harvest(self._web, Path(folder) / "files", named=self._targets, resumed=self._resumed) as harvest,
        ):
            self._harvest, self._stopped = harvest, False
            self._seen, self._ended_at = set[str](), set[str]()
            for target in self._targets:
                found = discover(harvest, target)
                if not found.leads and found.note:
                    kind = NoSitemap if found.reached else Missing
                    self.missing.append(kind(found.target, "", found.note))
                elif found.note:
                    self._notify(f"{found.target}: {found.note}")
                robots = robots_document(found.robots) if self._with_robots and found.is_site else None
                if robots is not None:
                    self.answer = found.robots.answer
                    yield robots
                yield from self._below(found.leads)
            for line in harvest.notices:
                self._notify(line)

    def _below(self, leads: Sequence[Lead]) -> Iterator[Document]:
        """Depth first, each address once."""
        levels = [_Level(self._fresh(leads), "")]
        while levels:
            level = levels[-1]
            if level.at >= len(level.leads):
                levels.pop()
                continue
            self._ask_ahead(levels)
            lead = level.leads[level.at]
            arrival = lead.arrival or self._harvest.wait_for(level.asked.pop(level.at))
            level.at += 1
            document = self._read(lead, arrival, level.name)
            if document is not None:
                levels.append(_Level(self._children(document, len(levels)), document.name))
                self.answer = arrival.answer
                yield document
            del document

    def _ask_ahead(self, levels: list[_Level]) -> None:
        """The deepest level comes first; there is always room for the one whose turn it is."""
        for level in reversed(levels):
            level.asked_to = max(level.asked_to, level.at)
            while level.asked_to < len(level.leads):
                first = level is levels[-1] and level.asked_to == level.at
                if self._harvest.outstanding >= AHEAD and not first:
                    return
                if level.leads[level.asked_to].arrival is None:
                    level.asked[level.asked_to] = self._harvest.request(level.leads[level.asked_to].url)
                level.asked_to += 1

    def _read(self, lead: Lead, arrival: Arrival, parent: str) -> Document | None:
        answer = arrival.answer
        try:
            if outcome_of(answer) is not FetchState.READ:
                named = f" (named in {lead.robots_txt})" if lead.robots_txt else ""
                self.missing.append(Missing(lead.url, parent, why_not(answer) + named))
                return None
            ended_at = key_of(answer.final_url or lead.url)
            if ended_at in self._ended_at:
                return None
            self._ended_at.add(ended_at)
            return read(arrival.path, name=lead.url, url=answer.final_url or lead.url, cap=REMOTE_CAP)
        finally:
            arrival.discard()

    def _children(self, document: Document, depth: int) -> list[Lead]:
        if document.robots is not None:
            return []
        leads: list[Lead] = []
        for loc in listed(document):
            url = complete(loc, document.url or document.name)
            if url is None:
                self.missing.append(Missing(loc, document.name, "not a fetchable URL"))
            elif depth > self.max_depth:
                reason = f"indexes nested more than {self.max_depth} deep"
                self.missing.append(Missing(loc, document.name, reason))
            else:
                leads.append(Lead(url))
        return self._fresh(leads)

    def _fresh(self, leads: Sequence[Lead]) -> list[Lead]:
        """Those not met before, up to the limit of the whole run."""
        fresh: list[Lead] = []
        for lead in leads:
            key = key_of(lead.url)
            if key in self._seen or self.skips(lead.url):
                continue
            if len(self._seen) >= self.max_files:
                if not self._stopped:
                    self._stopped = True
                    reason = f"stopped after {self.max_files:,} files: raise --max-files"
                    self.missing.append(Missing(lead.url, "", reason))
                break
            self._seen.add(key)
            fresh.append(lead)
        return fresh
