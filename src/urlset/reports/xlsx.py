"""Verdict → a workbook: summary, findings, rules, files."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.verdict import Checked, Verdict
from urlset.reports.csv import findings_table
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_rule
from urlset.reports.table import ReportTable, TableColumn, columns_of, summary_table, workbook
from urlset.reports.wording import sum_line

_RULES = (
    TableColumn("code", value=lambda rule: rule.first.code),
    TableColumn("name", value=lambda rule: rule.first.name),
    TableColumn("severity", value=lambda rule: rule.severities[0].value),
    TableColumn("findings", value=lambda rule: rule.total),
    TableColumn("entries"),
    TableColumn("files", value=lambda rule: len(rule.files)),
    TableColumn("message", value=lambda rule: rule.summary),
)
_FILES = columns_of(Checked, only=("source", "url", "kind", "entries", "bytes"))


def render(verdict: Verdict, options: ReportOptions) -> Iterator[bytes]:
    return workbook((summary_table(summary_rows(verdict, options)), *verdict_sheets(verdict)), options)


def summary_rows(verdict: Verdict, options: ReportOptions) -> Iterator[tuple[str, object]]:
    yield "command", f"urlset {options.command}"
    yield "target", ", ".join(options.target)
    if options.made is not None:
        yield "generated (UTC)", options.made.strftime("%Y-%m-%d %H:%M")
    yield "result", sum_line(verdict).replace("`", "")
    for severity in Severity:
        yield f"findings: {severity}", verdict.severity_counts.get(severity, 0)
    yield "files", len(verdict.documents)
    yield "entries", verdict.entries


def verdict_sheets(verdict: Verdict) -> Iterator[ReportTable]:
    yield findings_table(verdict)
    yield ReportTable("Rules", _RULES, by_rule(verdict, Severity.INFO))
    yield ReportTable("Files", _FILES, verdict.documents)
