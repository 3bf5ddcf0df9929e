"""DiffReport → one row per different URL, and per changed field."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports.csv import row_of
from urlset.reports.diff_report import DiffReport
from urlset.reports.format import ReportOptions

COLUMNS = ("what", "url", "field", "old", "new", "evidence")


def render(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    del options
    yield row_of(COLUMNS)
    yield from map(row_of, rows_of(report))


def rows_of(report: DiffReport) -> Iterator[tuple[str | None, ...]]:
    for loc in report.added:
        yield "added", loc, None, None, None, None
    for loc in report.removed:
        yield "removed", loc, None, None, None, None
    for change in report.changed:
        for name, (old, new) in change.fields.items():
            yield "changed", change.loc, name, old, new, change.evidence if name == "lastmod" else None
    for move in report.moved:
        yield "moved", move.loc, "file", move.old, move.new, None
    for rename in report.renamed:
        evidence = f"{rename.evidence}: {rename.detail}" if rename.detail else rename.evidence
        yield "renamed", rename.new, "loc", rename.old, rename.new, evidence
