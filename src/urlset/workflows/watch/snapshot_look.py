"""A snapshot → the counts of the site, and a signal where its dates stopped telling the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from urlset.execution.workers import Where
from urlset.model.shown import few
from urlset.settings.history import HistorySettings, SnapshotSettings
from urlset.watching.signals import Measurement
from urlset.watching.store import LookResult
from urlset.workflows.history import history
from urlset.workflows.snapshot import snapshot
from urlset.workflows.watch.site import Look, finding_signals

_LAST = 8
"""snapshots that the honesty of dates is judged by"""


def look(ask: Look) -> LookResult:
    settings = SnapshotSettings(
        target=ask.site.url,
        state=ask.state,
        keep=ask.site.keep,
        web=ask.site.web,
        max_files=ask.site.max_files,
        executor=Where.LOCAL,
    )
    report = snapshot(settings, now=ask.now)
    return LookResult(
        result="ok",
        signals=tuple(_signals(ask)) if not report.info.missing else (),
        message=few(report.info.missing, 3, joined="; "),
        requests=len(report.info.files) + 1,
        urls=report.info.listed,
    )


def _signals(ask: Look) -> Iterator[Measurement]:
    site = history(HistorySettings(target=ask.site.url, state=ask.state, last=_LAST), now=ask.now).site
    if site is not None:
        yield from finding_signals(ask, site.verdict, Counter(site.verdict.counts), complete=True)
