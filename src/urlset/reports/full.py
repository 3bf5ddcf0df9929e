"""Verdict → the terminal's text with every finding at hand, every reason in full and every source."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.layout import TextLayout


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    page = TextLayout(options, places=None)
    return (f"{line}\n" for line in page.render(verdict, options.least(Severity.INFO)))
