"""The doors for Python programs that compare sitemaps over time: blocking functions, and the same for asyncio."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from urlset.checking import clock
from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import HistoryReport
from urlset.snapshots.block import FIELDS
from urlset.snapshots.expressions import DEFAULT_RETENTION, Limit, Retention
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.web.options import WebOptions
from urlset.workflows.diff import diff as compare
from urlset.workflows.diff_states import DiffOptions
from urlset.workflows.history import HistoryOptions
from urlset.workflows.history import history as look
from urlset.workflows.library.engines import in_thread
from urlset.workflows.live.setup import Live
from urlset.workflows.snapshot import SnapshotOptions, SnapshotReport
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
    return take(
        SnapshotOptions(
            target=os.fspath(target),
            state=Path(state),
            keep=Retention.parse(keep),
            fresh=fresh,
            root=None if root is None else os.fspath(root),
            live=Live(web or WebOptions()),
            now=now or clock.now(),
        )
    )


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
    limits = {"added": max_added, "removed": max_removed, "changed": max_changed}
    named = tuple(fields)
    if unknown := set(named) - set(FIELDS):
        raise ValueError(f"unknown field {min(unknown)!r}; known: {', '.join(FIELDS)}")
    target = os.fspath(old)
    return compare(
        DiffOptions(
            old=target if since is None else f"{target}@{since}",
            new=target if new is None else os.fspath(new),
            state=Path(state),
            fields=named,
            ignore_host=ignore_host,
            renames=renames,
            redirects=None if redirects is None else Path(redirects),
            probe=probe,
            require_all=require_all,
            limits={name: Limit.parse(str(limit)) for name, limit in limits.items() if limit is not None},
            root=None if root is None else os.fspath(root),
            now=now or clock.now(),
            live=Live(web or WebOptions()),
        )
    )


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
    return look(
        HistoryOptions(
            target=None if target is None else os.fspath(target),
            state=Path(state),
            since=since,
            last=last,
            date_changes=tuple(map(Facet, date_changes)),
            now=now or clock.now(),
        )
    )


snapshot_async = in_thread(snapshot)
diff_async = in_thread(diff)
