"""Verdict → workflow commands that become annotations in GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.format import ReportOptions
from urlset.reports.groups import FindingGroup, grouped
from urlset.reports.visible import visible
from urlset.reports.wording import not_checked, place, sum_line
from urlset.storage.paths import is_address, with_slashes

PER_TYPE = 10
"""annotations of one type per step; GitHub silently drops the others"""
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Each rule once before any rule twice, because space is limited; then the rest as text, and the summary."""
    del options
    groups = grouped(verdict)
    unread = [f"::error::{_data(f'could not read: {line}')}\n" for line in verdict.unread[:PER_TYPE]]
    yield from unread
    shown = 0
    for severity in Severity:
        room = PER_TYPE - (len(unread) if severity is Severity.ERROR else 0)
        alike = [group for group in groups if group.first.severity is severity]
        ranked = [(at, group, finding) for group in alike for at, finding in enumerate(group.findings)]
        for at, group, finding in sorted(ranked, key=lambda item: item[0])[:room]:
            shown += 1
            yield _annotation(group, finding, repeated=at > 0)
    if len(verdict.findings) > shown:
        yield f"{amount(len(verdict.findings) - shown, 'more finding')} without annotation; use --format json\n"
    for reason, codes in not_checked(verdict).items():
        yield f"skipped {amount(len(codes), 'rule')}: {visible(reason)}\n"
    yield f"{sum_line(verdict)}\n"


def _annotation(group: FindingGroup, finding: Finding, *, repeated: bool) -> str:
    properties: dict[str, str | int | None] = {}
    in_repository = finding.source not in ("", "-") and not is_address(finding.source)
    if in_repository:
        properties = {"file": with_slashes(finding.source), "line": finding.line, "endLine": finding.end_line}
        if finding.line is not None and finding.end_line in (None, finding.line):
            properties |= {"col": finding.column, "endColumn": finding.end_column}
    properties["title"] = f"{finding.code} {finding.name}"
    wording = ",".join(
        f"{name}={visible(str(value).replace('%', '%25')).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value is not None
    )
    message = finding.message if in_repository else f"{place(finding)}: {finding.message}"
    if not repeated and (group.total > finding.count or not group.exact):
        least = "" if group.exact else "at least "
        message += f"\n{least}{amount(group.total, 'time')} in this file"
    if finding.fix is not None:
        message += f"\nfix: {finding.fix.title}"
    return f"::{_COMMANDS[finding.severity]} {wording}::{_data(message)}\n"


def _data(text: str) -> str:
    lines = text.replace("%", "%25").split("\n")
    return "%0A".join(visible(line) for line in lines)
