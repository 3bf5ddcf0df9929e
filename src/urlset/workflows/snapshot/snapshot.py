"""A target → a snapshot of its sitemaps in the state folder; older ones are pruned."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from pathlib import Path

import msgspec

from urlset.checking import clock
from urlset.execution.workers import Where, Workers
from urlset.model.document import Document
from urlset.model.frames import NotInstalledError
from urlset.model.moment import Moment
from urlset.model.shown import Shown
from urlset.reports.uri import is_address
from urlset.snapshots.block import EntryBlock, block_of
from urlset.snapshots.expressions import DEFAULT_RETENTION, Retention
from urlset.snapshots.parquet import require
from urlset.snapshots.series import FileInfo, NothingListed, SnapshotError, SnapshotInfo, first_of, series_of
from urlset.snapshots.unfinished import Unfinished, count_pages
from urlset.version import __version__
from urlset.web.options import WebOptions
from urlset.workflows.live.setup import Live
from urlset.workflows.ls import Batch, ListFilter, Notice
from urlset.workflows.snapshot.page_facts import AuditFacts
from urlset.workflows.spread_pages import map_pages
from urlset.writing.files import work_folder

STATE = ".urlset"
_LIKELY = 64


class SnapshotOptions(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    state: Path = Path(STATE)
    keep: Retention = Retention.parse(DEFAULT_RETENTION)
    fresh: bool = False
    """start over instead of resuming a snapshot that was interrupted"""
    root: str | None = None
    live: Live | None = None
    workers: Workers = Workers(Where.LOCAL)
    """where files are read"""
    now: datetime = msgspec.field(default_factory=clock.now)
    watch: Callable[[int, int], None] = lambda _files, _urls: None
    """told how many sitemaps and URLs were read"""


class SnapshotReport(Shown, msgspec.Struct, frozen=True):
    path: Path
    info: SnapshotInfo
    bytes: int
    pruned: tuple[Path, ...] = ()
    resumed: bool = False
    notes: tuple[str, ...] = ()


def snapshot(options: SnapshotOptions) -> SnapshotReport:
    """Raises SnapshotError."""
    try:
        require("urlset snapshot")
    except NotInstalledError as error:
        raise SnapshotError(str(error)) from error
    series = series_of(options.state, options.target)
    web = options.live.web if options.live is not None else WebOptions()
    with series.locked(), AuditFacts(options.state, options.target, web) as facts:
        unfinished = Unfinished(series.folder, options.target, options.now, fresh=options.fresh)
        missing, notes = _read(options, unfinished, facts)
        written = list(unfinished.files())
        files = tuple(info for info, _ in written)
        entries = sum(each.entries for each in files)
        if not files:
            unfinished.discard()
            if missing:
                raise SnapshotError(first_of(missing))
            raise NothingListed(first_of(notes) if notes else f"{options.target}: no URL is listed")
        path, taken = series.free_path(unfinished.started)
        with work_folder() as folder:
            counted = count_pages([part for _, part in written], entries, folder)
        info = SnapshotInfo(
            target=options.target,
            taken=taken.isoformat(),
            entries=entries,
            urls=counted.urls,
            files=files,
            missing=tuple(missing),
            states=counted.states,
            findings=counted.findings,
            causes=facts.causes(),
            audited=facts.audited,
            inspected=counted.inspected,
            indexed=counted.indexed,
            version=__version__,
        )
        unfinished.finish(path, info)
        pruned = series.prune(options.keep)
    notes += [facts.note] if facts.note else []
    return SnapshotReport(path, info, path.stat().st_size, tuple(pruned), unfinished.resumed, tuple(notes))


def _read(options: SnapshotOptions, unfinished: Unfinished, facts: AuditFacts) -> tuple[list[str], list[str]]:
    """Every sitemap becomes a part; gives what could not be read, and notes."""
    missing: list[str] = []
    notes: list[str] = []
    live = options.live
    if is_address(options.target):
        live = live or Live()
        kept = live.web.keeping(options.state)
        live = msgspec.structs.replace(live, web=kept, skip=unfinished.has, resumed=unfinished.resumed)
    count = urls = 0
    here = facts.has_any or is_address(options.target)  # what an audit knows is read from its database, here
    workers = Workers(Where.LOCAL) if here else options.workers
    work = partial(_kept, unfinished, facts if here else None)
    for item in map_pages([options.target], work, ListFilter(), workers, options.root, live):
        if isinstance(item, Notice):
            (missing if item.grave else notes).append(f"{item.source}: {item.text}")
            continue
        count += 1
        urls += item
        options.watch(count, urls)
    return missing, notes


def _kept(unfinished: Unfinished, facts: AuditFacts | None, batch: Batch) -> int:
    """The number of pages of one sitemap, which is a part now; runs in a worker where nothing is known of them."""
    document = batch.document
    block = block_of(document, batch.rows)
    if not unfinished.has(block.file):
        known = None if facts is None else facts.of(block)
        unfinished.add(block, _file_info(document, block), known)
    return len(block.locs)


def _file_info(document: Document, block: EntryBlock) -> FileInfo:
    dates = [text for text in block.fields.get("lastmod", ()) if text]
    return FileInfo(
        block.file,
        len(block.locs),
        document.envelope.size,
        hashlib.sha256(document.data).hexdigest(),
        len(dates),
        _newest(set(dates)),
    )


def _newest(dates: set[str]) -> str | None:
    """Alphabetical order is nearly chronological, so only the last ones need to be parsed."""
    likely = nlargest(_LIKELY, dates)
    found = [interval[0] for text in likely if (interval := Moment.parse(text).interval()) is not None]
    return max(found).astimezone(UTC).isoformat() if found else None
