"""Two targets or snapshots → what was added, removed, changed, moved and renamed between them."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from zlib import crc32

import msgspec

from urlset.auditing.sections import first_folder, path_shape
from urlset.checking import clock
from urlset.execution.workers import Where, Workers
from urlset.model.document import Document
from urlset.model.errors import UrlsetError
from urlset.model.frames import NotInstalledError, library
from urlset.reading.host_robots import origin_of
from urlset.reports.diff_report import DiffReport, Group, StateInfo
from urlset.settings.declare import StrPath
from urlset.settings.history import DiffSettings
from urlset.settings.ls import LsSettings
from urlset.snapshots.delta import (
    ORIGIN,
    Delta,
    Loose,
    MemoryDelta,
    MemoryState,
    RenamedUrl,
    StoredDelta,
    StoredState,
    Summary,
    labels,
)
from urlset.snapshots.expressions import is_moment
from urlset.snapshots.parquet import EXTRA, EntryBlock, SnapshotWriter, block_of, fields_hashes, is_installed, require
from urlset.snapshots.renames import find_renames, parts_of
from urlset.snapshots.series import SUFFIX, SnapshotError, first_of, read_info, series_of
from urlset.storage.paths import is_address
from urlset.storage.system import replace
from urlset.workflows.live.tree import LiveTree
from urlset.workflows.ls import NO_DOCUMENTS, Batch, ListFilter, Notice, list_pages
from urlset.workflows.spread_pages import map_pages
from urlset.writing.files import WORK, WorkFolder, sweep_once, work_folder

if TYPE_CHECKING:
    from urlset.web.options import WebOptions


def diff(
    settings: DiffSettings,
    *,
    now: datetime | None = None,
    workers: Workers | None = None,
    notify: Callable[[str], None] = lambda _line: None,
    documents: Mapping[str, Document] = NO_DOCUMENTS,
) -> DiffReport:
    """The caller closes the report. `documents` are sides in memory, by name. Raises DiffError."""
    redirects = read_redirects(settings.redirects)
    reader = StateReader(settings, now or clock.now(), workers or settings.workers, notify, documents)
    sweep_once()
    folder = WorkFolder(Path(gettempdir()), WORK)
    try:
        old = _state(settings.old, reader, folder.path / "old.parquet")
        new = _state(settings.new, reader, folder.path / "new.parquet")
        delta = _compared(old, new, settings, folder)
        return _report(old, new, delta, settings, redirects)
    except (NotInstalledError, SnapshotError) as error:
        folder.close()
        raise DiffError(str(error)) from error
    except BaseException:
        folder.close()
        raise


def _state(target: str, reader: StateReader, path: Path) -> DiffSide:
    state = open_state(target, reader, path)
    if state.troubled and not state.entries:
        raise DiffError(first_of(state.troubled))
    return state


def _compared(old: DiffSide, new: DiffSide, settings: DiffSettings, folder: WorkFolder) -> Delta:
    old_labels, new_labels = labels(old.files, new.files)
    if not (old.is_stored or new.is_stored):
        path_of = partial(re.compile(ORIGIN).sub, "", count=1)
        states = [MemoryState(path_of if settings.ignore_host else str) for _ in range(2)]
        for memory, state, names in zip(states, (old, new), (old_labels, new_labels), strict=True):
            for block in state.blocks:
                memory.add(block._replace(file=names[block.file]))
            state.blocks = []
        folder.close()
        return MemoryDelta(states[0], states[1], settings.fields)
    stored = []
    for state, names, name in ((old, old_labels, "old"), (new, new_labels, "new")):
        if not state.is_stored:
            state.store(folder.path / f"{name}.parquet").close()
        parts = [(path, names[file]) for file, path in state.parts]
        stored.append(StoredState(state.path, names, state.entries, tuple(parts)))
    return StoredDelta(stored[0], stored[1], folder, settings.fields, ignore_host=settings.ignore_host)


def _report(
    old: DiffSide, new: DiffSide, delta: Delta, settings: DiffSettings, redirects: dict[str, str]
) -> DiffReport:
    notes = [*old.notes, *new.notes]
    renamed = tuple(_renames(delta, settings, redirects, notes, stored=bool(old.taken and new.taken)))
    counts = delta.counts
    summary = Summary(
        counts.added - len(renamed),
        counts.removed - len(renamed),
        counts.changed,
        counts.moved,
        len(renamed),
        counts.unchanged,
    )
    troubled = (*old.troubled, *new.troubled)
    if troubled:
        notes.append("some sitemaps could not be read; URLs listed there may appear as added or removed")
    fields: Counter[str] = Counter()

    def changed() -> Iterator[str]:
        for each in report.changed:
            fields.update(each.fields.keys())
            yield each.loc

    report = DiffReport(
        old=StateInfo(old.name, summary.old, len(old.files), old.taken),
        new=StateInfo(new.name, summary.new, len(new.files), new.taken),
        summary=summary,
        renamed=renamed,
        failures=tuple(_failures(summary, settings)),
        notes=tuple(dict.fromkeys(notes)),
        troubled=troubled,
        delta=delta,
    )
    groups = group(
        {
            "added": report.added,
            "removed": report.removed,
            "changed": changed(),
            "moved": (each.loc for each in report.moved),
            "renamed": (each.new for each in report.renamed),
        }
    )
    return msgspec.structs.replace(report, fields=dict(fields.most_common()), groups=groups)


def _renames(
    delta: Delta, settings: DiffSettings, redirects: dict[str, str], notes: list[str], *, stored: bool
) -> list[RenamedUrl]:
    """Removed URLs are requested, unless both sides are `stored` snapshots."""
    if settings.no_renames:
        return []
    some = chain(islice(delta.removed(), 1), islice(delta.added(), 1)) if redirects else iter(())
    first = next(some, None)
    site = "" if first is None else first.loc
    known = {urljoin(site, old): urljoin(site, new) for old, new in redirects.items()}
    if not stored and is_address(settings.new) and settings.probe and delta.counts.added:
        known = redirects_of(delta.removed(), settings.new, settings.probe, settings.fetching) | known
    found, note = renames_of(delta, known)
    notes += [note] if note else []
    return found


def _failures(summary: Summary, settings: DiffSettings) -> Iterator[str]:
    for kind, limit in settings.limits.items():
        count = int(getattr(summary, kind))
        if limit.exceeded(count, summary.old):
            share = f" ({count / summary.old:.1%})" if summary.old else ""
            yield f"{count:,} of {summary.old:,} URLs {kind}{share}; --max-{kind} is {limit.text}"
    missing = summary.removed + summary.renamed
    if settings.require_all and missing:
        yield f"{missing:,} URL{' is' if missing == 1 else 's are'} missing from {settings.new}; --require-all is set"


# URLs that differ → how many of each kind there are in every section and under every pattern of path.

_MOST = 5_000
_REST = ("other sections", "*")


def group(kinds: Mapping[str, Iterable[str]]) -> tuple[Group, ...]:
    """`kinds`: added, removed …, each with its URLs. The busiest group comes first."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    examples: dict[tuple[str, str], str] = {}
    for kind, urls in kinds.items():
        for url in urls:
            place = (first_folder(url), path_shape(url))
            if place not in counts and len(counts) >= _MOST:
                place = _REST
            counts[place][kind] += 1
            examples.setdefault(place, url)
    groups = (
        Group(section, pattern, **dict(found), example=examples[section, pattern])
        for (section, pattern), found in counts.items()
    )
    return tuple(sorted(groups, key=lambda each: (-each.total, each.section, each.pattern)))


# A list of redirects → URL → where it leads: `OLD NEW` lines (also with a status, as in `_redirects`), or CSV.


def read_redirects(given: StrPath | None) -> dict[str, str]:
    """Raises DiffError for a file that cannot be read. Lines without two URLs or paths are skipped."""
    if given is None:
        return {}
    path = Path(given)
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise DiffError(f"{path}: {error.strerror}") from error
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    rows = csv.reader(lines) if any("," in line for line in lines[:1]) else (line.split() for line in lines)
    found = {}
    for row in rows:
        cells = [cell.strip() for cell in row]
        if len(cells) >= 2 and all(cell.startswith(("http://", "https://", "/")) for cell in cells[:2]):
            found[cells[0]] = cells[1]
    return found


# Removed and added URLs → renames; very many are searched in parts to bound memory.
#
# A part holds the URLs whose last path segment has the same hash, so every rename which keeps that segment stays
# inside one part. A removed URL whose redirect or canonical is known goes to the part of its target.

AT_ONCE = 60_000
"""removed or added URLs that are searched together; about 100 MB"""
_BATCH = 2_000
_decode = msgspec.msgpack.Decoder(list[Loose]).decode
_encode = msgspec.msgpack.Encoder().encode


def renames_of(delta: Delta, redirects: Mapping[str, str]) -> tuple[list[RenamedUrl], str | None]:
    """The renames, and what should be said about the search."""
    counts = delta.counts
    if not counts.added or not counts.removed:
        return [], None
    parts = -(-max(counts.added, counts.removed) // AT_ONCE)
    if parts == 1:
        return find_renames(list(delta.removed()), list(delta.added()), redirects), None
    with work_folder() as folder:
        removed = _Parts(folder, "removed", parts)
        removed.add(
            (redirects.get(each.loc) or each.final_url or each.canonical or each.loc, each) for each in delta.removed()
        )
        added = _Parts(folder, "added", parts)
        added.add((each.loc, each) for each in delta.added())
        found = [each for part in range(parts) for each in find_renames(removed[part], added[part], redirects)]
    found.sort(key=lambda each: each.old)
    return found, "renames were searched in parts: an edited last path segment is found only within one"


class _Parts:
    def __init__(self, folder: Path, name: str, count: int) -> None:
        self._files = [(folder / f"{name}-{part}").open("w+b") for part in range(count)]

    def add(self, items: Iterable[tuple[str, Loose]]) -> None:
        """Each with the URL that decides on its part."""
        waiting: list[list[Loose]] = [[] for _ in self._files]
        for url, each in items:
            part = crc32(parts_of(url).slug.encode("utf-8", "surrogatepass")) % len(self._files)
            waiting[part].append(each)
            if len(waiting[part]) >= _BATCH:
                self._write(part, waiting[part])
        for part, rest in enumerate(waiting):
            self._write(part, rest)

    def _write(self, part: int, items: list[Loose]) -> None:
        data = _encode(items)
        self._files[part].write(len(data).to_bytes(8, "little") + data)
        items.clear()

    def __getitem__(self, part: int) -> list[Loose]:
        found: list[Loose] = []
        with self._files[part] as file:
            file.seek(0)
            while head := file.read(8):
                found += _decode(file.read(int.from_bytes(head, "little")))
        return found


# Some removed URLs of a live site → where they redirect now; robots.txt is obeyed, other hosts are not asked.

_CAP = 1 << 12
"""bytes of a page that are read: only its address matters"""


def redirects_of(removed: Iterable[Loose], site: str, most: int, web: WebOptions) -> dict[str, str]:
    """URL → where it ended, for those on the host of `site` that redirect to a page that is there."""
    import asyncio  # most comparisons fetch nothing

    from urlset.web.client import Client
    from urlset.web.loop import run

    origin = origin_of(site)
    wanted = list(islice((each.loc for each in removed if origin_of(each.loc) == origin), most))

    async def target(client: Client, url: str) -> str | None:
        robots = await client.robots(url)
        if not robots.match(client.options.token, url).allowed:
            return None
        answer = await client.get(url, cap=_CAP)
        return answer.final_url if answer.hops and answer.status == 200 and answer.final_url else None

    async def ask() -> dict[str, str]:
        async with Client(web, named=[site], resumed=True) as client:
            answers = await asyncio.gather(*(target(client, url) for url in wanted))
        return {url: found for url, found in zip(wanted, answers, strict=True) if found is not None}

    return run(ask()) if wanted else {}


IN_MEMORY = 150_000
"""entries of one state that are kept in memory, unless the extra `seo` is missing"""


class DiffSide(msgspec.Struct, kw_only=True):
    """One side of the comparison."""

    name: str
    files: list[str] = []
    entries: int = 0
    blocks: list[EntryBlock] = []
    path: Path | None = None
    """a Parquet file with the entries; then there are no blocks"""
    parts: list[tuple[str, Path]] = []
    """or a Parquet file for each file, whose name is not in it: equal files share one"""
    taken: str | None = None
    notes: list[str] = []
    troubled: list[str] = []

    @property
    def is_stored(self) -> bool:
        return self.path is not None or bool(self.parts)

    def store(self, path: Path) -> SnapshotWriter:
        """Move the entries to a file. The caller closes it."""
        writer = SnapshotWriter(path)
        for block in self.blocks:
            writer.add(block)
        self.blocks, self.path = [], path
        return writer


class StateReader(msgspec.Struct, frozen=True):
    """How both sides are read: the settings, and what is not an option."""

    settings: DiffSettings | LsSettings
    now: datetime
    workers: Workers = Workers(Where.LOCAL)
    notify: Callable[[str], None] = lambda _line: None
    documents: Mapping[str, Document] = NO_DOCUMENTS

    @property
    def root(self) -> str | None:
        return None if self.settings.root is None else str(self.settings.root)


def open_state(target: str, reader: StateReader, path: Path) -> DiffSide:
    """A snapshot where one is named, else whatever is listed there now. Raises SnapshotError."""
    stored, note = _snapshot(target, reader) if target not in reader.documents else (None, None)
    if stored is None:
        return read_state(target, reader, path)
    info = read_info(stored)
    notes = [note] if note else []
    if info.missing:
        notes.append(
            f"{len(info.missing):,} sitemaps could not be read when the snapshot of {info.taken[:16]} was taken;"
            " URLs listed there may appear as added or removed"
        )
    return DiffSide(
        name=info.target,
        files=[each.name for each in info.files],
        entries=info.entries,
        path=stored,
        taken=info.taken,
        notes=notes,
    )


def _snapshot(target: str, reader: StateReader) -> tuple[Path | None, str | None]:
    """`TARGET@WHEN`, unless something has that very name; or the path of a snapshot."""
    if target.endswith(SUFFIX) and Path(target).is_file():
        return Path(target), None
    name, sign, when = target.rpartition("@")
    if not sign or not is_moment(when, reader.now) or Path(target).exists():
        return None, None
    try:
        found, note = series_of(Path(reader.settings.state), name).find(when, reader.now)
    except SnapshotError as error:
        raise SnapshotError(f"{name}: {error}") from error
    return found.path, note


def read_state(target: str, reader: StateReader, path: Path) -> DiffSide:
    """Whatever is listed there now; many entries go to `path`."""
    document = reader.documents.get(target)
    on_disk = document is None and target != "-" and not is_address(target)
    if on_disk and reader.workers.pays(enough=reader.workers.jobs > 1):
        return _read_apart(target, reader, path.with_name("parts"))
    state = DiffSide(name=target)
    writer: SnapshotWriter | None = None
    start = document or (sys.stdin.buffer if target == "-" else target)
    files: dict[str, None] = {}
    try:
        for item in list_pages(
            [start], ListFilter(), reader.root, partial(LiveTree, settings=reader.settings, notify=reader.notify)
        ):
            if not isinstance(item, Batch):
                (state.troubled if item.grave else state.notes).append(f"{item.source}: {item.text}")
                continue
            block = block_of(item.document, item.rows)
            del item
            files[block.file] = None
            state.entries += len(block.locs)
            if writer is not None:
                writer.add(block)
                continue
            state.blocks.append(block)
            if state.entries > IN_MEMORY and is_installed():
                writer = state.store(path)
    finally:
        if writer is not None:
            writer.close()
    state.files = list(files)
    return state


def _stored(folder: str, batch: Batch) -> tuple[str, int, str]:
    """One file, its entries, and the Parquet file with them, named after its content; runs in a worker.

    One that is there already is of the other state, or of a second try.
    """
    document = batch.document
    path = Path(folder) / f"{hashlib.sha256(document.data).hexdigest()}.part"
    if not path.exists():
        writing = path.with_name(f".{path.name}.{os.getpid()}")
        with SnapshotWriter(writing) as writer:
            writer.add(block_of(document, batch.rows))
        replace(writing, path)
    return document.url or document.name, len(batch.rows), str(path)


def _read_apart(target: str, reader: StateReader, folder: Path) -> DiffSide:
    """The same in several processes: each file becomes a part."""
    require("reading with several workers")
    state = DiffSide(name=target)
    folder.mkdir(exist_ok=True)
    work = partial(_stored, str(folder))
    for item in map_pages([target], work, ListFilter(), reader.workers, reader.root):
        if isinstance(item, Notice):
            (state.troubled if item.grave else state.notes).append(f"{item.source}: {item.text}")
            continue
        file, entries, path = item
        state.entries += entries
        state.parts.append((file, Path(path)))
    state.files = list(dict.fromkeys(file for file, _ in state.parts))
    return state


# What `urlset diff` compares, and when it fails.


class DiffError(UrlsetError):
    """The two states cannot be compared; the message says why and what to do."""


# An earlier state of sitemaps → what each entry said, as a hash by URL.


def known_entries(target: str, reader: StateReader) -> dict[str, int]:
    """Of a file, pattern, folder, URL or snapshot. Raises DiffError."""
    try:
        with work_folder() as folder:
            state = _state(target, reader, folder / "old.parquet")
            known: dict[str, int] = {}
            for block in state.blocks:
                known.update(zip(block.locs, fields_hashes(block), strict=True))
            for path in [state.path] if state.path is not None else [path for _, path in state.parts]:
                parquet: Any = library("pyarrow.parquet", EXTRA, "reading a snapshot")
                with parquet.ParquetFile(path) as file:
                    for batch in file.iter_batches(columns=["loc", "fields_hash"]):
                        known.update(zip(*(column.to_pylist() for column in batch.columns), strict=True))
            return known
    except (NotInstalledError, SnapshotError) as error:
        raise DiffError(str(error)) from error
