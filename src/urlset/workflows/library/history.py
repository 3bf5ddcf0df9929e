"""The doors for Python programs that compare sitemaps over time: blocking functions, and the same for asyncio."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Unpack

from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import HistoryReport
from urlset.settings.history import DiffSettings, HistorySettings, SnapshotSettings
from urlset.settings.load import from_keywords
from urlset.workflows.diff import diff as compare
from urlset.workflows.history import history as look
from urlset.workflows.library.check import in_this_process
from urlset.workflows.library.engines import in_thread
from urlset.workflows.library.keywords import DiffKeywords, HistoryKeywords, SnapshotKeywords
from urlset.workflows.snapshot import SnapshotReport
from urlset.workflows.snapshot import snapshot as take

StrPath = str | os.PathLike[str]


def snapshot(target: StrPath, *, now: datetime | None = None, **options: Unpack[SnapshotKeywords]) -> SnapshotReport:
    """Keep the sitemaps of a site as they are now, as `urlset snapshot` does. The keywords are its options.

    Raises SnapshotError where none can be taken, and ValueError for a policy that is none. Sitemaps that could not be
    read are in `SnapshotReport.info.missing`.
    """
    return take(from_keywords(SnapshotSettings, in_this_process(options), target=os.fspath(target)), now=now)


def diff(
    old: StrPath, new: StrPath | None = None, *, now: datetime | None = None, **options: Unpack[DiffKeywords]
) -> DiffReport:
    """What was added, removed, changed, moved and renamed between two states, as `urlset diff` shows.

    `old` and `new` are files, patterns, folders, URLs, or snapshots: `TARGET@WHEN`. With `since`, one target is
    compared with its snapshot of that time. Where `new` is a URL, up to `probe` removed URLs are requested to find
    redirects. Close the report, or use it in a `with` block: large lists lie on disk. The keywords are the options of
    the command.

    Raises DiffError where a side cannot be read, and ValueError for options that cannot be used.
    """
    if (new is None) == (options.get("since") is None):
        raise ValueError("give `new`, or `since`")
    targets = tuple(os.fspath(each) for each in (old, new) if each is not None)
    return compare(from_keywords(DiffSettings, in_this_process(options), targets=targets), now=now)


def history(
    target: StrPath | None = None, *, now: datetime | None = None, **options: Unpack[HistoryKeywords]
) -> HistoryReport:
    """Counts, churn and honesty of dates over time, or the life of one URL, as `urlset history` shows.

    The keywords are the options of the command. Raises SnapshotError where there is no snapshot.
    """
    return look(from_keywords(HistorySettings, options, target=None if target is None else os.fspath(target)), now=now)


snapshot_async = in_thread(snapshot)
diff_async = in_thread(diff)
