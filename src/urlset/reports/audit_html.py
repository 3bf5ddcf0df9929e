"""An audit → one HTML page: the verdict, charts and causes first, then findings by rule, then every page."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.visit import State
from urlset.reading.host_robots import origin_of
from urlset.reports.audit_pages import AuditPages, audit_pages
from urlset.reports.audit_wording import (
    comparison,
    contradictions,
    estimates_line,
    kind_lines,
    listed_line,
    reasons,
    remedies_line,
    remedy_commands,
    unexplained_line,
    unseen,
)
from urlset.reports.charts import stack
from urlset.reports.format import ReportOptions
from urlset.reports.html import ExitSummary, NextStep, findings, outcome
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.page_numbers import SHAPES
from urlset.reports.pages import AuditReport
from urlset.reports.rule_findings import by_rule
from urlset.reports.wording import percent, sum_line

_MEANINGS = {
    State.OK: "returned a page at the listed URL",
    State.REDIRECTED: "returned a page at another URL",
    State.GONE: "does not exist",
    State.ERROR: "server error or network failure",
    State.LOGIN: "only visible with an account, so it cannot be indexed",
    State.BLOCKED: "blocked the audit; says nothing about the page",
    State.UNKNOWN: "not fetched, or the result is unclear",
}


class StateRow(msgspec.Struct, frozen=True):
    state: State
    shape: str
    count: int
    share: str
    meaning: str


def render(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    least = options.least(Severity.INFO)
    verdict = report.verdict
    counts = {state: report.states.get(state, 0) for state in State if report.states.get(state, 0)}
    codes = {rule.first.code for rule in by_rule(report.verdict, least)}
    pages = audit_pages(report, options)
    origin = origin_of(report.target) or ""
    return page(
        "audit.html",
        verdict,
        options,
        title=f"urlset audit of {report.target}: {sum_line(verdict, least)}",
        report=report,
        listed=listed_line(report),
        origin=origin,
        site=origin.partition("://")[2] or report.target,
        outcome=_outcome(report, verdict, options),
        key_numbers=_key_numbers(report, pages),
        next=NextStep(f"{said}; preview with", remedy_commands(report))
        if (said := remedies_line(report))
        else NextStep(""),
        states=_states(report, counts) if report.seen else (),
        state_stack=stack((state.value, count, SHAPES[state]) for state, count in counts.items()),
        charts=pages.numbers.charts(),
        media=", ".join(f"{count:,} {state}" for state, count in report.media.items()),
        reasons=list(reasons(report)),
        causes=report.causes,
        unexplained=unexplained_line(report),
        contradictions=contradictions(report),
        kinds=kind_lines(report),
        estimates_said=estimates_line(report),
        compared=comparison(report),
        codes=codes,
        table=pages.table,
        few=pages.tables,
        sitemaps=pages.numbers.by_sitemap(),
        engine_totals=pages.numbers.by_engine(),
        notices=list(unseen(report)),
        verdict_documents=report.verdict.documents,
        all_states=list(State),
        **findings(report.verdict, least, frozenset(report.page_codes)),
    )


def _key_numbers(report: AuditReport, pages: AuditPages) -> list[KeyNumber]:
    """The three numbers that matter: what is listed, what can be found, what is to be fixed."""
    numbers, judged = pages.numbers, max(1, report.judged)
    return [
        KeyNumber(report.listed, "listed pages", listed_line(report).partition(" listed in ")[2]),
        KeyNumber(
            numbers.indexable,
            "indexable pages",
            f"{percent(numbers.indexable / judged)} of {report.judged:,} checked pages",
            "ok",
        ),
        KeyNumber(
            numbers.problems,
            "pages with problems",
            "missing, failing, redirected, or with an error or warning",
            "error" if numbers.problems else "",
        ),
    ]


def _outcome(report: AuditReport, verdict: Verdict, options: ReportOptions) -> ExitSummary:
    said = outcome(verdict, options)
    if report.finished:
        return said
    if not said.text or said.tone == "passed":
        return ExitSummary("incomplete: the audit was interrupted")
    return said._replace(more="; the audit was interrupted")


def _states(report: AuditReport, counts: dict[State, int]) -> list[StateRow]:
    return [
        StateRow(state, SHAPES[state], count, percent(count / report.seen), _MEANINGS[state])
        for state, count in counts.items()
    ]
