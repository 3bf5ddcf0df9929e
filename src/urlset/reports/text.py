"""Verdict → terminal output: each rule once per document, with its count and the first places."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.layout import TextLayout

PLACES = 3
"""shown for each rule in each document"""


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    page = TextLayout(options, places=PLACES)
    return (f"{line}\n" for line in page.render(verdict, options.least(Severity.WARNING)))
