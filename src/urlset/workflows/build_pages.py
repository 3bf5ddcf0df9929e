"""Pages on offer → the pages to list, each dated and written out once; and why the others are not listed."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from urlset.building.alternates import Alternates
from urlset.building.candidate import Candidate, Decision, Evidence, RowTrouble, Verdict
from urlset.building.canonical_rings import CanonicalRings
from urlset.building.evidence import decide
from urlset.building.git_evidence import GitDates
from urlset.building.ledger import LedgerRow, Recording
from urlset.building.policy import Policy
from urlset.building.render import written
from urlset.building.shards import Form
from urlset.building.sources.options import Item
from urlset.building.spool import Spool
from urlset.model.entry import Entry
from urlset.model.media import NOTHING
from urlset.reading.fingerprint import BlockCounter, boilerplate_of, has_moved, hash_of, main_fingerprint, pack, unpack
from urlset.workflows.build_git import GitPages
from urlset.workflows.build_options import BuildError, BuildOptions
from urlset.writing.media import extensions_of
from urlset.writing.xml import Unwritable

_BATCH = 400
_SHOWN_TROUBLES = 1000
_UNKNOWN = -1


class Listed(msgspec.Struct, frozen=True, array_like=True):
    """A page that will be listed."""

    row: LedgerRow
    """`shard` is the file it was listed in"""
    written: bytes
    """the entry as it will stand in the file"""
    kept: int = 0
    """its id in the ledger where nothing about it changed"""
    extensions: tuple[str, ...] = ()
    news: Entry | None = None
    """the entry once more when it is news, which it may be no longer when the file is written"""


class Pages:
    """All pages to list: on disk, save for the few numbers a page that decide on its file."""

    def __init__(self, temporary: Path) -> None:
        self.spool = Spool(temporary / "pages", Listed)
        self.sizes = array("I")
        self.kept = array("q")
        """the id of the page in the ledger where nothing about it changed, else 0"""
        self.has_news = bytearray()
        self._sections: dict[str, int] = {}
        self._section_of = array("i")
        self._files: dict[str, int] = {}
        self._file_of = array("i")

    def __len__(self) -> int:
        return len(self.sizes)

    def add(self, page: Listed) -> None:
        self.spool.append(page)
        self.sizes.append(len(page.written))
        file, section = page.row.shard, page.row.section
        self._file_of.append(_UNKNOWN if file is None else self._files.setdefault(file, len(self._files)))
        self._section_of.append(self._sections.setdefault(section, len(self._sections)))
        self.kept.append(page.kept)
        self.has_news.append(page.news is not None)

    @property
    def has_sections(self) -> bool:
        return bool(self._sections.keys() - {""})

    def offered(self) -> Iterator[tuple[str, int, str | None]]:
        """Section, size and former file of every page, for `assign`."""
        sections = list(self._sections)
        files: list[str | None] = [*self._files, None]
        for section, size, file in zip(self._section_of, self.sizes, self._file_of, strict=True):
            yield sections[section], size, files[file]

    def former_files(self) -> Iterator[str | None]:
        files: list[str | None] = [*self._files, None]
        return (files[file] for file in self._file_of)


class Gathering:
    """Takes what sources offer. What needs to know all pages first, a fingerprint or translations, waits."""

    def __init__(
        self, options: BuildOptions, temporary: Path, policy: Policy, recording: Recording, now: datetime
    ) -> None:
        self.pages = Pages(temporary)
        self.left_out: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.dated: Counter[str] = Counter()
        self.added = self.redated = 0
        self.notes: list[str] = []
        self.troubles: list[RowTrouble] = []
        self.trouble_count = 0
        self.blocks = BlockCounter()
        self._options, self._policy, self._recording, self._now = options, policy, recording, now
        self._git = GitPages(options.order, now)
        self._form = Form.TEXT if options.text else Form.XML
        self._alternates = Alternates()
        self._waiting = Spool(temporary / "waiting", Candidate)
        self._rings = CanonicalRings(temporary / "rings")
        self._decisions = Spool(temporary / "decisions", Decision)
        self._batch: list[tuple[Candidate, str]] = []

    def take(self, items: Iterator[Item], git: GitDates | None = None) -> None:
        """Everything a source offers; `git` dates the files of a folder."""
        decide_on, section_of = self._policy.decide, self._policy.section_of
        listed, not_canonical = Verdict.LISTED, Verdict.NOT_CANONICAL
        for item in items:
            if isinstance(item, RowTrouble):
                self.trouble(item)
                continue
            decision = decide_on(item)
            if decision.verdict is not listed and decision.verdict is not not_canonical:
                if decision.verdict is Verdict.REDIRECT and item.redirects_to:
                    self._rings.redirects(item.loc, item.redirects_to)
                self.leave(decision)
                continue
            if git is not None:
                item = self._git.offer(git, item)  # noqa: PLW2901
            if decision.verdict is listed:
                self._list(item, section_of(item))
            else:
                self._rings.hold(item)

    def _list(self, item: Candidate, section: str) -> None:
        media = item.entry.media
        if item.blocks is not None or (media is not NOTHING and media.alternates):
            self._wait(item, section)
            return
        self._batch.append((item, section))
        if len(self._batch) == _BATCH:
            self._date_batch(frozenset())

    def finish(self, remembered: frozenset[int]) -> None:
        """Date what waited; `remembered` is the boilerplate of earlier builds."""
        for decision, candidate in self._rings.settle(self._policy):
            if decision.verdict is Verdict.LISTED:
                self._list(candidate, self._policy.section_of(candidate))
            else:
                self.leave(decision)
        self.notes.extend(self._rings.notes())
        self._date_batch(frozenset())
        for trouble in self._alternates.troubles():
            self.trouble(trouble)
        boilerplate = remembered | boilerplate_of(self.blocks)
        self._git.settle(self._waiting, self._recording.known, self.blocks.pages, boilerplate)
        self.notes.extend(self._git.notes)
        for candidate in self._waiting:
            self._batch.append((self._git.corrected(candidate), candidate.section or ""))
            if len(self._batch) == _BATCH:
                self._date_batch(boilerplate)
        self._date_batch(boilerplate)
        self._recording.decide(self._decisions)

    def trouble(self, trouble: RowTrouble) -> None:
        if self._options.strict and not trouble.is_note:
            raise BuildError(f"{trouble.origin}: {trouble.reason} (--strict stops at the first such row)")
        self.trouble_count += 1
        if len(self.troubles) < _SHOWN_TROUBLES:
            self.troubles.append(trouble)

    def leave(self, decision: Decision) -> None:
        """A page that is not listed."""
        self.left_out[decision.verdict.value] += 1
        self.examples.setdefault(
            decision.verdict.value, f"{decision.loc} ({decision.detail})" if decision.detail else decision.loc
        )
        self._decisions.append(decision)

    def _wait(self, candidate: Candidate, section: str) -> None:
        if candidate.blocks is not None:
            self.blocks.add(candidate.blocks)
        if candidate.entry.alternates:
            self._alternates.add(candidate.entry, candidate.language)
        self._waiting.append(msgspec.structs.replace(candidate, section=section))

    # dating

    def _date_batch(self, boilerplate: frozenset[int]) -> None:
        known = self._recording.known([candidate.loc for candidate, _ in self._batch])
        for candidate, section in self._batch:
            self._date(candidate, section, known.get(candidate.loc), boilerplate)
        self._batch.clear()

    def _date(self, candidate: Candidate, section: str, known: LedgerRow | None, boilerplate: frozenset[int]) -> None:
        blocks = candidate.blocks
        moved = None
        if blocks is not None and known is not None and known.blocks is not None:
            moved = has_moved(unpack(known.blocks), blocks, boilerplate)
        evidence = decide(candidate, known, moved, now=self._now, order=self._options.order)
        entry = self._dated_entry(candidate, evidence)
        media = entry.media
        try:
            piece = written(entry, self._form)
        except Unwritable as error:
            self.trouble(RowTrouble(candidate.origin, str(error)))
            return
        current = known if known is not None and known.gone is None else None
        row = LedgerRow(
            entry.loc or "",
            section,
            current.shard if current is not None else None,
            candidate.origin,
            entry.lastmod,
            evidence.kind.value if evidence else None,
            evidence.detail if evidence else None,
            *_remembered(blocks, known, boilerplate, piece),
        )
        kept = current.id if current is not None and current.says_the_same(row) else 0
        if media is NOTHING:
            self.pages.add(Listed(row, piece, kept))
        else:
            extensions = tuple(sorted(extensions_of(media)))
            self.pages.add(Listed(row, piece, kept, extensions, entry if media.news else None))
        self._count(known, evidence, entry.lastmod)

    def _dated_entry(self, candidate: Candidate, evidence: Evidence | None) -> Entry:
        lastmod = evidence.lastmod if evidence else None
        entry = candidate.entry
        media = entry.media
        # whatever waited until all pages were read: one that names no version may be named by another
        if candidate.blocks is not None or (media is not NOTHING and media.alternates):
            entry = self._alternates.complete(entry)
        return entry if entry.lastmod == lastmod else msgspec.structs.replace(entry, lastmod=lastmod)

    def _count(self, known: LedgerRow | None, evidence: Evidence | None, lastmod: str | None) -> None:
        self.dated[evidence.kind.value if evidence else "none"] += 1
        if known is None or known.gone is not None:
            self.added += 1
        elif known.lastmod != lastmod:
            self.redated += 1


def _remembered(
    blocks: tuple[int, ...] | None, known: LedgerRow | None, boilerplate: frozenset[int], piece: bytes
) -> tuple[int | None, int, bytes | None]:
    """Fingerprint, digest and blocks; where the content was not seen this time, what was seen last stands."""
    if blocks is not None:
        return main_fingerprint(blocks, boilerplate), hash_of(piece), pack(blocks)
    if known is not None and known.blocks is not None:
        return known.fingerprint, hash_of(piece), known.blocks
    return None, hash_of(piece), None
