"""Verdict → one row per finding; spreadsheets open it without executing it."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.table import ReportTable, TableColumn, columns_of, csv_lines

COLUMNS = (
    *columns_of(
        Finding,
        only=(
            *("source", "line", "column", "end_line", "end_column", "offset", "length"),
            *("severity", "code", "name"),
        ),
    ),
    TableColumn("engines", value=lambda it: " ".join(it.engines)),
    *columns_of(Finding, only=("count", "message", "subject")),
    TableColumn("fix", value=lambda it: it.fix.title if it.fix else None),
    TableColumn("safety", value=lambda it: it.fix.safety if it.fix else None),
)


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    del options
    return csv_lines(findings_table(verdict))


def findings_table(verdict: Verdict) -> ReportTable:
    return ReportTable("Findings", COLUMNS, verdict.findings)
