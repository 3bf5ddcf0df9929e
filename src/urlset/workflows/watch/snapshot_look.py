"""A snapshot → the counts of the site, and a signal where its dates stopped telling the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from urlset.model.few import few
from urlset.reports.uri import is_address
from urlset.snapshots.expressions import Retention
from urlset.watching.signals import Measurement
from urlset.watching.store import LookResult
from urlset.workflows.history import HistoryOptions, history
from urlset.workflows.live.setup import Live
from urlset.workflows.snapshot import SnapshotOptions, snapshot
from urlset.workflows.watch.finding_signals import finding_signals
from urlset.workflows.watch.site import Look

_LAST = 8
"""snapshots that the honesty of dates is judged by"""


def look(ask: Look) -> LookResult:
    live = Live(ask.site.web, ask.site.max_files) if is_address(ask.site.url) else None
    keep = Retention.parse(ask.site.keep)
    options = SnapshotOptions(target=ask.site.url, state=ask.state, keep=keep, live=live, now=ask.now)
    report = snapshot(options)
    return LookResult(
        result="ok",
        signals=tuple(_signals(ask)) if not report.info.missing else (),
        message=few(report.info.missing, 3, joined="; "),
        requests=len(report.info.files) + 1,
        urls=report.info.listed,
    )


def _signals(ask: Look) -> Iterator[Measurement]:
    site = history(HistoryOptions(target=ask.site.url, state=ask.state, last=_LAST, now=ask.now)).site
    if site is not None:
        yield from finding_signals(ask, site.verdict, Counter(site.verdict.counts), complete=True)
