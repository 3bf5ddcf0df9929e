"""DiffReport → one HTML page: totals, sections and patterns, then the URLs; needs no network and no script."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from urlset.findings.verdict import Verdict
from urlset.reports.diff_report import DiffReport
from urlset.reports.diff_text import KINDS
from urlset.reports.format import ReportOptions
from urlset.reports.html import Outcome
from urlset.reports.html_page import page

SHOWN = 1_000
"""URLs of each kind; CSV and JSON have them all"""
_GROUPS = 200


def render(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    counts = [(kind, int(getattr(report.summary, kind))) for kind in KINDS]
    summary = ", ".join(f"{count:,} {kind}" for kind, count in counts if count) or "no differences"
    return page(
        "diff.html",
        Verdict(troubled=report.troubled),
        options,
        title=f"urlset diff: {summary}",
        summary=summary,
        outcome=Outcome("failed: a limit is exceeded" if report.failures else ""),
        report=report,
        tiles=[*counts, ("unchanged", report.summary.unchanged)],
        kinds=KINDS,
        groups=[msgspec.structs.asdict(each) for each in report.groups[:_GROUPS]],
        more_groups=max(0, len(report.groups) - _GROUPS),
        lists=[(kind, count, islice(getattr(report, kind), SHOWN)) for kind, count in counts if count],
        shown=SHOWN,
    )
