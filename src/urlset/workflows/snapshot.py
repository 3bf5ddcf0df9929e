"""A target → a snapshot of its sitemaps in the state folder; older ones are pruned."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from pathlib import Path
from typing import Any

import msgspec

from urlset.auditing.causes import Causes
from urlset.auditing.date_log import DateLog
from urlset.auditing.indexable import indexable_by
from urlset.auditing.store import AuditedUrl, AuditStore, What
from urlset.auditing.symptoms import BLOCKED, symptom_of
from urlset.checking import clock
from urlset.execution.workers import Where, Workers
from urlset.model.address import key_of
from urlset.model.document import Document
from urlset.model.frames import NotInstalledError
from urlset.model.moment import Moment
from urlset.model.shown import Shown
from urlset.model.visit import Visit, first_canonical
from urlset.reading.fingerprint import hash_of
from urlset.reading.host_robots import HostRobots, origin_of
from urlset.settings.history import SnapshotSettings
from urlset.snapshots.expressions import Retention
from urlset.snapshots.parquet import FACET_HASHES, FACTS, EntryBlock, block_of, require
from urlset.snapshots.series import (
    FileInfo,
    NothingListed,
    SnapshotCause,
    SnapshotError,
    SnapshotInfo,
    Unfinished,
    count_pages,
    first_of,
    series_of,
)
from urlset.spec.engines import Engine
from urlset.storage.paths import is_address
from urlset.submitting.store import FILE_NAME, EngineStore
from urlset.version import __version__
from urlset.web.options import WebOptions
from urlset.workflows.audit.rows import PageVerdict
from urlset.workflows.audit.sources import audit_database
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.ls import NO_DOCUMENTS, Batch, ListFilter, Notice
from urlset.workflows.spread_pages import map_pages
from urlset.writing.files import work_folder
from urlset.writing.sqlite_store import StateError

_LIKELY = 64


class SnapshotReport(Shown, msgspec.Struct, frozen=True):
    """A snapshot that was taken, and the older ones that were removed."""

    path: Path
    info: SnapshotInfo
    bytes: int
    pruned: tuple[Path, ...] = ()
    resumed: bool = False
    notes: tuple[str, ...] = ()


def snapshot(
    settings: SnapshotSettings,
    *,
    now: datetime | None = None,
    workers: Workers | None = None,
    notify: Callable[[str], None] = lambda _line: None,
    progress: Callable[[int, int], None] = lambda _files, _urls: None,
    documents: Mapping[str, Document] = NO_DOCUMENTS,
) -> SnapshotReport:
    """`progress`: the number of sitemaps and URLs read; `documents`: targets in memory. Raises SnapshotError."""
    assert settings.target is not None  # required
    target, state = settings.target, Path(settings.state)
    web, start = settings.fetching, documents.get(target, target)
    if is_address(target):
        web = web.keeping(state)
    try:
        require("urlset snapshot")
    except NotInstalledError as error:
        raise SnapshotError(str(error)) from error
    series = series_of(state, target)
    with series.locked(), closing(AuditFacts(state, target, web)) as facts:
        unfinished = Unfinished(series.folder, target, now or clock.now(), fresh=settings.fresh)
        # what an audit knows is read from its database, here
        here = facts.has_any or is_address(target) or bool(documents)
        workers = Workers(Where.LOCAL) if here else workers or settings.workers
        missing, notes = _read(
            replace(settings, web=web), start, unfinished, facts if here else None, workers, notify, progress
        )
        written = list(unfinished.files())
        files = tuple(info for info, _ in written)
        entries = sum(each.entries for each in files)
        if not files:
            unfinished.discard()
            if missing:
                raise SnapshotError(first_of(missing))
            raise NothingListed(first_of(notes) if notes else f"{target}: no URL is listed")
        path, taken = series.free_path(unfinished.started)
        with work_folder() as folder:
            counted = count_pages([part for _, part in written], entries, folder)
        info = SnapshotInfo(
            target=target,
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
        pruned = series.prune(Retention.parse(settings.keep))
    notes += [facts.note] if facts.note else []
    return SnapshotReport(path, info, path.stat().st_size, tuple(pruned), unfinished.resumed, tuple(notes))


def _read(
    settings: SnapshotSettings,
    start: str | Document,
    unfinished: Unfinished,
    facts: AuditFacts | None,
    workers: Workers,
    notify: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> tuple[list[str], list[str]]:
    """Every sitemap becomes a part; gives what could not be read, and notes."""
    missing: list[str] = []
    notes: list[str] = []
    live = partial(LiveTree, settings=settings, notify=notify, skip=unfinished.has, resumed=unfinished.resumed)
    count = urls = 0
    work = partial(_kept, unfinished, facts)
    root = None if settings.root is None else str(settings.root)
    for item in map_pages([start], work, ListFilter(), workers, root, live):
        if isinstance(item, Notice):
            (missing if item.grave else notes).append(f"{item.source}: {item.text}")
            continue
        count += 1
        urls += item
        progress(count, urls)
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
    # alphabetical order is nearly chronological, so only the last ones need to be parsed
    intervals = [Moment.parse(text).interval() for text in nlargest(_LIKELY, set(dates))]
    newest = max((each[0] for each in intervals if each is not None), default=None)
    return FileInfo(
        block.file,
        len(block.locs),
        document.envelope.size,
        hashlib.sha256(document.data).hexdigest(),
        len(dates),
        None if newest is None else newest.astimezone(UTC).isoformat(),
    )


# Listed URLs → what the last audit of the site and Google's URL inspection know of their pages.

_CAUSES = 50
"""kept with a snapshot"""


class AuditFacts:
    """Reads the state of one audit and of the engines. Facts of a snapshot that was resumed cover all its parts."""

    def __init__(self, state: Path, target: str, web: WebOptions) -> None:
        self.note: str | None = None
        self.audited: str | None = None
        self._log: DateLog | None = None
        self._explained: set[int] = set()
        self._causes = Causes()
        self._index = index_states(state)
        self._robots: dict[str, HostRobots | None] = {}
        self._stack = ExitStack()
        self._store = self._open(audit_database(target, state, web))

    def _open(self, path: Path) -> AuditStore | None:
        if not path.is_file():
            return None
        try:
            store = self._stack.enter_context(AuditStore(path))
            if not store.recall():
                return None
        except StateError as error:
            self.note = f"the snapshot has no facts from the audit: {error}"
            return None
        self.audited = store.meta("finished") or store.meta("started")
        self._log = DateLog(store)
        return store

    @property
    def has_any(self) -> bool:
        return self._store is not None or bool(self._index)

    def of(self, block: EntryBlock) -> dict[str, list[Any]] | None:
        """Columns by the names in FACTS; None where nothing is known of any."""
        if not self.has_any:
            return None
        columns: dict[str, list[Any]] = {name: [None] * len(block.locs) for name in FACTS}
        known = False
        dates = block.fields.get("lastmod") or [None] * len(block.locs)
        for at, (url, date) in enumerate(zip(block.locs, dates, strict=True)):
            found = self._store.listed_page(url) if self._store is not None else None
            if found is not None and found.visit is not None and found.listed.kind is What.PAGE:
                known = True
                said = msgspec.msgpack.decode(found.verdict, type=PageVerdict) if found.verdict else PageVerdict()
                for name, value in self._row(found, found.visit, said, date).items():
                    columns[name][at] = value
                self._explain(url, block.file, found.visit, said.codes)
            indexed = self._index.get(url)
            if indexed is not None:
                known = True
                columns["indexed"][at] = indexed
        return columns if known else None

    def _row(self, found: AuditedUrl, visit: Visit, said: PageVerdict, date: str | None) -> dict[str, Any]:
        url = found.listed.url
        last = self._log.last(found.id) if self._log is not None else None
        # the text of a page fetched with an older lastmod neither backs nor disproves this one
        is_evidence = last is not None and (last.content_lastmod or None) == ((date or "").strip() or None)
        content = said.content if is_evidence else None
        canonical = first_canonical(visit)
        return {
            "state": visit.state.value,
            "status": visit.first_status,
            "final_url": visit.final_url if visit.final_url and key_of(visit.final_url) != key_of(url) else None,
            "canonical": canonical if canonical and key_of(canonical) != key_of(url) else None,
            "indexable": indexable_by(visit, (Engine.GOOGLE,), self._robots_of(url))[0][0],
            "title": visit.title,
            "words": min(visit.words, (1 << 31) - 1),
            "fingerprint": content,
            **dict(zip(FACET_HASHES.values(), said.facets or () if content is not None else (), strict=False)),
            "codes": " ".join(said.codes) or None,
            "seen": visit.moment or None,
        }

    def _explain(self, url: str, source: str, visit: Visit, codes: tuple[str, ...]) -> None:
        """A page that is listed twice has its problem once, as in an audit."""
        self._causes.listed(url, source)
        symptom = symptom_of(visit, {}, 1)
        if symptom is None or symptom.kind == BLOCKED or (key := hash_of(url)) in self._explained:
            return
        self._explained.add(key)
        self._causes.add(symptom, url, source, codes)

    def causes(self) -> tuple[SnapshotCause, ...]:
        """Of all pages that `of` returned facts for."""
        found = sorted(self._causes.found(), key=lambda each: -each.count)[:_CAUSES]
        return tuple(
            SnapshotCause(each.kind, each.code, each.title, each.count, each.of, each.examples) for each in found
        )

    def _robots_of(self, url: str) -> HostRobots | None:
        origin = origin_of(url) or ""
        if origin not in self._robots:
            answer = self._store.robots(origin) if self._store is not None else None
            self._robots[origin] = None if answer is None else HostRobots.of(origin, answer)
        return self._robots[origin]

    def close(self) -> None:
        self._stack.close()


# A state folder → which URLs Google has indexed, as far as `urlset engines index` has inspected them.


def index_states(state: Path) -> dict[str, bool]:
    """Empty where nothing was inspected, or where the state is in use."""
    if not (state / FILE_NAME).is_file():
        return {}
    try:
        with EngineStore(state) as store:
            return store.index_states()
    except StateError:
        return {}
