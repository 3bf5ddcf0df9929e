"""HistoryReport → JSON (schema 1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from urlset.reports.format import ReportOptions
from urlset.reports.format import reporter as report_format
from urlset.reports.history_report import HistoryReport, SiteHistory

SCHEMA = 1


def render(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
    body: dict[str, Any] = {"schema": SCHEMA, "command": "history", "urlset": options.version}
    if report.site is not None:
        body |= _site(report.site, options)
    elif report.urls:
        body["urls"] = msgspec.to_builtins(report.urls)
    else:
        body["targets"] = msgspec.to_builtins(report.targets)
    yield f"{json.dumps(body, ensure_ascii=False, indent=1)}\n"


def _site(site: SiteHistory, options: ReportOptions) -> dict[str, Any]:
    verdict = json.loads("".join(report_format("json").render(site.verdict, options)))
    return {
        "target": site.target,
        "snapshots": msgspec.to_builtins(site.points),
        "lastmod": msgspec.to_builtins(site.honesty),
        "findings": verdict["findings"],
        "counts": verdict["counts"],
        "notes": list(site.notes),
    }
