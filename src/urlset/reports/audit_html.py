"""An audit → one HTML page: the verdict and the causes first, then every problem, charts, findings, every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from urlset.auditing.page_kinds import SURE
from urlset.findings.card import Severity
from urlset.model.visit import State
from urlset.reading.host_robots import origin_of
from urlset.reports.audit_data import PAGE_COLUMNS, PROBLEM_COLUMNS
from urlset.reports.audit_wording import (
    cause_damage,
    cause_line,
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
from urlset.reports.charts import ABLE, SHAPES, PageNumbers, engine_title, stack
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_rule
from urlset.reports.html import ExitSummary, NextStep, findings, outcome
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.markdown import markdown_text
from urlset.reports.pages import AuditReport, CauseRow, PageRow
from urlset.reports.table import TableColumn, TableData
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


def render(report: AuditReport, options: ReportOptions, form: str = "html") -> Iterator[str]:
    del form
    least = options.least(Severity.INFO)
    verdict = report.verdict
    states = stack((state.value, report.states.get(state, 0), SHAPES[state]) for state in State)
    codes = {rule.first.code for rule in by_rule(report.verdict, least)}
    pages = audit_pages(report, options)
    origin, said = origin_of(report.target) or "", outcome(verdict, options)
    if not report.finished:
        is_open = not said.text or said.tone == "passed"
        interrupted = ExitSummary("incomplete: the audit was interrupted")
        said = interrupted if is_open else said._replace(more="; the audit was interrupted")
    remedies, numbers = remedies_line(report), pages.numbers
    share = percent(numbers.indexable / max(1, report.judged))
    return page(
        "audit.html",
        verdict,
        options,
        title=f"urlset audit of {report.target}: {sum_line(verdict, least)}",
        report=report,
        listed=listed_line(report),
        origin=origin,
        site=origin.partition("://")[2] or report.target,
        outcome=said,
        key_numbers=[  # what is listed, what can be found, what is to be fixed
            KeyNumber(report.listed, "listed pages", listed_line(report).partition(" listed in ")[2]),
            KeyNumber(numbers.indexable, "indexable pages", f"{share} of {report.judged:,} checked pages", "ok"),
            KeyNumber(numbers.problems, "pages with problems", _PROBLEMS, "error" if numbers.problems else ""),
        ],
        next=NextStep(f"{remedies}; preview with", remedy_commands(report)) if remedies else NextStep(""),
        states=states.pieces,
        state_stack=states,
        meanings=_MEANINGS,
        charts=numbers.charts(),
        media=", ".join(f"{count:,} {state}" for state, count in report.media.items()),
        reasons=list(reasons(report)),
        causes=report.causes,
        others=report.others,
        unexplained=unexplained_line(report),
        problem_table=problem_table(report),
        contradictions=contradictions(report),
        kinds=kind_lines(report),
        estimates_said=estimates_line(report),
        compared=comparison(report),
        codes=codes,
        table=pages.table,
        few=pages.tables,
        sitemaps=numbers.by_sitemap(),
        engine_totals=numbers.by_engine(),
        notices=list(unseen(report)),
        verdict_documents=report.verdict.documents,
        all_states=list(State),
        **findings(report.verdict, least, frozenset(report.page_codes)),
    )


# Audited pages → all that an HTML report shows of them, in one pass: numbers, the table, tables without scripts.

BROKEN_ROWS, UNJUDGED_ROWS = 500, 200
_BROKEN = (State.GONE, State.ERROR, State.LOGIN, State.REDIRECTED, State.OK)
_UNJUDGED = (State.BLOCKED, State.UNKNOWN)
"""states in display order"""
_PROBLEMS = "missing, failing, redirected, or with an error or warning"
_NONE = "none"


class FewPages:
    """The first pages of each state and their total number, for readers without scripts."""

    def __init__(self, title: str, about: str, states: tuple[State, ...], most: int) -> None:
        self.title, self.about = title, about
        self._most = most
        self._kept: dict[State, list[PageRow]] = {state: [] for state in states}
        self.count = 0

    def take(self, row: PageRow) -> None:
        self.count += 1
        kept = self._kept[row.state]
        if len(kept) < self._most:
            kept.append(row)

    @property
    def rows(self) -> list[PageRow]:
        return [row for kept in self._kept.values() for row in kept][: self._most]


class AuditPages(NamedTuple):
    numbers: PageNumbers
    table: TableData
    tables: tuple[FewPages, ...]


def audit_pages(report: AuditReport, options: ReportOptions) -> AuditPages:
    """Reads the pages from disk, once."""
    # a page with only notes has no problem
    minded = {finding.code for finding in report.verdict.findings if finding.severity is not Severity.INFO}
    causes = (f"{number}. {cause_line(cause)}" for number, cause in enumerate((*report.causes, *report.others), 1))
    numbers = PageNumbers(options.made)
    broken = FewPages("Pages with problems", _PROBLEMS, _BROKEN, BROKEN_ROWS)
    unjudged = FewPages("Pages that could not be checked", "blocked or unknown (not broken)", _UNJUDGED, UNJUDGED_ROWS)
    table: TableData | None = None
    for row in report.pages():
        if table is None:
            table = TableData(_columns(tuple(row.indexable), tuple(causes), numbers))
        problem = row.state not in _UNJUDGED and (row.state is not State.OK or not minded.isdisjoint(row.codes))
        if problem:
            broken.take(row)
        elif row.state in _UNJUDGED and row.asked:
            unjudged.take(row)
        able = bool(row.indexable) and all(row.indexable.values())
        numbers.listed(row.source, row.state, row.lastmod, able=able, problem=problem)
        numbers.engines(row.indexable, row.reasons)
        table.add(row, matters=problem or row.state in _UNJUDGED)
    return AuditPages(numbers, table or TableData(_columns((), (), numbers)), (broken, unjudged))


def _columns(engines: tuple[str, ...], causes: tuple[str, ...], numbers: PageNumbers) -> tuple[TableColumn, ...]:
    """Those of files that people read too, in another order, among columns that only the page has."""
    same = {column.name: column for column in PAGE_COLUMNS}
    able = {"yes": "ok", "no": "gone", "unknown": "unknown"}

    def indexable(engine: str) -> TableColumn:
        title = engine_title(engine)
        return TableColumn(
            f"indexable_{engine}",
            title,
            "choice",
            lambda row: ABLE[row.indexable.get(engine)],
            filter=f"Indexable by {title}",
            shapes=able,
        )

    def choice(name: str, title: str, value: Callable[[PageRow], object], **more: Any) -> TableColumn:
        return TableColumn(name, title, "choice", value, **{"shown": False, "filter": title, **more})

    return (
        *(same["url"], same["state"]),
        choice("status", "Status", lambda row: numbers.status(row.status), shown=True, filter="Status code"),
        *map(indexable, engines),
        same["reason"],
        TableColumn("codes", "Rules", "words", lambda row: " ".join(row.codes) or _NONE, filter="Rule"),
        choice(
            "cause", "Root cause", lambda row: row.cause or _NONE, labels=causes, filter="Root cause" if causes else ""
        ),
        choice("kind", "Kind of page", _kind),
        TableColumn("fix", "Fix", value=_fix, shown=False),
        choice("section", "Section", lambda row: numbers.section(row.url)),
        choice("sitemap", "Sitemap", lambda row: row.source),
        same["lastmod"],
        choice("age", "Age of lastmod", lambda row: numbers.age(row.lastmod)),
        choice("depth", "Folder depth", lambda row: numbers.depth(row.url)),
        same["title"],
        TableColumn(
            "not_indexable_because", "Not indexable because", value=lambda row: "; ".join(row.reasons), shown=False
        ),
        *(
            same[name]
            for name in ("final_url", "canonical", "media_type", "bytes", "first_byte", "seconds", "retried", "entry")
        ),
    )


def problem_table(report: AuditReport) -> TableData:
    """The columns of files; a value that is missing gets a name to filter by."""
    columns = tuple(
        msgspec.structs.replace(column, value=lambda row, get=column.getter: get(row) or _NONE)
        if column.kind == "choice"
        else column
        for column in PROBLEM_COLUMNS
    )
    table = TableData(columns, noun="problem")
    for row in report.problems():
        table.add(row, matters=row.severity is not Severity.INFO)
    return table


def _kind(row: PageRow) -> str:
    return row.kind.kind if row.kind and row.kind.certainty >= SURE else _NONE


def _fix(row: PageRow) -> str | None:
    if row.remedy is None:
        return None
    return f"replace with {row.remedy.to}" if row.remedy.to else row.remedy.action


# One page for a client: what is listed, what deserves it, the three largest causes, the trend.

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


def client_summary(report: AuditReport) -> ClientSummary:
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
        said = {"listed": "listed pages", "ok": "pages that answer", "errors": "errors", "warnings": "warnings"}
        trend = tuple(ClientTrend(what, getattr(before, name), getattr(now, name)) for name, what in said.items())
    return ClientSummary(
        origin.partition("://")[2] or report.target,
        report.listed,
        deserving,
        (*report.causes, *report.others)[:CAUSES],
        max(0, len(report.causes) + len(report.others) - CAUSES),
        since,
        trend,
    )


def client_page(report: AuditReport, options: ReportOptions, form: str = "html") -> Iterator[str]:
    """HTML, or Markdown."""
    summary = client_summary(report)
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
