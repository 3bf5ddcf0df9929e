"""Verdict → a workbook: summary, findings, rules, files."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.csv import COLUMNS, values_of
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_rule
from urlset.reports.wording import sum_line
from urlset.reports.workbook import WorkbookSheet, workbook


def render(verdict: Verdict, options: ReportOptions) -> Iterator[bytes]:
    summary = WorkbookSheet("Summary", ("what", "value"), summary_rows(verdict, options))
    return workbook((summary, *verdict_sheets(verdict)), options)


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


def verdict_sheets(verdict: Verdict) -> Iterator[WorkbookSheet]:
    yield WorkbookSheet("Findings", COLUMNS, map(values_of, verdict.findings))
    yield WorkbookSheet(
        "Rules",
        ("code", "name", "severity", "findings", "entries", "files", "message"),
        (
            (
                *(rule.first.code, rule.first.name, rule.severities[0].value, rule.total, rule.entries),
                *(len(rule.files), rule.summary),
            )
            for rule in by_rule(verdict, Severity.INFO)
        ),
    )
    yield WorkbookSheet(
        "Files",
        ("source", "url", "kind", "entries", "bytes"),
        ((each.source, each.url, each.kind, each.entries, each.bytes) for each in verdict.documents),
    )
