"""Verdict → one line per finding, for editors and grep, and a summary line."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.visible import Palette, visible
from urlset.reports.wording import amount, hidden_line, is_capped, kept, not_checked, place, sum_line, suppressed


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    least = options.least(Severity.WARNING)
    palette = Palette(color=options.color)
    for finding in verdict.findings:
        if finding.severity.at_least(least):
            label = palette.severity(finding.severity, visible(f"{finding.severity}[{finding.code}]"))
            name = palette("bold", visible(finding.name))
            yield f"{visible(place(finding))}: {label} {name}: {visible(finding.message)}\n"
    for line in _asides(verdict, least):
        yield f"{visible(line)}\n"


def _asides(verdict: Verdict, least: Severity) -> Iterator[str]:
    if is_capped(verdict):
        at_hand = kept(verdict)
        beyond = {code: count - at_hand[code] for code, count in verdict.counts.items() if count > at_hand[code]}
        yield f"{sum(beyond.values()):,} more of {', '.join(beyond)}"
    for reason, codes in not_checked(verdict).items():
        yield f"skipped {amount(len(codes), 'rule')}: {reason}"
    for by, counts in suppressed(verdict).items():
        yield f"suppressed: {amount(sum(counts.values()), 'finding')} by {by}"
    for line in verdict.troubled:
        yield f"could not read: {line}"
    hidden = hidden_line(verdict, least)
    if hidden:
        yield hidden
    yield sum_line(verdict, least)
