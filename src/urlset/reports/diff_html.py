"""DiffReport → one HTML page: totals, sections and patterns, then every different URL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import msgspec

from urlset.auditing.sections import first_folder
from urlset.findings.verdict import Verdict
from urlset.reports.charts import bars
from urlset.reports.diff import CHANGE_KINDS, differences, total_changes
from urlset.reports.diff_report import DiffReport
from urlset.reports.format import ReportOptions
from urlset.reports.html import ExitSummary
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.table import TableColumn, TableData

_SHAPES = {"added": "ok", "removed": "gone", "changed": "redirected", "moved": "blocked", "renamed": "failed"}
_TILES = {"added": "ok", "removed": "error", "changed": "warning"}
"""kind of change → the CSS class of its color"""

SHOWN = 500
"""URLs of each kind without scripts; the table has up to 100,000"""
_COLUMNS = (
    TableColumn("url", "URL", "url"),
    TableColumn("change", "Change", "choice", lambda row: row.what, filter="Change", shapes=_SHAPES),
    TableColumn("section", "Section", "choice", lambda row: first_folder(row.url), filter="Section"),
    TableColumn("field", "Field", "choice", lambda row: row.field or "none", filter="Field"),
    TableColumn("old", "Old"),
    TableColumn("new", "New"),
    TableColumn("evidence", "Evidence"),
)
_GROUPS = 200


def render(report: DiffReport, options: ReportOptions, form: str = "html") -> Iterator[str]:
    del form
    counts = [(kind, int(getattr(report.summary, kind))) for kind in CHANGE_KINDS]
    summary = total_changes(report)
    table = TableData(_COLUMNS, noun="difference")
    for row in differences(report):
        table.add(row, matters=row.what == "removed")
    sections: Counter[str] = Counter()
    for group in report.groups:
        sections[group.section] += group.total
    charts = (
        bars("Differences by section", sections.most_common(), filter="section", head=("section", "URLs")),
        bars("Changed fields", report.fields.items(), filter="field", head=("field", "URLs")),
    )
    return page(
        "diff.html",
        Verdict(troubled=report.troubled),
        options,
        title=f"urlset diff: {summary}",
        summary=summary,
        outcome=ExitSummary("failed: a limit is exceeded" if report.failures else ""),
        report=report,
        key_numbers=[
            *(KeyNumber(count, kind, shape=_TILES.get(kind, "")) for kind, count in counts),
            KeyNumber(report.summary.unchanged, "unchanged"),
        ],
        charts=[chart for chart in charts if chart.bars],
        table=table,
        kinds=CHANGE_KINDS,
        groups=[msgspec.structs.asdict(each) for each in report.groups[:_GROUPS]],
        more_groups=max(0, len(report.groups) - _GROUPS),
        lists=[(kind, count, islice(getattr(report, kind), SHOWN)) for kind, count in counts if count],
        shown=SHOWN,
    )
