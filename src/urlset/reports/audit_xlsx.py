"""An audit → a workbook: summary, causes, every page, findings, rules, files."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports.audit_csv import COLUMNS, values_of
from urlset.reports.audit_wording import cause_consequences, cause_places, listed_line
from urlset.reports.format import ReportOptions
from urlset.reports.pages import AuditReport
from urlset.reports.workbook import WorkbookSheet, workbook
from urlset.reports.xlsx import summary_rows, verdict_sheets

_CAUSES = (
    *("pages", "of", "kind", "title", "severity", "lost", "affected", "code", "where", "consequences", "advice"),
    *("example_url", "target_url"),
)


def render(report: AuditReport, options: ReportOptions) -> Iterator[bytes]:
    return workbook(_sheets(report, options), options)


def _sheets(report: AuditReport, options: ReportOptions) -> Iterator[WorkbookSheet]:
    yield WorkbookSheet("Summary", ("what", "value"), _summary(report, options))
    yield WorkbookSheet("Causes", _CAUSES, _causes(report))
    yield WorkbookSheet("Pages", COLUMNS, map(values_of, report.pages()))
    yield from verdict_sheets(report.verdict)


def _summary(report: AuditReport, options: ReportOptions) -> Iterator[tuple[str, object]]:
    yield from summary_rows(report.verdict, options)
    yield "coverage", listed_line(report)
    yield "pages listed", report.listed
    for state, count in report.states.items():
        yield f"pages: {state}", count
    for each in report.not_asked:
        yield f"not fetched: {each.reason}", each.count


def _causes(report: AuditReport) -> Iterator[tuple[object, ...]]:
    for cause in report.causes:
        url, target = cause.examples[0] if cause.examples else ("", "")
        yield (
            *(cause.count, cause.of, cause.kind, cause.title, cause.severity.value, cause.lost, cause.affected),
            *(cause.code, cause_places(cause), cause_consequences(cause), " ".join(cause.advice), url, target),
        )
