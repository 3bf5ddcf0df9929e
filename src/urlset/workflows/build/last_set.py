"""The published set → those of its pages that stay listed because a crawl could not judge them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from urlset.building.candidate import Candidate
from urlset.building.manifest import load
from urlset.model.entry import Entry
from urlset.reading.read import read


def published(state: Path | None, out: Path) -> Iterator[Entry]:
    """The entries of the last set, as they lie there."""
    last = load(state) if state is not None else None
    for shard in last.shards if last is not None else ():
        path = out / shard.name
        if path.is_file():
            yield from read(path).entries()


def as_it_was(entry: Entry) -> Candidate:
    """To be listed again; the date recorded in the ledger is kept."""
    return Candidate(Entry(entry.loc, media=entry.media), "the last build")


def kept_notes(kept: Counter[str]) -> Iterator[str]:
    for why, count in kept.items():
        yield f"{count:,} page{'s' if count != 1 else ''} of the last set kept: {why}"


class PublishedPages:
    """For crawls that are read from files; holds the addresses of the last set from the first question on."""

    def __init__(self, state: Path | None, out: Path) -> None:
        self._state, self._out = state, out
        self._left: dict[str, Entry] | None = None
        self._is_complete = True
        self._kept: Counter[str] = Counter()

    def seen(self, url: str) -> None:
        self._unmet().pop(url, None)

    def kept(self, url: str, why: str) -> Candidate | None:
        self._is_complete = False  # and so a page that was not seen may still be there
        entry = self._unmet().pop(url, None)
        return None if entry is None else self._keep(entry, why)

    def not_come_to(self) -> Iterator[Candidate]:
        """When all sources are read: the pages that no crawl has met, unless that means that they are gone."""
        if self._is_complete:
            return
        from urlset.building.sources.crawled import NOT_COME_TO

        for entry in self._unmet().values():
            yield self._keep(entry, NOT_COME_TO)

    def notes(self) -> Iterator[str]:
        return kept_notes(self._kept)

    def _keep(self, entry: Entry, why: str) -> Candidate:
        self._kept[why] += 1
        return as_it_was(entry)

    def _unmet(self) -> dict[str, Entry]:
        if self._left is None:
            from urlset.crawling.normalise import address_of  # which no other list needs

            locs = ((entry.loc or "", entry) for entry in published(self._state, self._out))
            self._left = {address_of(loc) or loc: entry for loc, entry in locs}
        return self._left
