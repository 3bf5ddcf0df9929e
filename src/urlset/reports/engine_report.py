"""Engine reports, as rows and findings → an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.html import findings, outcome
from urlset.reports.html_page import page

Row = Mapping[str, object]


def html(
    title: str, rows: Sequence[Row], notes: Sequence[str], verdict: Verdict, options: ReportOptions
) -> Iterator[str]:
    """One page: the table, then the findings."""
    return page(
        "engines.html",
        verdict,
        options,
        outcome=outcome(verdict, options),
        table=None,
        heading=title,
        rows=rows,
        notes=notes,
        **findings(verdict, Severity.INFO),
    )
