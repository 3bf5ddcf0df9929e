"""Blocks of rows → pages, by compiled loops; a row that needs a closer look gets it in Python, in its turn."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Protocol

import msgspec

from urlset.building import pages, shards
from urlset.building.alternates import Alternates
from urlset.building.candidate import Decision, Evidence, EvidenceKind, PolicyReason, RowTrouble
from urlset.building.compiled_pages import DATE, DOUBLE, END, FULL, LEDGER_ROW, READY, UNREAD, Batch, PageIndex, Screen
from urlset.building.evidence import doubt
from urlset.building.known_pages import KnownPages
from urlset.building.policy import SUSPICIOUS, ListingPolicy
from urlset.building.recalled_links import Other, RecalledLinks
from urlset.building.render import written
from urlset.building.row_memory import RowFile
from urlset.building.shards import FRAME_BYTES, TOO_LARGE, FileForm
from urlset.building.sources.cells import DateError, to_lastmod
from urlset.building.sources.rows import is_name
from urlset.building.sources.source import Block, Item
from urlset.building.spool import Spool
from urlset.model.entry import Entry, Image, Media
from urlset.settings.build import BuildSettings
from urlset.spec.protocol import MAX_IMAGES_PER_URL
from urlset.writing.media import media_xml
from urlset.writing.urlset import mask_of

_REMEMBERED_DATES = 1 << 14
_TAKEN_BACK = 1 << 12
_SURELY_SMALL = 1 << 15
_IMAGE_BYTES = len(media_xml(Media(images=(Image("http://a"),))))
_ENCODE = msgspec.json.Encoder().encode


class BatchCollector(Protocol):
    """Where the pages of all sources come together."""

    settings: BuildSettings
    policy: ListingPolicy
    known: KnownPages
    alternates: Alternates
    temporary: Path
    now: datetime
    rows: RowFile | None

    def take_item(self, item: Item) -> None: ...

    def leave(self, decision: Decision) -> None: ...

    def trouble(self, trouble: RowTrouble) -> None: ...


def batches_for(gathering: BatchCollector) -> Batches | None:
    index = gathering.known.index
    screen = screen_of(gathering.policy, gathering.now, gathering.settings.timezone)
    return None if isinstance(index, pages.PageIndex) else Batches(gathering, index, screen)


def screen_of(policy: ListingPolicy, now: datetime, timezone: str | None = None) -> Screen:
    """What accepts addresses that no check of the policy can reject."""
    today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date().isoformat()
    return Screen(policy.head_of, policy.below.encode(), today.encode(), SUSPICIOUS, (timezone or "").encode())


class WaitingRows(msgspec.Struct, frozen=True, array_like=True):
    """Those of one block that name translations, which are written and read at once."""

    packed: list[tuple[bytes, bytes, bytes, int, int, int]]
    """see `compiled_pages.Batch.pack`"""
    links: list[int]
    """the number of what each says, see `Alternates.lines`"""
    origins: list[str]


class Batches:
    """Takes blocks whose rows fit into columns."""

    def __init__(self, gathering: BatchCollector, index: PageIndex, screen: Screen) -> None:
        self._gathering, self.index = gathering, index
        self._policy, self._known = gathering.policy, gathering.known
        self._dates: dict[str, bytes | None] = {}
        self._languages: dict[int, str] = {}
        """by row of the block at hand"""
        self._waiting = Spool(gathering.temporary / "waiting-rows", WaitingRows)
        # more images than one page may have take at least as many bytes
        self._largest = min(shards.LIMITS.most_bytes - FRAME_BYTES - _SURELY_SMALL, MAX_IMAGES_PER_URL * _IMAGE_BYTES)
        # where the history of pages was lost, a row that is the same may be that of a new page
        self._memory = gathering.rows.memory if gathering.rows is not None and not self._known.notes else None
        self._batch = Batch(screen, self._largest, memory=self._memory)

    def take(self, block: Block) -> bool:
        """Every row of a block; False where it has to be gone through in Python."""
        batch, index = self._batch, self.index
        batch.clear()
        self._languages.clear()
        if not block.fill(batch):
            return False
        if not batch.usual:
            self._read(block)
        if batch.noted:
            self._note()
        refused = self._choose(block)
        if not self._known.origin and len(batch):
            self._known.origin = block.origin(0).rpartition(":")[0]
        at, fetched = 0, False
        while True:
            at = index.take(batch, at)
            if index.why == END:
                self._wait(block)
                return True
            if index.why == FULL:
                self._known.groups.flush_groups()
                continue
            if index.why == DOUBLE:
                key = batch.key(at)
                self._gathering.leave(Decision(batch.loc(at), PolicyReason.DUPLICATE, key, block.origin(at)))
            elif at in refused:
                self._gathering.leave(refused[at])
            else:
                if index.why == LEDGER_ROW and not fetched:
                    self._known.fetch(map(batch.loc, batch.of_status(READY)))
                    fetched = True
                for item in block.items(at):
                    self._gathering.take_item(item)
            at += 1

    def _wait(self, block: Block) -> None:
        """Rows that name translations: what they say of each other is complete when all have come."""
        rows = self.index.waiting
        if not rows:
            return
        add = self._gathering.alternates.add_links
        links: list[int] = []
        for row, (loc, said) in zip(rows, self._batch.waiting(rows), strict=True):
            links.append(links[-1] if said is None else add(loc, said, self._languages.get(row)))
        self._waiting.append(WaitingRows(self._batch.pack(rows), links, list(map(block.origin, rows))))

    def take_back(self, others: Iterable[Other]) -> None:
        """Recalled rows wait again if their translations may have changed; `others` are the pages read in Python."""
        memory = self._gathering.rows
        if memory is None or not self.index.recalled_links:
            return
        recalled = RecalledLinks(self.index, self._known, self._gathering.alternates, memory)
        waiting = (zip(some.packed, some.links, strict=True) for some in self._waiting)
        read = ((packed[0], number, ()) for some in waiting for packed, number in some)
        rows = recalled.take_back(chain(others, read))
        while some := list(islice(rows, _TAKEN_BACK)):
            packed, links = zip(*some, strict=True)
            self._waiting.append(WaitingRows([*packed], [*links], [each[0].decode() for each in packed]))

    def finish(self) -> None:
        """List what has waited, when all pages have come."""
        batch, index, alternates = self._batch, self.index, self._gathering.alternates
        for some in self._waiting:
            batch.clear()
            lines: list[bytes] = []
            for number, same in groupby(some.links):
                first = len(lines)
                lines += [alternates.lines(number)] * len(list(same))
                if self._memory is not None and not alternates.is_whole(number):
                    for packed in some.packed[first : len(lines)]:
                        index.forget_row(self._memory, packed[0], lines[first])
            for row in batch.unpack(some.packed, lines):
                entry = written(Entry(batch.loc(row), batch.date(row) or None), FileForm.XML)
                if FRAME_BYTES + len(entry) + len(batch.rest(row)) > shards.LIMITS.most_bytes:
                    self._gathering.trouble(RowTrouble(some.origins[row], TOO_LARGE))
                    batch.skip(row)
            at = 0
            while (at := index.take_waiting(batch, at)) < len(batch):
                self._known.groups.flush_groups()
        if self._memory is not None and self._gathering.rows is not None:
            index.forget_open_sets(self._memory)
            rows = self._gathering.rows
            rows.languages = alternates.languages | (rows.languages if index.recalled_links else frozenset())

    def _read(self, block: Block) -> None:
        """The rows and dates that compiled code does not read."""
        batch, known = self._batch, self._known
        for row in batch.of_status(UNREAD):
            values = block.values(row)
            if values is None or len(values.rest) > self._largest:
                batch.refuse(row)
                continue
            mask = mask_of(values.extensions) if values.extensions else 0
            section = known.section_number(values.section) if values.section else 0
            links = _ENCODE(values.alternates) if values.alternates else None
            language = values.language.encode() if values.language else None
            batch.set_row(row, values.loc, values.lastmod, values.rest, mask, section, links, language)
        for row in batch.of_status(DATE):
            day = self._day(batch.date(row))
            if day is None:
                batch.refuse(row)
            else:
                batch.set_date(row, day)

    def _note(self) -> None:
        """Sections and languages that rows name."""
        batch, known = self._batch, self._known
        for row, section, language in batch.notes():
            if not (is_name(section) and is_name(language)):
                batch.refuse(row)
                continue
            if section:
                batch.set_section(row, known.section_number(section))
            if language:
                self._languages[row] = language

    def _day(self, text: str) -> bytes | None:
        """What is written for a date, empty for a blank; None for what is none or is not believed."""
        if text not in self._dates:
            if len(self._dates) >= _REMEMBERED_DATES:
                self._dates.clear()
            day: bytes | None = None
            with suppress(DateError):
                lastmod = to_lastmod(text, self._gathering.settings.timezone)
                if lastmod is None or not doubt(Evidence(EvidenceKind.GIVEN, lastmod), self._gathering.now):
                    day = (lastmod or "").encode()
            self._dates[text] = day
        return self._dates[text]

    def _choose(self, block: Block) -> dict[int, Decision]:
        """Sections of the rows, and what the policy does not list of rows whose address is in order."""
        batch, policy, known = self._batch, self._policy, self._known
        suspects = frozenset(batch.suspects())
        has_sections = policy.has_sections
        rows = batch.of_status(READY) if policy.chooses or has_sections else sorted(suspects)
        refused = {}
        for row in rows:
            loc = batch.loc(row)
            number = batch.section(row)
            if has_sections and number == 0:
                number = known.section_number(policy.section_of_address(loc, self._languages.get(row)))
                batch.set_section(row, number)
            if row in suspects or policy.chooses:
                section = known.section_name(number)
                found = policy.refusal_of(loc, batch.key(row) or loc, section, suspect=row in suspects)
                if found is not None:
                    refused[row] = Decision(loc, found[0], found[1], block.origin(row))
                    batch.refuse(row)
        return refused
