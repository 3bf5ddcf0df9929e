"""An audit → one page for a client: what is listed, what deserves it, the three largest causes, the trend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from urlset.reading.host_robots import origin_of
from urlset.reports.audit_wording import cause_damage, cause_line, listed_line
from urlset.reports.format import ReportOptions
from urlset.reports.html import ExitSummary
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.markdown import markdown_text
from urlset.reports.pages import AuditReport, CauseRow
from urlset.reports.wording import percent

CAUSES = 3
_UNWORTHY = frozenset(
    {"A019", "A043", "A044", "A045", "A050", "A051", "A052", "A053", "A054", "A055", "A056", "A057", "A058"}
)
"""rules on pages that can be indexed and still do not belong into a sitemap"""


class ClientTrend(NamedTuple):
    what: str
    before: int
    now: int

    @property
    def change(self) -> str:
        difference = self.now - self.before
        return f"{difference:+,}" if difference else "no change"


class ClientSummary(NamedTuple):
    site: str
    listed: int
    deserving: int
    causes: tuple[CauseRow, ...]
    more: int
    since: str
    """the day of the audit before; empty for the first"""
    trend: tuple[ClientTrend, ...]


def summary_of(report: AuditReport) -> ClientSummary:
    deserving = sum(
        bool(row.indexable) and all(row.indexable.values()) and _UNWORTHY.isdisjoint(row.codes)
        for row in report.pages()
    )
    origin = origin_of(report.target) or ""
    since, trend = "", tuple[ClientTrend, ...]()
    if len(report.trend) > 1:
        before, now = report.trend[-2:]
        same_day = before.at[:10] == now.at[:10]  # then with the time
        since = before.at[:16].replace("T", " ") if same_day else before.at[:10]
        trend = (
            ClientTrend("listed pages", before.listed, now.listed),
            ClientTrend("pages that answer", before.ok, now.ok),
            ClientTrend("errors", before.errors, now.errors),
            ClientTrend("warnings", before.warnings, now.warnings),
        )
    return ClientSummary(
        origin.partition("://")[2] or report.target,
        report.listed,
        deserving,
        (*report.causes, *report.others)[:CAUSES],
        max(0, len(report.causes) + len(report.others) - CAUSES),
        since,
        trend,
    )


def render(report: AuditReport, options: ReportOptions, form: str = "html") -> Iterator[str]:
    summary = summary_of(report)
    if form == "markdown":
        return _markdown(report, summary)
    share = percent(summary.deserving / summary.listed) if summary.listed else "none"
    lost = sum(cause.lost for cause in (*report.causes, *report.others))
    return page(
        "summary.html",
        report.verdict,
        options,
        title=f"Sitemap summary of {summary.site}",
        summary_data=summary,
        listed=listed_line(report),
        outcome=ExitSummary(""),
        key_numbers=[
            KeyNumber(summary.listed, "listed pages", listed_line(report).partition(" listed in ")[2]),
            KeyNumber(summary.deserving, "deserve it", f"{share}: indexable, unique, and worth finding", "ok"),
            KeyNumber(lost, "lost pages", "listed, and no search engine can index them", "error" if lost else ""),
        ],
    )


def _markdown(report: AuditReport, summary: ClientSummary) -> Iterator[str]:
    yield f"# Sitemap summary of {markdown_text(summary.site)}\n\n"
    yield f"{listed_line(report)}. {summary.deserving:,} deserve it: indexable, unique, and worth finding.\n"
    if summary.causes:
        yield "\n## What to fix first\n\n"
    for number, cause in enumerate(summary.causes, 1):
        yield f"{number}. **{markdown_text(cause_line(cause))}**: {markdown_text(cause_damage(cause))}\n"
        if cause.advice:
            yield f"   - {markdown_text(cause.advice[0])}\n"
    if summary.more:
        yield f"\n{summary.more:,} further causes are in the full report.\n"
    yield "\n## Since the last audit\n\n"
    if not summary.trend:
        yield "This is the first audit.\n"
        return
    yield f"| | {summary.since} | now | change |\n|---|---|---|---|\n"
    yield from (f"| {each.what} | {each.before:,} | {each.now:,} | {each.change} |\n" for each in summary.trend)
