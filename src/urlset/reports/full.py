"""Verdict → terminal output with all findings in memory, full rationales, and all sources."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.text import TextLayout


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    page = TextLayout(options, places=None)
    return (f"{line}\n" for line in page.render(verdict, options.least(Severity.INFO)))
