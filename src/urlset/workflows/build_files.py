"""Listed pages → the files of the set, staged, and their rows in the ledger; files nothing happened to stay."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import compress, islice
from pathlib import Path

from urlset.building.candidate import RowTrouble
from urlset.building.ledger import LedgerRow, Recording, ShardRow
from urlset.building.news import still_news
from urlset.building.render import assemble, newest_of, written
from urlset.building.shards import Form, Plan, Shard
from urlset.building.spool import HELD_BYTES, Spool
from urlset.building.staging import Staging
from urlset.model.entry import Entry
from urlset.workflows.build_pages import Listed, Pages
from urlset.writing.media import extensions_of

_HELD_IN_ALL = 16 << 20
_TOO_LARGE = "the entry is larger than any sitemap may be"


class Files:
    """One plan, carried out."""

    def __init__(self, pages: Pages, plan: Plan, form: Form, temporary: Path, now: datetime) -> None:
        self.troubles: list[RowTrouble] = []
        self._pages, self._plan, self._form, self._now = pages, plan, form, now
        self._temporary = temporary
        former = pages.former_files()
        self._stays = bytearray(
            kept != 0 and name == before for kept, name, before in zip(pages.kept, plan.names(), former, strict=True)
        )
        """for every page, whether its row in the ledger and its file are as they were"""

    def write(self, shards: list[ShardRow], recording: Recording, staging: Staging) -> None:
        """Every file, in the order of the plan."""
        recording.keep_ids(compress(self._pages.kept, self._stays))
        untouched = self._untouched(shards, staging)
        spools = self._deal(untouched)
        for place, shard in enumerate(self._plan.shards):
            if place in untouched:
                staging.keep(shard.name)
                continue
            pages = sorted(spools[place], key=written_loc)
            spools[place].forget()
            remember(pages, shard.name, recording)
            self._stage(pages, shard, staging)

    def _untouched(self, shards: list[ShardRow], staging: Staging) -> set[int]:
        """Positions of files that list the same pages, saying the same, and lie there as they were published.

        A file with news is always written anew, because news grow old without anything changing.
        """
        staying = [0] * len(self._plan.shards)
        news = [False] * len(self._plan.shards)
        for place, stays, is_news in zip(self._plan.places, self._stays, self._pages.has_news, strict=True):
            if place >= 0:
                staying[place] += stays
                news[place] |= bool(is_news)
        before = {row.name: row for row in shards}
        last = {file.name: file.sha256 for file in staging.last.files} if staging.last is not None else {}
        found = set()
        for place, shard in enumerate(self._plan.shards):
            row = before.get(shard.name)
            if (
                row is not None
                and shard.entries == staying[place] == row.count
                and not news[place]
                and row.section == shard.section
                and last.get(shard.name) == row.sha256
                and staging.as_published(shard.name) is not None
            ):
                found.add(place)
        return found

    def _deal(self, untouched: set[int]) -> list[Spool[Listed]]:
        """One spool for each file that has to be written."""
        number = len(self._plan.shards)
        held = max(1 << 14, min(HELD_BYTES, _HELD_IN_ALL // number))
        spools = [Spool(self._temporary / f"shard-{at}", Listed, held_bytes=held) for at in range(number)]
        if len(untouched) == number and -1 not in self._plan.places:
            return spools
        for place, raw in zip(self._plan.places, self._pages.spool.raw(), strict=True):
            if place >= 0 and place not in untouched:
                spools[place].append_raw(raw)
        if -1 in self._plan.places:
            lost = (place < 0 for place in self._plan.places)
            self.troubles += [RowTrouble(page.row.origin, _TOO_LARGE) for page in compress(self._pages.spool, lost)]
        return spools

    def _stage(self, pages: list[Listed], shard: Shard, staging: Staging) -> None:
        news = [page.news for page in pages if page.news is not None]
        pieces: Iterator[bytes] = (page.written for page in pages)
        extensions = {name for page in pages if page.extensions for name in page.extensions}
        if news:
            current = {entry.loc: entry for entry in still_news(news, self._now)}
            extensions = {name for page in pages for name in _extensions(page, current)}
            pieces = (self._written(page, current) for page in pages)
        staging.add(
            shard.name,
            assemble(pieces, form=self._form, extensions=extensions, gzip=shard.name.endswith(".gz")),
            entries=len(pages),
            section=shard.section,
            newest=newest_of(page.row.lastmod for page in pages),
        )

    def _written(self, page: Listed, current: dict[str | None, Entry]) -> bytes:
        return page.written if page.news is None else written(current[page.row.url], self._form)

    def first_pages(self, most: int) -> Iterator[Entry]:
        """For people to look at."""
        return (Entry(page.row.url, page.row.lastmod) for page in islice(self._pages.spool, most))


def remember(pages: list[Listed], name: str, recording: Recording) -> None:
    """The rows of the pages of one file, save for those that are as they were."""
    recording.put_values(_values(page.row, name) for page in pages if not (page.kept and page.row.shard == name))


def written_loc(page: Listed) -> bytes:
    """The address as it stands in the file, by which entries are ordered."""
    return page.written.partition(b"</loc>")[0]


def _extensions(page: Listed, current: dict[str | None, Entry]) -> tuple[str, ...]:
    return page.extensions if page.news is None else tuple(extensions_of(current[page.row.url].media))


def _values(row: LedgerRow, shard: str) -> tuple[object, ...]:
    return (
        *(row.url, row.section, shard, row.origin, row.lastmod),
        *(row.evidence_kind, row.evidence_detail, row.fingerprint, row.digest, row.blocks),
    )
