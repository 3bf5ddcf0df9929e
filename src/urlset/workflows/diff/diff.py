"""Two targets or snapshots → what was added, removed, changed, moved and renamed between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from urllib.parse import urljoin

from urlset.model.frames import NotInstalledError
from urlset.reports.diff_report import DiffReport, StateInfo
from urlset.reports.uri import is_address
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
from urlset.snapshots.series import SnapshotError, first_of
from urlset.workflows.diff.groups import group
from urlset.workflows.diff.options import DiffError, DiffOptions
from urlset.workflows.diff.redirects import read_redirects
from urlset.workflows.diff.renames import renames_of
from urlset.workflows.diff.states import DiffSide, open_state
from urlset.writing.files import WORK, WorkFolder, sweep_once


def diff(options: DiffOptions) -> DiffReport:
    """The caller closes the report. Raises DiffError."""
    redirects = read_redirects(options.redirects)
    sweep_once()
    folder = WorkFolder(_temporary(), WORK)
    try:
        old = _state(options.old, options, folder.path / "old.parquet")
        new = _state(options.new, options, folder.path / "new.parquet")
        delta = _compared(old, new, options, folder)
        return _report(old, new, delta, options, redirects)
    except (NotInstalledError, SnapshotError) as error:
        folder.close()
        raise DiffError(str(error)) from error
    except BaseException:
        folder.close()
        raise


def _temporary() -> Path:
    from tempfile import gettempdir

    return Path(gettempdir())


def _state(target: str, options: DiffOptions, path: Path) -> DiffSide:
    state = open_state(target, options, path)
    if state.troubled and not state.entries:
        raise DiffError(first_of(state.troubled))
    return state


def _compared(old: DiffSide, new: DiffSide, options: DiffOptions, folder: WorkFolder) -> Delta:
    old_labels, new_labels = labels(old.files, new.files)
    if not (old.is_stored or new.is_stored):
        states = [MemoryState(_path_of if options.ignore_host else str) for _ in range(2)]
        for memory, state, names in zip(states, (old, new), (old_labels, new_labels), strict=True):
            for block in state.blocks:
                memory.add(block._replace(file=names[block.file]))
            state.blocks = []
        folder.close()
        return MemoryDelta(states[0], states[1], options.fields)
    stored = []
    for state, names, name in ((old, old_labels, "old"), (new, new_labels, "new")):
        if not state.is_stored:
            state.store(folder.path / f"{name}.parquet").close()
        parts = [(path, names[file]) for file, path in state.parts]
        stored.append(StoredState(state.path, names, state.entries, tuple(parts)))
    return StoredDelta(stored[0], stored[1], folder, options.fields, ignore_host=options.ignore_host)


_ORIGIN = re.compile(ORIGIN)


def _path_of(loc: str) -> str:
    return _ORIGIN.sub("", loc, count=1)


def _report(old: DiffSide, new: DiffSide, delta: Delta, options: DiffOptions, redirects: dict[str, str]) -> DiffReport:
    notes = [*old.notes, *new.notes]
    renamed = tuple(_renames(delta, options, redirects, notes))
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
    report = DiffReport(
        old=StateInfo(old.name, summary.old, len(old.files), old.taken),
        new=StateInfo(new.name, summary.new, len(new.files), new.taken),
        summary=summary,
        renamed=renamed,
        failures=tuple(_failures(summary, options)),
        notes=tuple(dict.fromkeys(notes)),
        troubled=troubled,
        delta=delta,
    )
    return _grouped(report)


def _grouped(report: DiffReport) -> DiffReport:
    fields: Counter[str] = Counter()

    def changed() -> Iterator[str]:
        for each in report.changed:
            fields.update(each.fields.keys())
            yield each.loc

    groups = group(
        {
            "added": report.added,
            "removed": report.removed,
            "changed": changed(),
            "moved": (each.loc for each in report.moved),
            "renamed": (each.new for each in report.renamed),
        }
    )
    return DiffReport(
        old=report.old,
        new=report.new,
        summary=report.summary,
        renamed=report.renamed,
        fields=dict(fields.most_common()),
        groups=groups,
        failures=report.failures,
        notes=report.notes,
        troubled=report.troubled,
        delta=report.delta,
    )


def _renames(delta: Delta, options: DiffOptions, redirects: dict[str, str], notes: list[str]) -> list[RenamedUrl]:
    if not options.renames:
        return []
    some = chain(islice(delta.removed(), 1), islice(delta.added(), 1)) if redirects else iter(())
    known = _absolute(redirects, some)
    if options.live is not None and is_address(options.new) and options.probe and delta.counts.added:
        from urlset.workflows.diff.probe import redirects_of

        known = redirects_of(delta.removed(), options.new, options.probe, options.live.web) | known
    found, note = renames_of(delta, known)
    notes += [note] if note else []
    return found


def _absolute(redirects: dict[str, str], some: Iterator[Loose]) -> dict[str, str]:
    """Paths in a list of redirects are those of the site."""
    first = next(some, None)
    site = "" if first is None else first.loc
    return {urljoin(site, old): urljoin(site, new) for old, new in redirects.items()}


def _failures(summary: Summary, options: DiffOptions) -> Iterator[str]:
    for kind, limit in options.limits.items():
        count = int(getattr(summary, kind))
        if limit.exceeded(count, summary.old):
            share = f" ({count / summary.old:.1%})" if summary.old else ""
            yield f"{count:,} of {summary.old:,} URLs {kind}{share}; --max-{kind} is {limit.text}"
    missing = summary.removed + summary.renamed
    if options.require_all and missing:
        yield f"{missing:,} URL{' is' if missing == 1 else 's are'} missing from {options.new}; --require-all is set"
