"""A built site → honest dates in its existing sitemaps, and `sitemap.lock`, which remembers them between builds.

    sitemaps → URLs → files → pages (text, dates, git) → compared with the lock → dates → lock, then sitemaps

The lock is written first and the sitemaps are made from it, so a run that is killed between the two leaves a lock that
the next run finds newer than the sitemaps, and brings these up to date.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.building.candidate import Candidate
from urlset.building.evidence import DEFAULT_ORDER
from urlset.building.git_evidence import GitFailedError, open_git
from urlset.building.git_pages import FolderHistory, GitPages, folder_history
from urlset.building.lock import Lock, LockedPage, LockPaths, lock_files, read_lock, write_lock
from urlset.building.lock_dates import LockedDates, PageChange
from urlset.building.sources.page_memory import PAGE_MEMORY, PageMemory
from urlset.building.sources.page_sources import PageSources, source_folders
from urlset.building.spool import Spool
from urlset.building.state_home import state_for
from urlset.checking import clock
from urlset.model.entry import Entry
from urlset.model.errors import UrlsetError
from urlset.model.shown import amount, few
from urlset.reading.fingerprint import BlockCounter, RepeatedBlocks
from urlset.settings.dates import DatesSettings
from urlset.storage.paths import is_address
from urlset.workflows.dates.pages import PageReader, SiteFile, SiteFiles
from urlset.workflows.dates.sitemaps import DatedSitemaps, write_sitemap
from urlset.writing.files import locked_folder, make_state_folder, private_file, sweep_once, work_folder

if TYPE_CHECKING:
    from urlset.workflows.dates.live import LiveSite

SHRINK = 0.2
"""of the pages of a lock; losing more needs consent"""
USUAL_FOLDERS = ("public", "dist", "out", "_site", "site", "build", "docs/_build/html", "build/html", ".output/public")
_PENDING = "dates-pending"
_NAMED = 3


class DatesError(UrlsetError):
    """Nothing was written; the message says what to do."""


class NothingToDateError(DatesError):
    """No sitemap was found."""


class DatesSummary(msgspec.Struct, frozen=True):
    pages: int
    changed: int
    """of which the content is another than the lock says"""
    added: int
    """that the lock does not have"""
    removed: int
    """of the lock, that no sitemap lists"""
    unknown: int
    """without a date"""


class DatedPage(msgspec.Struct, frozen=True, gc=False):
    url: str
    lastmod: str | None
    evidence: str | None
    changed: bool
    reason: str | None = None
    """why the lock or the sitemap is stale, for --check"""


class StaleRow(msgspec.Struct, frozen=True, gc=False):
    """A line of the lock or a row of a sitemap that belongs to no listed page."""

    name: str
    reason: str


class DatesReport(msgspec.Struct, frozen=True):
    summary: DatesSummary
    pages: list[DatedPage]
    stale: int
    """pages of which the lock or a sitemap has to be corrected"""
    lock: str
    written: tuple[str, ...] = ()
    """files"""
    notes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    refused: str | None = None
    check: bool = False
    dry_run: bool = False
    also_stale: tuple[StaleRow, ...] = ()
    """removed pages, and rows of indexes; `stale` counts them too"""
    shrinks: bool = False
    """the lock loses so many pages that writing it needs --allow-shrink"""


class ListedLoc(msgspec.Struct, frozen=True, gc=False):
    """A page of the sitemaps, once."""

    loc: str
    path: str
    file: SiteFile | None


class _Compared(NamedTuple):
    """The lock and the sitemaps as they are, and the dates that they should have."""

    lock: Lock
    listed: list[ListedLoc]
    dates: LockedDates | None
    """None where nothing changed since the last run"""
    lines: dict[str, LockedPage]
    sitemaps: DatedSitemaps
    differing: dict[Path, dict[int, str | None]]
    """rows of each sitemap whose date is wrong, with the right one"""


def date_pages(settings: DatesSettings) -> DatesReport:
    """Raises DatesError, LockError, LockBusy, or OSError for what cannot be read or written."""
    run = _DatesRun(settings)
    with ExitStack() as stack:
        if not (settings.check or settings.dry_run):
            # one folder may hold both
            folders = {os.path.realpath(each): each for each in (run.root, settings.lock_path.absolute().parent)}
            for _, folder in sorted(folders.items()):
                stack.enter_context(locked_folder(folder))
        return run.run(Path(stack.enter_context(work_folder())))


def usual_target() -> str:
    """The folder that the generator of the working folder has built. Raises DatesError."""
    found = [name for name in USUAL_FOLDERS if any(Path(name).glob("sitemap*.xml"))]
    if len(found) == 1:
        return found[0]
    said = f"several folders have sitemaps ({', '.join(found)})" if found else "no usual output folder has a sitemap"
    raise DatesError(f"missing target: {said}; name the folder of the built site")


class _DatesRun:
    def __init__(self, settings: DatesSettings) -> None:
        self._settings = settings
        self._now = settings.now or clock.now()
        self._target = settings.target or (None if settings.start is not None else usual_target())
        if self._target is not None and is_address(self._target):
            raise DatesError(
                f"{self._target} is a URL, but dates are written to files: "
                "name the folder of the built site or a sitemap file, or use --from URL"
            )
        place = Path(self._target or ".")
        self.root = Path(settings.root) if settings.root else place if place.is_dir() else place.parent
        self._notes: list[str] = []
        self._is_dry = settings.check or settings.dry_run
        self._state = state_for(self.root, Path(settings.state)).state
        self._memory = PageMemory(self._state / PAGE_MEMORY, images=False, videos=False, dry_run=self._is_dry)
        self._live: LiveSite | None = None
        self._started: frozenset[str] = frozenset()
        """paths that the lock got from the live site"""

    def run(self, temporary: Path) -> DatesReport:
        settings = self._settings
        if not self.root.is_dir():
            raise DatesError(f"{self._target}: no such file or folder")
        interrupted = (self._state / _PENDING).exists()
        lock = read_lock(settings.lock_path)
        sitemaps = DatedSitemaps(self._target, self.root, settings.base_url)
        self._read_live(temporary)
        if self._target is not None and not sitemaps.files:
            if sitemaps.troubles:
                raise DatesError("; ".join(sitemaps.troubles))
            raise NothingToDateError("; ".join(sitemaps.notes) or f"{self._target}: no sitemap")
        locs = list(dict.fromkeys(sitemaps.locs() if self._live is None or self._target else self._live.lastmods))
        paths = LockPaths(locs)
        listed = self._listed(locs, paths)
        dates, lines = self._dated(lock, paths, listed, temporary)
        self._notes = [*lock.notes, *self._notes, *sitemaps.notes]
        if _shrinks(lock, lines) and not settings.allow_shrink and not settings.check:
            before = len(lock.pages)
            refused = f"{before - len(lines):,} of {before:,} pages of the lock are not listed any more"
            return self._report(_Compared(lock, listed, dates, lines, sitemaps, {}), refused=refused)
        files = lock_files(settings.lock_path, lines, settings.date_changes, apart=len(lock.files) > 1)
        differing = sitemaps.differing(
            lambda loc: line.lastmod if (line := lines.get(paths.of(loc) or "")) is not None else None
        )
        dropped = sum(date is None for rows in differing.values() for date in rows.values())
        if lock.is_new and dropped and not settings.check:
            self._notes.append(
                f"{amount(dropped, 'date')} of the sitemaps removed: no evidence (--from URL starts with live dates)"
            )
        if interrupted and differing:
            older = few([path.name for path in differing], _NAMED)
            self._notes.append(
                f"the last run was interrupted: {older} was older than the lock and is brought up to date"
            )
        written = [] if self._is_dry else self._write(sitemaps, files, lock, differing)
        return self._report(_Compared(lock, listed, dates, lines, sitemaps, differing), written=written)

    def _read_live(self, temporary: Path) -> None:
        if self._settings.start is None:
            return
        from urlset.workflows.dates.live import LiveSite  # files need nothing of the web

        self._live = LiveSite(self._settings.start, self._settings, temporary, self._memory)
        self._live.read_sitemaps()
        if self._target is None and not self._live.lastmods:
            raise NothingToDateError("; ".join(self._live.notes) or f"{self._settings.start}: no sitemap found")

    def _listed(self, locs: list[str], paths: LockPaths) -> list[ListedLoc]:
        files = None if self._target is None else SiteFiles(self.root, locs, self._settings.base_url)
        found: dict[str, ListedLoc] = {}
        odd = 0
        for loc in locs:
            path = paths.of(loc)
            if path is None:
                odd += 1
            elif path not in found:
                found[path] = ListedLoc(loc, path, files.find(loc) if files is not None else None)
        if odd:
            self._notes.append(f"no date for {amount(odd, 'entry', 'entries')} without an http or https URL")
        absent = [each.loc for each in found.values() if each.file is None]
        if absent and self._live is None:
            self._notes.append(
                f"no file in {self.root} for {amount(len(absent), 'page')}: {few(absent, _NAMED)}; "
                "their dates stay as in the lock (--from URL fetches them)"
            )
        return list(found.values())

    # what the pages say

    def _dated(
        self, lock: Lock, paths: LockPaths, listed: list[ListedLoc], temporary: Path
    ) -> tuple[LockedDates | None, dict[str, LockedPage]]:
        """The lines of the new lock; without comparing where nothing changed since the last run."""
        settings = self._settings
        given = Path(settings.source_dir) if settings.source_dir else None
        sources = source_folders(given, self.root) if self._target is not None else ()
        reader = PageReader(self.root, self._state, self._memory, time.time_ns())
        inputs = self._inputs(lock, sources)
        if self._live is None and not lock.conflicts and reader.is_as_left((each.file for each in listed), inputs):
            known = lock.pages
            if len(known) == len(listed) and all(each.path in known for each in listed):
                return None, known
        spool = Spool(temporary / "pages", Candidate)
        counter = BlockCounter()
        with closing(self._memory):
            # pages that the lock does not have begin with what the live site says about them
            if self._live is not None:
                new = [
                    each.loc for each in listed if each.path not in lock.pages and (each.file or self._target is None)
                ]
                found = self._live.lines(new, paths, self._now)
                self._started = frozenset(found)
                lock.pages |= found
            for page in self._pages(listed, reader, PageSources(sources)):
                if page.blocks is not None:
                    counter.add(page.blocks)
                spool.append(page)
        repeated = RepeatedBlocks.of(counter)
        del counter  # a fifth of all memory
        reader.forget()
        dates = self._decide(lock, paths, spool, repeated, sources, temporary)
        self._notes += [f"cannot read {each}" for each in reader.unreadable[:_NAMED]]
        if not self._is_dry:
            after = lock_files(settings.lock_path, dates.lines, settings.date_changes, apart=len(lock.files) > 1)
            reader.save(self._inputs(lock, sources, after))
        return dates, dates.lines

    def _pages(self, listed: list[ListedLoc], reader: PageReader, sources: PageSources) -> Iterator[Candidate]:
        """Read from their files; those without one come from the live site, if there is one."""
        for each in listed:
            if each.file is not None:
                yield reader.read(each.loc, each.file, sources.of(each.file.relative), self._settings.timezone)
            elif self._live is None:
                yield Candidate(Entry(each.loc), "")
        if self._live is not None:
            yield from self._live.pages([each.loc for each in listed if each.file is None])
            self._notes += self._live.notes

    def _decide(
        self,
        lock: Lock,
        paths: LockPaths,
        pages: Spool[Candidate],
        repeated: RepeatedBlocks,
        sources: tuple[Path, ...],
        temporary: Path,
    ) -> LockedDates:
        settings = self._settings
        dates = LockedDates(lock, paths, now=self._now, counted=settings.date_changes, first_seen=settings.first_seen)
        dates.compare(pages, repeated)
        git = GitPages(DEFAULT_ORDER, self._now, settings.date_changes)
        history = self._history(sources)
        offered = pages
        if history is not None:
            offered = Spool(temporary / "offered", Candidate)
            for page in pages:
                offered.append(git.offer(history, page) if page.origin else page)
            git.settle(offered, lambda _urls: {}, repeated.pages, repeated.boilerplate)
        for page in offered:
            dates.decide(git.corrected(page))
        self._notes += [*dates.notes, *git.notes]
        moved = [f"{old} to {new}" for new, old in dates.renamed.items()]
        if moved:
            self._notes.append(f"{amount(len(moved), 'page')} moved without a change: {few(moved, _NAMED)}")
        return dates

    def _history(self, sources: tuple[Path, ...]) -> FolderHistory | None:
        if self._target is None:
            return None
        notes: list[str] = []
        found = folder_history(self.root, sources, notes.append)
        # outside of a repository there is nothing to repair
        self._notes += [each for each in notes if "not in a git repository" not in each]
        return found

    def _inputs(self, lock: Lock, sources: tuple[Path, ...], after: dict[Path, bytes] | None = None) -> str:
        """One hash of the lock, the settings, the sources and the commits that dates rest on; empty if not certain."""
        found = hashlib.blake2b(repr(self._settings.values(DatesSettings) | {"now": None, "check": None}).encode())
        for path, data in sorted((lock.files if after is None else after).items()):
            found.update(repr((str(path), hashlib.blake2b(data).digest())).encode())
        for folder in sources:
            for home, folders, names in os.walk(folder):
                folders.sort()
                found.update(repr([(home, name, _time_of(home, name)) for name in sorted(names)]).encode())
        for folder in (self.root, *sources):
            git = open_git(folder)
            try:
                if git is not None and git.line("rev-parse", "--is-shallow-repository") != "true":
                    found.update(git.line("rev-parse", "HEAD").encode())
                    if git.line("status", "--porcelain", "--untracked-files=no", "--", "."):
                        return ""
            except GitFailedError:
                continue
        return found.hexdigest()

    # what is written

    def _write(
        self,
        sitemaps: DatedSitemaps,
        files: dict[Path, bytes],
        lock: Lock,
        differing: dict[Path, dict[int, str | None]],
    ) -> list[Path]:
        for folder in {*(file.path.parent for file in sitemaps.files), *(path.parent for path in files)}:
            if folder.is_dir():
                sweep_once(folder)  # what a killed run left
        if not differing and files == lock.files:
            (self._state / _PENDING).unlink(missing_ok=True)
            return []
        make_state_folder(self._state)
        private_file(self._state / _PENDING)
        written = write_lock(self._settings.lock_path, files, lock.files)
        for file, chunks in sitemaps.rendered(differing):
            written += write_sitemap(file, chunks)
        (self._state / _PENDING).unlink(missing_ok=True)
        return written

    def _report(self, compared: _Compared, *, written: Iterable[Path] = (), refused: str | None = None) -> DatesReport:
        lock, listed, dates, lines, sitemaps, _ = compared
        reasons = dict(self._reasons(compared)) if self._is_dry else {}
        changes = {each.path: PageChange.SAME if dates is None else dates.change_of(each.loc) for each in listed}
        pages = [
            DatedPage(
                each.loc,
                line.lastmod,
                line.token if line.lastmod else None,
                changes[each.path] is PageChange.MOVED,
                reasons.pop(each.path, None),
            )
            for each in listed
            if (line := lines.get(each.path)) is not None
        ]
        gone = [StaleRow(path, "no longer listed") for path in dates.removed()] if dates is not None else []
        also_stale = (*gone, *(StaleRow(name, reason) for name, reason in reasons.items()))
        summary = DatesSummary(
            pages=len(pages),
            changed=sum(each.changed for each in pages),
            added=sum(change is PageChange.NEW or path in self._started for path, change in changes.items()),
            removed=len(gone),
            unknown=sum(each.lastmod is None for each in pages),
        )
        return DatesReport(
            summary,
            pages,
            stale=sum(each.reason is not None for each in pages) + len(also_stale),
            lock=str(self._settings.lock_path),
            written=tuple(map(str, written)),
            notes=tuple(self._notes),
            troubles=tuple(sitemaps.troubles),
            refused=refused,
            check=self._settings.check,
            dry_run=self._settings.dry_run,
            also_stale=also_stale,
            shrinks=_shrinks(lock, lines),
        )

    def _reasons(self, compared: _Compared) -> Iterator[tuple[str, str]]:
        """Why each page is stale: in the lock, else in a sitemap."""
        lock, listed, dates, lines, sitemaps, differing = compared
        paths = LockPaths(sitemaps.locs())
        for file in sitemaps.files:
            for row, date in differing.get(file.path, {}).items():
                said = (file.lastmods[row] or "").strip() or "no date"
                name = file.locs[row] if file.kind.lists_sitemaps else paths.of(file.locs[row])
                yield name or file.locs[row], f"{file.path.name} says {said}, the lock {date or 'has none'}"
        if dates is None:
            return
        for each in listed:
            change, line, now = dates.change_of(each.loc), lock.pages.get(each.path), lines[each.path]
            if change is PageChange.NEW or each.path in self._started:
                yield each.path, "not in the lock"
            elif each.path in dates.renamed:
                yield each.path, f"moved from {dates.renamed[each.path]}"
            elif change is PageChange.MOVED:
                yield (
                    each.path,
                    f"changed since {line.lastmod if line is not None and line.lastmod else 'the lock was written'}",
                )
            elif each.path in lock.conflicts:
                yield each.path, "the lock has several lines for it"
            elif line is not None and line.lastmod != now.lastmod:
                yield (
                    each.path,
                    f"the lock says {line.lastmod or 'no date'}, the evidence ({now.token}) {now.lastmod or 'none'}",
                )


def _shrinks(lock: Lock, lines: dict[str, LockedPage]) -> bool:
    return len(lock.pages) - len(lines) > SHRINK * len(lock.pages)


def _time_of(home: str, name: str) -> tuple[int, int]:
    try:
        found = os.stat(os.path.join(home, name))  # noqa: PTH116, PTH118 - a site has many
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
