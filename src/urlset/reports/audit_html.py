"""An audit → one HTML page: states and causes first, then findings by rule, then the pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reports.audit_page_tables import page_tables
from urlset.reports.audit_wording import (
    bot_lines,
    comparison,
    estimates_line,
    hint,
    listed_line,
    percent,
    reasons,
    remedies_line,
    remedy_commands,
    summed,
    unexplained_line,
    unseen,
)
from urlset.reports.format import ReportOptions
from urlset.reports.html import NextStep, Outcome, findings, outcome
from urlset.reports.html_page import page
from urlset.reports.pages import AuditReport
from urlset.reports.rule_findings import by_rule
from urlset.reports.wording import sum_line

_SHAPES = {
    State.OK: "ok",
    State.REDIRECTED: "redirected",
    State.GONE: "gone",
    State.ERROR: "failed",
    State.LOGIN: "login",
    State.BLOCKED: "blocked",
    State.UNKNOWN: "unknown",
}
"""state → the CSS class with its color; `error` is the class of a severity"""
_MEANINGS = {
    State.OK: "returned a page at the listed URL",
    State.REDIRECTED: "returned a page at another URL",
    State.GONE: "does not exist",
    State.ERROR: "server error or network failure",
    State.LOGIN: "only visible with an account, so it cannot be indexed",
    State.BLOCKED: "blocked the audit; says nothing about the page",
    State.UNKNOWN: "not fetched, or the result is unclear",
}
_THINNEST = 0.8
"""percent of the bar, to keep a single page of a million visible"""


class StateRow(msgspec.Struct, frozen=True):
    state: State
    shape: str
    count: int
    share: str
    meaning: str


class BarPiece(NamedTuple):
    shape: str
    x: str
    width: str


class Bar(NamedTuple):
    label: str
    pieces: tuple[BarPiece, ...]


class Estimates(NamedTuple):
    said: str


def render(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    """Tables of pages come last because they are read from disk."""
    least = options.least(Severity.INFO)
    verdict = summed(report)
    counts = {state: report.states.get(state, 0) for state in State if report.states.get(state, 0)}
    codes = {rule.first.code for rule in by_rule(report.verdict, least)}
    return page(
        "audit.html",
        verdict,
        options,
        title=f"urlset audit of {report.target}: {sum_line(verdict, least)}",
        report=report,
        listed=listed_line(report),
        outcome=_outcome(report, verdict, options),
        next=NextStep(f"{said}; preview with", remedy_commands(report))
        if (said := remedies_line(report))
        else NextStep(""),
        states=_states(report, counts) if report.seen else (),
        bar=_bar(counts),
        media=", ".join(f"{count:,} {state}" for state, count in report.media.items()),
        reasons=list(reasons(report)),
        causes=report.causes,
        unexplained=unexplained_line(report),
        bots=bot_lines(report),
        hint=hint(report),
        estimates=Estimates(estimates_line(report)),
        compared=comparison(report),
        codes=codes,
        tables=page_tables(report),
        notices=list(unseen(report)),
        verdict_documents=report.verdict.documents,
        **findings(report.verdict, least, frozenset(report.page_codes)),
    )


def _outcome(report: AuditReport, verdict: Verdict, options: ReportOptions) -> Outcome:
    if report.seen and not report.judged and not verdict.at_or_above(options.fail_on):
        return Outcome("incomplete: no page could be checked")
    said = outcome(verdict, options)
    if report.finished:
        return said
    if not said.text:
        return Outcome("the audit was interrupted")
    return said._replace(more="; the audit was interrupted")


def _states(report: AuditReport, counts: dict[State, int]) -> list[StateRow]:
    return [
        StateRow(state, _SHAPES[state], count, percent(count / report.seen), _MEANINGS[state])
        for state, count in counts.items()
    ]


def _bar(counts: dict[State, int]) -> Bar:
    total = sum(counts.values())
    widths = {state: max(_THINNEST, 100 * count / total) for state, count in counts.items()}
    scale = 100 / sum(widths.values()) if widths else 1.0
    gap = 0.2 if len(widths) > 1 else 0.0
    pieces, left = [], 0.0
    for state, width in widths.items():
        pieces.append(BarPiece(_SHAPES[state], f"{left:.2f}", f"{width * scale - gap:.2f}"))
        left += width * scale
    return Bar(", ".join(f"{count:,} {state}" for state, count in counts.items()), tuple(pieces))
