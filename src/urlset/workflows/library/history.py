"""The doors for Python programs that compare sitemaps over time: blocking functions, and the same for asyncio."""

from __future__ import annotations

from datetime import datetime
from typing import Unpack

from urlset.model.document import Document
from urlset.model.errors import ArgumentValueError
from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import HistoryReport
from urlset.settings.history import DiffSettings, HistorySettings, SnapshotSettings
from urlset.settings.load import from_keywords
from urlset.workflows.diff import diff as compare
from urlset.workflows.history import history as look
from urlset.workflows.library.calls import complete, on_asyncio, verb
from urlset.workflows.library.check import in_this_process
from urlset.workflows.library.keywords import DiffKeywords, HistoryKeywords, SnapshotKeywords
from urlset.workflows.library.sources import Source, StrPath, named_source
from urlset.workflows.snapshot import SnapshotReport
from urlset.workflows.snapshot import snapshot as take


@verb
def snapshot(
    target: Source,
    *,
    name: str | None = None,
    now: datetime | None = None,
    strict: bool = True,
    **options: Unpack[SnapshotKeywords],
) -> SnapshotReport:
    """Keep the sitemaps of a site as they are now, as `urlset snapshot` does. The keywords are its options.

    `target` is a URL, a file, a folder, or a sitemap in memory: XML as text or bytes, an open file, a Document. In
    memory it is kept under its URL or file name, or under `name`; `urlset.history` finds it by that.

    Raises SnapshotError where none can be taken, ValueError for a policy that is none, and IncompleteError, with the
    report in `result`, where some sitemaps could not be read; with `strict=False`, they are in
    `SnapshotReport.info.missing` only.
    """
    known, documents = named_source(target, name=name)
    if known.startswith("<"):
        raise ArgumentValueError("snapshot() of a sitemap without a name: set `name`, such as the URL it is served at")
    settings = from_keywords(SnapshotSettings, in_this_process(options), target=known)
    report = take(settings, now=now, documents=documents)
    return complete(report.info.missing, report, strict=strict)


snapshot_async = on_asyncio(snapshot, "Take a snapshot on asyncio, as `urlset.snapshot` does.")


@verb
def diff(
    old: Source,
    new: Source | None = None,
    *,
    now: datetime | None = None,
    strict: bool = True,
    **options: Unpack[DiffKeywords],
) -> DiffReport:
    """What was added, removed, changed, moved and renamed between two states, as `urlset diff` shows.

    `old` and `new` are files, patterns, folders, URLs, sitemaps in memory (XML as text or bytes, open files,
    Documents), or snapshots: `TARGET@WHEN`. With `since`, one target is compared with its snapshot of that time. Where
    `new` is a URL, up to `probe` removed URLs are requested to find redirects. Close the report, or use it in a `with`
    block: large lists lie on disk. The keywords are the options of the command.

    Raises DiffError where a side cannot be read, ValueError and TypeError for arguments that cannot be used, and
    IncompleteError where a part of a side could not be read; with `strict=False`, that is in `DiffReport.troubled`.
    """
    if (new is None) == (options.get("since") is None):
        raise ArgumentValueError("give `new`, or `since`")
    first, documents = named_source(old, otherwise="old")
    targets: tuple[str, ...] = (first,)
    if new is not None:
        second, found = named_source(new, otherwise="new")
        if first == second and (documents or found):
            first, documents = _renamed(first, documents, "old")
            second, found = _renamed(second, found, "new")
        documents, targets = {**documents, **found}, (first, second)
        if found:
            options = {**options, "probe": 0}  # it may not be what is on the web
    settings = from_keywords(DiffSettings, in_this_process(options), targets=targets)
    report = compare(settings, now=now, documents=documents)
    return complete(report.troubled, report, strict=strict, close=report.close)


def _renamed(name: str, documents: dict[str, Document], side: str) -> tuple[str, dict[str, Document]]:
    """Two states of one file, of which at least one is in memory."""
    return (f"{name} ({side})", {f"{name} ({side})": documents[name]}) if documents else (name, documents)


diff_async = on_asyncio(diff, "Compare two states on asyncio, as `urlset.diff` does.")


@verb
def history(
    target: StrPath | Document | None = None, *, now: datetime | None = None, **options: Unpack[HistoryKeywords]
) -> HistoryReport:
    """Counts, churn and honesty of dates over time, or the life of one URL, as `urlset history` shows.

    `target` is what snapshots were taken of, or the URL of a page; without it, the only target that has some. The
    keywords are the options of the command. Raises SnapshotError where there is no snapshot.
    """
    known = None if target is None else named_source(target)[0]
    return look(from_keywords(HistorySettings, options, target=known), now=now)


history_async = on_asyncio(history, "Look back on asyncio, as `urlset.history` does.")
