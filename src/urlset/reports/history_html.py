"""HistoryReport → one HTML page: a chart of the URL count, tables of snapshots and dates, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.charts import line
from urlset.reports.format import ReportOptions
from urlset.reports.history_report import HistoryReport, SiteHistory
from urlset.reports.history_text import SIGHTING, evidence_text, point_cells, share_text, sighting_cells
from urlset.reports.html import ExitSummary, findings
from urlset.reports.html_page import page
from urlset.snapshots.honesty import Honesty

_POINT = ("snapshot (UTC)", "URLs", "added", "removed", "changed", "dates moved", "findings", "indexed")
_DATES = (
    "sitemap",
    "date moves with a content change",
    "content changes with a date move",
    "score",
    "changed with the date",
    "example",
)
Table = tuple[str, Sequence[str], list[tuple[str, ...]]]


def render(report: HistoryReport, options: ReportOptions) -> Iterator[str]:
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


def _content(report: HistoryReport) -> tuple[str, list[Table]]:
    if report.site is not None:
        return report.site.target, list(_site(report.site))
    if report.urls:
        tables = [
            (f"In the snapshots of {each.target}", SIGHTING, list(map(sighting_cells, each.sightings)))
            for each in report.urls
        ]
        return report.urls[0].url, list(tables)
    rows: list[tuple[str, ...]] = [
        (each.target, f"{each.snapshots:,}", each.first, each.last) for each in report.targets
    ]
    return f"{len(rows):,} targets", [("Targets", ("target", "snapshots", "first", "last"), rows)]


def _site(site: SiteHistory) -> Iterator[Table]:
    yield "Snapshots", _POINT, [point_cells(point, audited=True, inspected=True) for point in site.points]
    known = [each for each in site.honesty if each.score.share is not None]
    if known:
        yield "Can lastmod be believed?", _DATES, list(map(_dates, known))


def _dates(each: Honesty) -> tuple[str, ...]:
    shown = each.examples[0].url if each.examples else ""
    shares = map(share_text, (each.moves_with_change, each.changes_with_move, each.score))
    return (each.source, *shares, evidence_text(each), shown)
