"""An audit → one HTML page: states and causes first, then findings by rule, then the pages."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.audit_html_pages import page_tables
from urlset.reports.audit_html_states import states
from urlset.reports.audit_wording import (
    cause_line,
    comparison,
    estimates_line,
    interval,
    listed_line,
    pages_of,
    reasons,
    remedies_line,
    remedy_commands,
    summed,
    telling_causes,
    unseen,
)
from urlset.reports.format import ReportOptions
from urlset.reports.html import findings
from urlset.reports.html_asides import asides, documents, section
from urlset.reports.html_frame import closing, described, engines, header, next_step, opening, outcome
from urlset.reports.html_rules import by_rule
from urlset.reports.html_text import Html, joined, lines, tag
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow
from urlset.reports.wording import sum_line

_EXAMPLES = 5


def render(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    """Pages come last because they are read from disk."""
    least = options.least(Severity.INFO)
    verdict = summed(report)
    yield opening(f"urlset audit of {report.target}: {sum_line(verdict, least)}", options)
    about = tag("p", tag("code", report.target), joined(": ", listed_line(report)))
    yield f"{header(verdict, options, least, _outcome(report, verdict, options), about)}\n<main>\n"
    yield from _next(report)
    yield from states(report)
    yield from _reasons(report)
    causes = telling_causes(report)
    yield from section("Root causes", map(_cause, causes), len(causes))
    yield from _estimates(report)
    compared = comparison(report)
    yield from section("Sitemap compared with crawl", (tag("li", line) for line in compared), len(compared))
    rules = by_rule(report.verdict, least)
    yield from findings(rules, report.page_codes)
    yield from page_tables(report, {rule.first.code for rule in rules})
    left = list(unseen(report))
    yield from section("Notices", (tag("li", line) for line in left), len(left))
    yield from asides(report.verdict)
    looked_at = lines(described((("engines", engines(options)),)), documents(report.verdict.documents))
    yield f"{tag('section', lines(tag('h2', 'What was checked'), looked_at))}\n"
    yield closing(options)


def _outcome(report: AuditReport, verdict: Verdict, options: ReportOptions) -> str:
    if report.seen and not report.judged and not verdict.at_or_above(options.fail_on):
        return "incomplete: no page could be checked"
    said = outcome(verdict, options)
    if report.finished:
        return said
    return joined(said, "; " if said else "", "the audit was interrupted")


def _next(report: AuditReport) -> Iterator[str]:
    said = remedies_line(report)
    if said:
        yield f"{next_step(f'{said}; preview with', *remedy_commands(report))}\n"


def _reasons(report: AuditReport) -> Iterator[str]:
    """Blocked is not broken: pages that could not be checked are separate, with reasons."""
    reported = list(reasons(report))
    items = (
        tag("li", f"{count:,} {state}: {reason}", tag("p", hint, class_="muted") if hint else "")
        for state, reason, count, hint in reported
    )
    yield from section("Blocked or unknown (not broken)", items, len(reported))


def _cause(cause: CauseRow) -> Html:
    examples = [
        tag("li", tag("code", url), joined(" → ", tag("code", target)) if target else "")
        for url, target in cause.examples[:_EXAMPLES]
    ]
    return tag("li", cause_line(cause), tag("ul", *examples) if examples else "")


def _estimates(report: AuditReport) -> Iterator[str]:
    said = estimates_line(report)
    if not said:
        return
    heading = tag("h2", "Estimates for all pages")
    if not report.estimates:
        yield f"{tag('section', lines(heading, tag('p', said)))}\n"
        return
    head = tag(
        "tr",
        tag("th", "finding", scope="col"),
        tag("th", "in the sample", scope="col", class_="number"),
        tag("th", "share (95% interval)", scope="col"),
        tag("th", "of all pages", scope="col"),
    )
    rows = lines("", *map(_estimate, report.estimates))
    table = tag("table", lines(tag("caption", said), tag("thead", head), tag("tbody", rows)))
    yield f"{tag('section', lines(heading, table))}\n"


def _estimate(each: EstimateRow) -> Html:
    return tag(
        "tr",
        tag("th", each.what, scope="row"),
        tag("td", f"{each.found:,}", class_="number"),
        tag("td", interval(each)),
        tag("td", pages_of(each)),
    )
