"""HistoryReport → one HTML page: a chart of the URL count, tables of snapshots and dates, findings."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.charts import line
from urlset.reports.format import ReportOptions
from urlset.reports.history import SIGHTING, evidence_text, point_columns, share_text, target_columns
from urlset.reports.history_report import HistoryReport
from urlset.reports.html import ExitSummary, findings
from urlset.reports.html_page import page
from urlset.reports.table import ReportTable, TableColumn

_DATES = (
    TableColumn("source", "sitemap", "url"),
    TableColumn("moves", "date moves with a content change", value=lambda each: share_text(each.moves_with_change)),
    TableColumn("changes", "content changes with a date move", value=lambda each: share_text(each.changes_with_move)),
    TableColumn("score", "score", value=lambda each: share_text(each.score)),
    TableColumn("evidence", "changed with the date", value=evidence_text),
    TableColumn("example", "example", "url", lambda each: each.examples[0].url if each.examples else ""),
)


def render(report: HistoryReport, options: ReportOptions, form: str = "html") -> Iterator[str]:
    del form
    site = report.site
    verdict = site.verdict if site is not None else Verdict()
    title, tables = _content(report)
    return page(
        "history.html",
        verdict,
        options,
        title=f"urlset history: {title}",
        summary=title,
        outcome=ExitSummary(""),
        chart=None if site is None else line([(point.taken[:16], point.urls) for point in site.points], noun="URLs"),
        table=None,
        tables=tables,
        notes=() if site is None else site.notes,
        **findings(verdict, Severity.INFO),
    )


def _content(report: HistoryReport) -> tuple[str, list[ReportTable]]:
    if report.site is not None:
        known = [each for each in report.site.honesty if each.score.share is not None]
        dates = [ReportTable("Can lastmod be believed?", _DATES, known)] if known else []
        return report.site.target, [ReportTable("Snapshots", point_columns(), report.site.points), *dates]
    if report.urls:
        named = [ReportTable(f"In the snapshots of {each.target}", SIGHTING, each.sightings) for each in report.urls]
        return report.urls[0].url, named
    return f"{len(report.targets):,} targets", [ReportTable("Targets", target_columns(), report.targets)]
