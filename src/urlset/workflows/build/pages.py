"""Pages on offer → the pages to list, each dated and written out once; and why the others are not listed."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from urlset.building import pages, shards
from urlset.building.alternates import Alternates
from urlset.building.candidate import Candidate, Decision, Evidence, EvidenceKind, PolicyReason, RowTrouble
from urlset.building.evidence import decide, doubts
from urlset.building.git_pages import DateGaps, FolderHistory, GitPages
from urlset.building.known_pages import KnownPages
from urlset.building.ledger import LedgerRow, Recording
from urlset.building.lock import LockPaths, lock_files, read_lock, write_lock
from urlset.building.lock_dates import BuildStamps, LockedDates
from urlset.building.policy import CanonicalRings, ListingPolicy
from urlset.building.recalled_links import Other
from urlset.building.render import written
from urlset.building.row_memory import RowFile
from urlset.building.shards import FRAME_BYTES, TOO_LARGE, FileForm
from urlset.building.sources.source import Block, Item
from urlset.building.spool import Spool
from urlset.model.entry import NOTHING, Entry
from urlset.model.shown import few
from urlset.reading.fingerprint import (
    BlockCounter,
    RepeatedBlocks,
    boilerplate_of,
    changed_facets,
    hash_of,
    main_fingerprint,
    pack,
    text_of,
    unpack,
)
from urlset.settings.build import BuildSettings
from urlset.spec.protocol import MAX_IMAGES_PER_URL
from urlset.web.caller import checkpoint
from urlset.workflows.build.result import BuildError, BuildRun
from urlset.writing.media import extensions_of
from urlset.writing.urlset import mask_of
from urlset.writing.xml import FORBIDDEN, Unwritable, legal

if TYPE_CHECKING:
    from urlset.building.extras import LlmsMap
    from urlset.workflows.build.batches import Batches

_BATCH = 400
_SHOWN_TROUBLES = 1000
_NO_LINKS = -1


class PageCollector:
    """Takes what sources offer. What needs to know all pages first, a fingerprint or translations, waits."""

    def __init__(
        self,
        settings: BuildSettings,
        run: BuildRun,
        temporary: Path,
        policy: ListingPolicy,
        recording: Recording,
        now: datetime,
        rows: RowFile | None = None,
    ) -> None:
        key = rows.key if rows is not None else None
        self.known = KnownPages(recording, temporary, given=EvidenceKind.GIVEN in settings.evidence, key=key)
        self.rows = rows
        self.temporary = temporary
        self.left_out: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.dated: Counter[str] = Counter()
        self.added = self.redated = 0
        self._on_left_out = run.on_left_out
        self.notes: list[str] = []
        self.troubles: list[RowTrouble] = []
        self.trouble_count = 0
        self.depends_on_time = False
        """the same rows may give another set on another day"""
        self.blocks = BlockCounter()
        self._same = IdenticalPages()
        self.settings, self.policy, self._recording, self.now = settings, policy, recording, now
        self._git = GitPages(settings.evidence, now, settings.date_changes)
        has_sources = settings.source_dir is not None or run.source_map is not None
        self._stamps = BuildStamps(now)
        self._gaps = DateGaps(settings.evidence, now, has_sources=has_sources)
        self._form = FileForm.TEXT if settings.text else FileForm.XML
        self.alternates = Alternates(temporary / "translations")
        self._waiting = Spool(temporary / "waiting", Candidate)
        self._links = array("q")
        """of each that waits: the number of what it says of other versions, see `Alternates.lines`"""
        self._rings = CanonicalRings(temporary / "rings")
        self._decisions = Spool(temporary / "decisions", Decision)
        self.lock = BuildLock(settings, now) if settings.lock is not None else None
        self.llms: LlmsMap | None = None
        self._batches: Batches | None = None
        if settings.llms:
            from urlset.building.extras import LlmsMap  # with the other extras, which most builds do not write

            self.llms = LlmsMap(settings.base_url or "")
        elif self._form is FileForm.XML and pages.compiled_pages() is not None:
            # compiled code writes XML and does not read titles
            from urlset.workflows.build.batches import batches_for  # imports the compiled module

            self._batches = batches_for(self)
        policy.share_seen(self.known)

    def take(self, blocks: Iterable[Block], git: FolderHistory | None = None) -> None:
        """Everything a source offers; `git` dates the files of a folder."""
        if git is not None:
            self._gaps.add_sources(git.sources)
        for block in blocks:
            checkpoint()
            if git is not None or self._batches is None or not self._batches.take(block):
                items = [item for row in range(len(block)) for item in block.items(row)]
                self.known.fetch(item.loc for item in items if isinstance(item, Candidate))
                for item in items:
                    self.take_item(item, git)
            del block  # and the file that it is of, before the next is read

    def take_item(self, item: Item, git: FolderHistory | None = None) -> None:
        """One page, or what is wrong with a row."""
        if isinstance(item, RowTrouble):
            self.trouble(item)
            return
        self.depends_on_time = self.depends_on_time or bool(item.directives or item.lifetime)
        decision = self.policy.decide(item)
        if decision.verdict is not PolicyReason.LISTED and decision.verdict is not PolicyReason.NOT_CANONICAL:
            if decision.verdict is PolicyReason.REDIRECT and item.redirects_to:
                self._rings.redirects(item.loc, item.redirects_to)
            self.leave(decision)
            return
        if git is not None:
            item = self._git.offer(git, item)
        if decision.verdict is PolicyReason.LISTED:
            self._list(item, self.policy.section_of(item))
        else:
            self._rings.hold(item)

    def _list(self, item: Candidate, section: str) -> None:
        if item.blocks is not None or item.entry.media.alternates:
            self._wait(item, section)
        else:
            self._date(item, section, frozenset())

    def finish(self, remembered: frozenset[int]) -> None:
        """Date what waited; `remembered` is the boilerplate of earlier builds."""
        for decision, candidate in self._rings.settle(self.policy):
            if decision.verdict is PolicyReason.LISTED:
                self._list(candidate, self.policy.section_of(candidate))
            else:
                self.leave(decision)
        self.notes.extend(self._rings.notes())
        self.notes.extend(self._same.notes())
        if self._batches is not None:
            self._batches.take_back(self._linked())
        for trouble in self.alternates.troubles():
            self.trouble(trouble)
        if self._batches is not None:
            self._batches.finish()
        boilerplate = remembered | boilerplate_of(self.blocks)
        known = self._recording.known if self.lock is None else lambda _urls: {}
        if self.lock is not None:
            self.lock.compare(self._waiting, self.blocks)
        self._git.settle(self._waiting, known, self.blocks.pages, boilerplate)
        self.notes.extend(self._git.notes)
        waiting = zip(self._waiting, self._links, strict=True)
        while some := list(islice(waiting, _BATCH)):
            self.known.fetch(candidate.loc for candidate, _ in some)
            for candidate, links in some:
                self._date(self._git.corrected(candidate), candidate.section or "", boilerplate, links)
        self.notes.extend(self._gaps.notes())
        self.alternates.close()
        self.alternates = Alternates(self.temporary / "translations")  # room for the files
        self._recording.decide(self._decisions)
        self._count_taken()

    def _linked(self) -> Iterator[Other]:
        """What pages that wait say of other versions."""
        for candidate, links in zip(self._waiting, self._links, strict=True):
            named = tuple(link.href for link in candidate.entry.alternates if link.href)
            if named or links != _NO_LINKS:
                yield candidate.loc.encode(), links, named

    def _count_taken(self) -> None:
        """Add the rows that compiled code took."""
        if self._batches is not None:
            index = self._batches.index
            self.added += index.added
            self.redated += index.redated
            for kind, number in ((EvidenceKind.GIVEN.value, index.dated), ("none", index.rows - index.dated)):
                if number:
                    self.dated[kind] += number

    def close(self) -> None:
        self.known.close()
        self.alternates.close()

    def trouble(self, trouble: RowTrouble, rows: int = 1) -> None:
        """What could not be used of a row; `rows` counts others of which nothing more is said."""
        if self.settings.strict and not trouble.is_note:
            raise BuildError(f"{trouble.origin}: {trouble.reason} (--strict stops at the first such row)")
        self.trouble_count += rows
        if len(self.troubles) < _SHOWN_TROUBLES:
            self.troubles.append(trouble)

    def entry_fault(self, loc: str, reason: str, rows: int) -> None:
        """An entry that was written without something; `rows` counts others of which nothing more is said."""
        self.trouble(RowTrouble(loc, reason), rows)
        self._recording.decide([Decision(loc, PolicyReason.LISTED, reason)])
        if self.rows is not None:
            self.rows.is_exact = False

    def leave(self, decision: Decision) -> None:
        """A page that is not listed."""
        self.left_out[decision.verdict.value] += 1
        self.examples.setdefault(
            decision.verdict.value, f"{decision.loc} ({decision.detail})" if decision.detail else decision.loc
        )
        self._decisions.append(decision)
        if self._on_left_out is not None:
            self._on_left_out(decision)

    def _wait(self, candidate: Candidate, section: str) -> None:
        links: int | None = None
        if candidate.blocks is not None:
            self.blocks.add(candidate.blocks)
            self._same.add(candidate)
            self._stamps.add(candidate)
        if candidate.entry.alternates:
            if FORBIDDEN.search("".join([f"{link.hreflang}{link.href}" for link in candidate.entry.alternates])):
                # before other pages are given these links
                entry = self._legal(candidate, candidate.entry)
                candidate = msgspec.structs.replace(candidate, entry=entry)
            links = self.alternates.add(candidate.entry, candidate.language)
        if links is not None:  # they come back as lines
            candidate = msgspec.structs.replace(candidate, entry=_without_alternates(candidate.entry))
        self._links.append(_NO_LINKS if links is None else links)
        self._waiting.append(msgspec.structs.replace(candidate, section=section))

    # dating

    def _date(self, candidate: Candidate, section: str, boilerplate: frozenset[int], links: int = _NO_LINKS) -> None:
        known = self.known.row(candidate.loc)
        blocks = candidate.blocks
        changed = None
        if blocks is not None and known is not None and known.blocks is not None:
            same = known.blocks == pack(blocks)
            changed = (
                () if same else changed_facets(unpack(known.blocks), blocks, boilerplate, self.settings.date_changes)
            )
        for reason in doubts(candidate, self.now, self.settings.evidence):
            self._used_in_part(candidate, f"lastmod: {reason}; omitted")
        if self.lock is not None and blocks is not None:
            evidence = self.lock.dates.decide(candidate)
        else:
            believed = self._stamps.without(candidate)
            evidence = decide(believed, known, changed, now=self.now, order=self.settings.evidence)
        if evidence is None:
            self._gaps.add(candidate)
        entry = self._within_limits(candidate, self._dated_entry(candidate, evidence))
        lines = self._lines(entry, links, seen=blocks is not None)
        try:
            piece = written(entry, self._form, lines)
        except Unwritable:
            entry = self._legal(candidate, entry)
            piece = written(entry, self._form, lines)
        if FRAME_BYTES + len(piece) > shards.LIMITS.most_bytes:
            self.trouble(RowTrouble(candidate.origin, TOO_LARGE))
            return
        row = LedgerRow(
            entry.loc or "",
            section,
            known.shard if known is not None and known.gone is None else None,
            candidate.origin,
            entry.lastmod,
            evidence.kind.value if evidence else None,
            evidence.detail if evidence else None,
            *_remembered(blocks, known, boilerplate, piece),
        )
        mask = mask_of(extensions_of(entry.media)) | (mask_of(("xhtml",)) if lines else 0)
        self.known.put(row, known, piece, mask, is_backed=self._form is FileForm.XML and _is_backed(row, entry))
        if self.llms is not None:
            self.llms.add(entry.loc or "", candidate.title, section)
        self.dated[evidence.kind.value if evidence else "none"] += 1
        if known is None or known.gone is not None:
            self.added += 1
        elif known.lastmod != entry.lastmod:
            self.redated += 1

    def _legal(self, candidate: Candidate, entry: Entry) -> Entry:
        entry, notes = legal(entry)
        for note in notes:
            self._used_in_part(candidate, note)
        return entry

    def _within_limits(self, candidate: Candidate, entry: Entry) -> Entry:
        images = entry.media.images
        if len(images) <= MAX_IMAGES_PER_URL:
            return entry
        self._used_in_part(candidate, f"{len(images):,} images; the first {MAX_IMAGES_PER_URL:,} are listed")
        media = msgspec.structs.replace(entry.media, images=images[:MAX_IMAGES_PER_URL])
        return msgspec.structs.replace(entry, media=media)

    def _used_in_part(self, candidate: Candidate, reason: str) -> None:
        """A page that is listed without something its source says; `explain` says so too."""
        self.trouble(RowTrouble(candidate.origin, reason))
        self._decisions.append(Decision(candidate.loc, PolicyReason.LISTED, reason, candidate.origin))

    def _lines(self, entry: Entry, links: int, *, seen: bool) -> bytes:
        """The alternates that the entry does not have itself; a page that names none may be named by another."""
        if links != _NO_LINKS:
            return self.alternates.lines(links)
        return self.alternates.lines_at(entry.loc or "") if seen and not entry.alternates else b""

    def _dated_entry(self, candidate: Candidate, evidence: Evidence | None) -> Entry:
        lastmod = evidence.lastmod if evidence else None
        entry = candidate.entry
        if entry.media is not NOTHING and entry.media.alternates:
            entry = self.alternates.complete(entry)
        return entry if entry.lastmod == lastmod else msgspec.structs.replace(entry, lastmod=lastmod)


class BuildLock:
    """The lock that dates the pages of a build, instead of the ledger: pages whose content was seen."""

    def __init__(self, settings: BuildSettings, now: datetime) -> None:
        self._path, self._counted = Path(settings.lock or ""), settings.date_changes
        self._lock = read_lock(self._path)
        paths = LockPaths([settings.base_url or ""])
        self.dates = LockedDates(self._lock, paths, now=now, counted=settings.date_changes, order=settings.evidence)

    def compare(self, pages: Iterable[Candidate], counter: BlockCounter) -> None:
        self.dates.compare((page for page in pages if page.blocks is not None), RepeatedBlocks.of(counter))

    @property
    def notes(self) -> list[str]:
        return [*self._lock.notes, *self.dates.notes]

    def save(self) -> None:
        """Raises OSError."""
        before = self._lock.files
        write_lock(self._path, lock_files(self._path, self.dates.lines, self._counted, apart=len(before) > 1), before)


def _without_alternates(entry: Entry) -> Entry:
    media = msgspec.structs.replace(entry.media, alternates=())
    return msgspec.structs.replace(entry, media=NOTHING if media == NOTHING else media)


def _is_backed(row: LedgerRow, entry: Entry) -> bool:
    """Whether the file it is listed in says all there is to remember of a page."""
    given = row.evidence_kind is None or (row.evidence_kind == EvidenceKind.GIVEN.value and not row.evidence_detail)
    return given and row.blocks is None and not entry.media.unknown


def _remembered(
    blocks: tuple[int, ...] | None, known: LedgerRow | None, boilerplate: frozenset[int], piece: bytes
) -> tuple[int | None, int, bytes | None]:
    """Fingerprint, digest and blocks; content that was not seen this time keeps its last values."""
    if blocks is not None:
        return main_fingerprint(text_of(blocks), boilerplate), hash_of(piece), pack(blocks)
    if known is not None and known.blocks is not None:
        return known.fingerprint, hash_of(piece), known.blocks
    return None, hash_of(piece), None


# Listed pages → groups of those with the same content, which search engines index under one URL only.

_GROUPS_SHOWN, _PAGES_SHOWN = 5, 3
_MOST_CONTENTS = 500_000
_FEWEST_BLOCKS = 2
"""texts of a page that is compared: a heading alone may be that of many galleries"""


class IdenticalPages:
    """Compares main text, images and stated facts; pages with language versions may be alike on purpose."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}
        self._others: dict[int, list[str]] = {}

    def add(self, candidate: Candidate) -> None:
        blocks = candidate.blocks
        if blocks is None or candidate.entry.alternates or len(text_of(blocks)) <= _FEWEST_BLOCKS:
            return  # the first block says which part of the page was read
        content = hash_of(pack(blocks))
        if content in self._first:
            self._others.setdefault(content, [self._first[content]]).append(candidate.loc)
        elif len(self._first) < _MOST_CONTENTS:
            self._first[content] = candidate.loc

    def notes(self) -> Iterator[str]:
        groups = sorted(self._others.values(), key=len, reverse=True)
        for urls in groups[:_GROUPS_SHOWN]:
            keep = min(urls, key=lambda url: ("?" in url, len(url), url))
            others = few([url for url in urls if url != keep], _PAGES_SHOWN)
            said = f"{len(urls):,} listed pages have the same content"
            yield f"{said}: keep {keep}, and set it as the canonical of {others}"
        if len(groups) > _GROUPS_SHOWN:
            yield f"and {len(groups) - _GROUPS_SHOWN:,} more groups of pages with the same content"
