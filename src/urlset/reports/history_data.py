"""HistoryReport → JSON (schema 1), or CSV with a row per snapshot, per sighting of a URL, or per target."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from urlset.reports.format import ReportOptions, reporter
from urlset.reports.history_report import HistoryReport, SiteHistory, TargetSummary
from urlset.reports.table import ReportTable, columns_of, csv_lines, table_of
from urlset.snapshots.timeline import Point

SCHEMA = 1


def render(report: HistoryReport, options: ReportOptions, form: str) -> Iterator[str]:
    return csv_lines(_table(report)) if form == "csv" else _json(report, options)


def _table(report: HistoryReport) -> ReportTable:
    if report.site is not None:
        fields = [name for name in Point.__struct_fields__ if name != "states"]
        return ReportTable("Snapshots", columns_of(Point, only=fields), report.site.points)
    if report.urls:
        rows = [
            {"url": url.url, "target": url.target, **msgspec.structs.asdict(each)}
            for url in report.urls
            for each in url.sightings
        ]
        return table_of("Sightings", rows)
    return ReportTable("Targets", columns_of(TargetSummary), report.targets)


def _json(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    body: dict[str, Any] = {"schema": SCHEMA, "command": "history", "urlset": options.version}
    if report.site is not None:
        body |= _site(report.site, options)
    elif report.urls:
        body["urls"] = msgspec.to_builtins(report.urls)
    else:
        body["targets"] = msgspec.to_builtins(report.targets)
    yield f"{json.dumps(body, ensure_ascii=False, indent=1)}\n"


def _site(site: SiteHistory, options: ReportOptions) -> dict[str, Any]:
    verdict = json.loads("".join(reporter("json").render(site.verdict, options)))
    return {
        "target": site.target,
        "snapshots": msgspec.to_builtins(site.points),
        "lastmod": msgspec.to_builtins(site.honesty),
        "findings": verdict["findings"],
        "counts": verdict["counts"],
        "notes": list(site.notes),
    }
