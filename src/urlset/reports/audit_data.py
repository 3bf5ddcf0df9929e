"""An audit → data for programs and spreadsheets: JSON, CSV with one row per page, a workbook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from urlset.auditing.speed import SectionSpeed
from urlset.findings.card import Severity
from urlset.model.visit import State
from urlset.reports import json as check_json
from urlset.reports.audit_wording import HINT, cause_consequences, cause_places, listed_line
from urlset.reports.charts import SHAPES
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.json import listed, one_line
from urlset.reports.pages import AuditReport, CauseRow, EstimateRow, FindingChanges, PageRow
from urlset.reports.sheets import summary_rows, verdict_sheets
from urlset.reports.table import ReportTable, TableColumn, columns_of, csv_lines, summary_table, workbook


def redirect_chain(row: PageRow) -> str:
    """`301 https://a → 302 https://b → 200 https://c`: every hop with its status; empty without a redirect."""
    if not row.hops:
        return ""
    end = f"{row.final_status} {row.final_url}" if row.final_status is not None else row.final_url
    return " → ".join([*(f"{hop.status} {hop.url}" for hop in row.hops), end or ""])


PAGE_COLUMNS = (
    TableColumn("url", "Page", "url"),
    TableColumn(
        "state",
        "State",
        "choice",
        value=lambda row: row.state.value,
        filter="State",
        shapes={state.value: SHAPES[state] for state in State},
    ),
    TableColumn("status"),
    TableColumn("final_url", "Final URL", "url", shown=False),
    TableColumn("hops", value=lambda row: len(row.hops)),
    TableColumn("redirects", value=redirect_chain),
    TableColumn("canonical", "Canonical", "url", shown=False),
    TableColumn("indexable", value=lambda row: _engines(row, able=True)),
    TableColumn("not_indexable", value=lambda row: _engines(row, able=False)),
    TableColumn("reasons", value=lambda row: "; ".join(row.reasons)),
    TableColumn("codes", value=lambda row: " ".join(row.codes)),
    TableColumn("remedy", value=lambda row: row.remedy.action if row.remedy else None),
    TableColumn("remedy_to", value=lambda row: row.remedy.to if row.remedy else None),
    TableColumn("reason", "Reason"),
    TableColumn("lastmod", "Last modified"),
    TableColumn("title", "Title", shown=False),
    TableColumn("media_type", "Media type", "choice", shown=False),
    TableColumn("bytes", "Bytes", "number", shown=False),
    TableColumn("first_byte", "Seconds to first byte", "number", shown=False),
    TableColumn("seconds", "Seconds", "number", shown=False),
    TableColumn("retried", "First try", shown=False),
    TableColumn("soft_404"),
    TableColumn("thin"),
    TableColumn("source"),
    TableColumn("entry", "Entry", "number", shown=False),
    TableColumn("final_status"),
)
"""in files; those with a title are also in the interactive table"""
PROBLEM_COLUMNS = (
    TableColumn("url", "Page", "url"),
    TableColumn("code", "Rule", "choice", filter="Rule"),
    TableColumn("name", "Problem", "choice", filter="Problem"),
    TableColumn(
        "severity",
        "Severity",
        "choice",
        value=lambda row: row.severity.value,
        filter="Severity",
        shapes={severity.value: severity.value for severity in Severity},
    ),
    TableColumn("cause", "Root cause", "choice", shown=False, filter="Root cause"),
    TableColumn("evidence", "Evidence"),
    TableColumn("status", "Status", "choice", filter="Status code"),
    TableColumn("final_url", "Final URL", "url", shown=False),
    TableColumn("listed_in", "Listed in", "choice", shown=False, filter="Listed in"),
    TableColumn("linked_from", "Linked from", value=lambda row: " ".join(row.linked_from), shown=False),
    TableColumn("action", "What to do"),
)
"""in files and in the interactive table alike"""
_CAUSES = (
    TableColumn("pages", value=lambda cause: cause.count),
    TableColumn("of"),
    TableColumn("kind"),
    TableColumn("title"),
    TableColumn("severity", value=lambda cause: cause.severity.value),
    TableColumn("lost"),
    TableColumn("affected"),
    TableColumn("code"),
    TableColumn("where", value=cause_places),
    TableColumn("consequences", value=cause_consequences),
    TableColumn("advice", value=lambda cause: " ".join(cause.advice)),
    TableColumn("example_url", value=lambda cause: cause.examples[0][0] if cause.examples else ""),
    TableColumn("target_url", value=lambda cause: cause.examples[0][1] if cause.examples else ""),
)


def render(report: AuditReport, options: ReportOptions, form: str) -> Pieces:
    match form:
        case "csv":
            return csv_lines(pages_table(report) if options.table == "pages" else problems_table(report))
        case "xlsx":
            causes = ReportTable("Causes", _CAUSES, (*report.causes, *report.others))
            tables = [problems_table(report), pages_table(report)]
            if options.table == "pages":
                tables.reverse()
            said = [*summary_rows(report.verdict, options), ("coverage", listed_line(report))]
            said.append(("pages listed", report.listed))
            said += [(f"pages: {state}", count) for state, count in report.states.items()]
            said += [(f"not fetched: {each.reason}", each.count) for each in report.not_asked]
            first = (summary_table(said), causes)
            tables.append(ReportTable("Speed", columns_of(SectionSpeed), report.speeds))
            return workbook((*first, *tables, *verdict_sheets(report.verdict)), options)
        case _:
            return audit_json(report, options)


_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 60
_OTHER = "other"


def cause_tables(report: AuditReport) -> Iterator[tuple[str, ReportTable]]:
    """`03-redirected-missing-trailing-slash.csv` and a table for each cause; each is read before the next."""
    causes = (*report.causes, *report.others)
    for number, rows in groupby(report.problems(), key=lambda row: row.number):
        name = _OTHER
        if number is not None and number <= len(causes):
            cause = causes[number - 1]
            words = _SLUG.sub("-", f"{cause.kind} {cause.title}".lower()).strip("-")
            name = f"{number:02}-{words[:_LONGEST_SLUG].strip('-') or _OTHER}"
        yield f"{name}.csv", ReportTable("Problems", PROBLEM_COLUMNS, rows)


def problems_table(report: AuditReport) -> ReportTable:
    return ReportTable("Problems", PROBLEM_COLUMNS, report.problems())


def pages_table(report: AuditReport) -> ReportTable:
    return ReportTable("Pages", PAGE_COLUMNS, report.pages())


def _engines(row: PageRow, *, able: bool) -> str:
    return " ".join(engine for engine, indexable in row.indexable.items() if indexable is able)


def audit_json(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    """The fields of `check`, then those of an audit; pages last because they are read from disk."""
    last: str | None = None
    checked = check_json.render(report.verdict, options)
    yield next(checked)
    yield from listed("causes", map(_cause, report.causes))
    yield from listed("other_causes", map(_cause, report.others))
    for piece in checked:
        if last is not None:
            yield last
        last = piece
    assert last is not None
    yield f"{last.rstrip()[:-1]},\n"  # the object continues
    yield f'"target": {one_line(report.target)},\n"finished": {one_line(report.finished)},\n'
    yield f'"listed": {report.listed},\n'
    yield f'"states": {one_line({state.value: count for state, count in report.states.items()})},\n'
    if report.media:
        yield f'"media": {one_line({state.value: count for state, count in report.media.items()})},\n'
    yield from listed("not_asked", map(msgspec.to_builtins, report.not_asked))
    yield f'"unexplained": {report.unexplained},\n'
    if report.changes is not None:
        yield f'"changes": {one_line(_changes(report.changes))},\n'
    yield from listed("speeds", map(msgspec.to_builtins, report.speeds))
    yield from listed("kinds", ({**msgspec.to_builtins(it), "share": round(it.share, 5)} for it in report.kinds))
    yield f'"generators": {one_line(list(report.generators))},\n'
    yield from listed("bots", map(msgspec.to_builtins, report.bots))
    yield f'"hint": {one_line(HINT)},\n'
    yield from listed("estimates", map(_estimate, report.estimates))
    yield from listed("notices", report.notices)
    yield from listed("problems", ({**it, "cause": it["number"]} for it in map(msgspec.to_builtins, report.problems())))
    yield from listed("pages", map(_page, report.pages()), last=True)


def _estimate(each: EstimateRow) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(each)
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in said.items()}


_CAUSE = (
    *("title", "kind", "code", "count", "of", "lost", "affected", "severity", "where", "sitemaps", "consequences"),
    *("advice", "examples"),
)
_PAGE = (
    *("url", "source", "entry", "state", "reason", "asked", "status", "hops", "final_url", "final_status", "canonical"),
    *("indexable", "reasons", "codes", "remedy", "lastmod", "media_type", "bytes", "first_byte", "seconds", "retried"),
    *("title", "soft_404", "thin", "unchanged", "cause", "kind"),
)
"""fields in the order of the schema"""


def _cause(cause: CauseRow) -> dict[str, Any]:
    said = msgspec.to_builtins(cause) | {
        "code": cause.code or None,
        "sitemaps": [{"source": source, "count": count} for source, count in cause.sitemaps],
        "examples": [{"url": url, "target": target or None} for url, target in cause.examples],
    }
    return {name: said[name] for name in _CAUSE}


def _changes(changes: FindingChanges) -> dict[str, Any]:
    return {
        "since": changes.since,
        "new": changes.new,
        "resolved": changes.resolved,
        "unchanged": changes.unchanged,
        "resolved_unlisted": changes.unlisted,
        "rules": [msgspec.to_builtins(each) for each in changes.rules],
    }


def _page(row: PageRow) -> dict[str, Any]:
    said = msgspec.to_builtins(row) | {"retried": row.retried or None}
    return {name: said[name] for name in _PAGE}
