"""DiffReport → a workbook: totals, one row per different URL and changed field, and the groups."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.reports.diff_csv import COLUMNS, rows_of
from urlset.reports.diff_report import DiffReport, Group
from urlset.reports.format import ReportOptions
from urlset.reports.workbook import WorkbookSheet, workbook


def render(report: DiffReport, options: ReportOptions) -> Iterator[bytes]:
    summary = (
        ("old", report.old.name),
        ("new", report.new.name),
        *((name, value) for name, value in msgspec.structs.asdict(report.summary).items()),
        *(("failed limit", each) for each in report.failures),
    )
    sheets = (
        WorkbookSheet("Summary", ("what", "value"), summary),
        WorkbookSheet("Differences", COLUMNS, rows_of(report)),
        WorkbookSheet("Sections", Group.__struct_fields__, map(msgspec.structs.astuple, report.groups)),
    )
    return workbook(sheets, options)
