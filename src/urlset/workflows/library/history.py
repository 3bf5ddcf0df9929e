"""The doors for Python programs that compare sitemaps over time: blocking functions, and the same for asyncio."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from urlset.execution.workers import Where
from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import HistoryReport
from urlset.settings.history import DiffSettings, HistorySettings, SnapshotSettings
from urlset.settings.keywords import checked
from urlset.snapshots.block import FIELDS
from urlset.snapshots.expressions import DEFAULT_RETENTION
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.web.options import WebOptions
from urlset.workflows.diff import diff as compare
from urlset.workflows.history import history as look
from urlset.workflows.library.engines import in_thread
from urlset.workflows.live.setup import Live
from urlset.workflows.snapshot import SnapshotReport
from urlset.workflows.snapshot import snapshot as take

StrPath = str | os.PathLike[str]


def snapshot(
    target: StrPath,
    *,
    state: StrPath = ".urlset",
    keep: str = DEFAULT_RETENTION,
    fresh: bool = False,
    root: StrPath | None = None,
    now: datetime | None = None,
    web: WebOptions | None = None,
) -> SnapshotReport:
    """Keep the sitemaps of a site as they are now, as `urlset snapshot` does.

    Raises SnapshotError where none can be taken, and ValueError for a policy that is none. Sitemaps that could not be
    read are in `SnapshotReport.info.missing`.
    """
    settings = SnapshotSettings(
        target=os.fspath(target),
        state=Path(state),
        keep=keep,
        fresh=fresh,
        root=None if root is None else os.fspath(root),
        web=web or WebOptions(),
        executor=Where.LOCAL,
    )
    return take(checked(settings), now=now)


def diff(  # noqa: PLR0913 - one keyword per option
    old: StrPath,
    new: StrPath | None = None,
    *,
    since: str | None = None,
    state: StrPath = ".urlset",
    fields: Iterable[str] = FIELDS,
    ignore_host: bool = False,
    renames: bool = True,
    redirects: StrPath | None = None,
    probe: int = 100,
    require_all: bool = False,
    max_added: str | int | None = None,
    max_removed: str | int | None = None,
    max_changed: str | int | None = None,
    root: StrPath | None = None,
    now: datetime | None = None,
    web: WebOptions | None = None,
) -> DiffReport:
    """What was added, removed, changed, moved and renamed between two states, as `urlset diff` shows.

    `old` and `new` are files, patterns, folders, URLs, or snapshots: `TARGET@WHEN`. With `since`, one target is
    compared with its snapshot of that time. Where `new` is a URL, up to `probe` removed URLs are requested to find
    redirects. Close the report, or use it in a `with` block: large lists lie on disk.

    Raises DiffError where a side cannot be read, and ValueError for options that cannot be used.
    """
    if (new is None) == (since is None):
        raise ValueError("give `new`, or `since`")
    settings = DiffSettings(
        targets=tuple(os.fspath(each) for each in (old, new) if each is not None),
        since=since,
        state=Path(state),
        fields=tuple(fields),
        ignore_host=ignore_host,
        no_renames=not renames,
        redirects=None if redirects is None else Path(redirects),
        probe=probe,
        require_all=require_all,
        max_added=_limit(max_added),
        max_removed=_limit(max_removed),
        max_changed=_limit(max_changed),
        root=None if root is None else os.fspath(root),
        executor=Where.LOCAL,
    )
    return compare(checked(settings), now=now, live=Live(web or WebOptions()))


def _limit(given: str | int | None) -> str | None:
    return None if given is None else str(given)


def history(
    target: StrPath | None = None,
    *,
    state: StrPath = ".urlset",
    since: str | None = None,
    last: int | None = None,
    date_changes: Iterable[str] = DATED_BY,
    now: datetime | None = None,
) -> HistoryReport:
    """Counts, churn and honesty of dates over time, or the life of one URL, as `urlset history` shows.

    Raises SnapshotError where there is no snapshot.
    """
    settings = HistorySettings(
        target=None if target is None else os.fspath(target),
        state=Path(state),
        since=since,
        last=last,
        date_changes=tuple(map(Facet, date_changes)),
    )
    return look(settings, now=now)


snapshot_async = in_thread(snapshot)
diff_async = in_thread(diff)
