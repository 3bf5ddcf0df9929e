"""Verdict → one row per finding as CSV, or a workbook: summary, findings, rules, files."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Checked, Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_rule
from urlset.reports.table import ReportTable, TableColumn, columns_of, csv_lines, summary_table, workbook
from urlset.reports.wording import sum_line

_RULE_COLUMNS = (
    TableColumn("code", value=lambda rule: rule.first.code),
    TableColumn("name", value=lambda rule: rule.first.name),
    TableColumn("severity", value=lambda rule: rule.severities[0].value),
    TableColumn("findings", value=lambda rule: rule.total),
    TableColumn("entries"),
    TableColumn("files", value=lambda rule: len(rule.files)),
    TableColumn("message", value=lambda rule: rule.summary),
)
_FILE_COLUMNS = columns_of(Checked, only=("source", "url", "kind", "entries", "bytes"))


def xlsx(verdict: Verdict, options: ReportOptions) -> Iterator[bytes]:
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
    yield ReportTable("Rules", _RULE_COLUMNS, by_rule(verdict, Severity.INFO))
    yield ReportTable("Files", _FILE_COLUMNS, verdict.documents)


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


def csv(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    del options
    return csv_lines(findings_table(verdict))


def findings_table(verdict: Verdict) -> ReportTable:
    return ReportTable("Findings", COLUMNS, verdict.findings)
