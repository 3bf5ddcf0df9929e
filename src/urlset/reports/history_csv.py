"""HistoryReport → a row per snapshot, or per target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from urlset.reports.csv import table_of
from urlset.reports.format import ReportOptions
from urlset.reports.history_report import HistoryReport


def render(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    del options
    if report.site is not None:
        yield from table_of([{k: v for k, v in each.items() if k != "states"} for each in _built(report.site.points)])
    elif report.urls:
        yield from table_of(
            [{"url": each.url, "target": each.target, **row} for each in report.urls for row in _built(each.sightings)]
        )
    else:
        yield from table_of(_built(report.targets))


def _built(values: Sequence[object]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(each) for each in values]
