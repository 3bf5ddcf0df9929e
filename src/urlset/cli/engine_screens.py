"""What search engines report → lines of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset.cli.terminal import printable
from urlset.model.shown import amount

if TYPE_CHECKING:
    from urlset.findings.verdict import Verdict
    from urlset.workflows.engines_index import IndexedShare, IndexReport
    from urlset.workflows.engines_status import SitemapStatus, StatusReport


def status_lines(report: StatusReport) -> list[str]:
    lines = [_status_line(row) for row in report.sitemaps]
    lines += [printable(f"note: {note}") for note in report.notes]
    lines += [printable(f"not requested: {line}") for line in report.unreachable]
    return lines + _no_findings(report.verdict, amount(len(report.sitemaps), "sitemap"), len(report.sitemaps))


def _no_findings(verdict: Verdict, scope: str, looked: int) -> list[str]:
    """An all-clear only for what was looked at."""
    if verdict.findings:
        return []
    return [f"no findings on {scope}" if looked else f"nothing was compared: {scope}"]


def _status_line(row: SitemapStatus) -> str:
    if not row.known:
        listed = "" if row.our_count is None else f"  (the site lists {row.our_count:,})"
        return printable(f"{row.engine:8}{row.url}  not known{listed}")
    read = f"read {row.last_read[:10]}" if row.last_read else "never read"
    said = [read, "pending" if row.pending else "", f"submitted {row.submitted[:10]}" if row.submitted else ""]
    said += [f"{row.errors} errors" if row.errors else "", f"{row.warnings} warnings" if row.warnings else ""]
    if row.their_count is not None or row.our_count is not None:
        said.append(f"counts {_count(row.their_count)}, the site lists {_count(row.our_count)}")
    return printable(f"{row.engine:8}{row.url}  {'  '.join(filter(None, said))}")


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def index_lines(report: IndexReport) -> list[str]:
    lines = [line for each in (*report.sections, report.total) for line in _section(each)]
    lines.append(f"inspected {report.inspected:,} of the sample, {report.left:,} left")
    if any(each.band for each in report.sections):
        lines.append("healthy, mixed and poor (90 % and 60 %) are a practitioners' rule of thumb, not Google's")
    for name, reasons in report.reasons.items():
        lines += [printable(f"  {name}: {count:,} {reason}{_advice(reason)}") for reason, count in reasons.items()]
    lines += [f"{each.engine}: {each.indexed:,} pages indexed ({each.source})" for each in report.counts]
    lines += [printable(f"note: {note}") for note in report.notes]
    lines += [printable(f"used: {line}") for line in report.used]
    lines += [printable(f"not used: {line}") for line in report.unused]
    lines += [printable(f"stopped: {report.stopped}")] if report.stopped else []
    return lines + _no_findings(report.verdict, amount(report.inspected, "inspected URL"), report.inspected)


def _advice(label: str) -> str:
    from urlset.spec.index_reasons import reason_of

    reason = reason_of(label)
    return f": {reason.advice.value}" if reason is not None else ""


def _section(each: IndexedShare) -> list[str]:
    share = f"{each.low:.1%} to {each.high:.1%}" if each.share is None else f"{each.share:.1%}"
    share = f"{share} indexed" if each.share is not None or each.source != "unknown" else "unknown"
    interval = f" ({each.low:.1%} to {each.high:.1%})" if each.low != each.high and each.share is not None else ""
    band = f"  {each.band}" if each.band else ""
    looked = f", {each.inspected:,} inspected" if each.inspected else ""
    line = f"{each.name}  {share}{interval}  of {amount(each.urls, 'URL')}{looked}{band}  [{each.source}]"
    return [printable(line), *([printable(f"  narrower: {each.needs}")] if each.needs else [])]
