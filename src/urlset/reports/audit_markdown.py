"""An audit → Markdown for a pull request comment: states and causes before the findings."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports import markdown
from urlset.reports.audit_wording import bot_lines, cause_damage, cause_line, change_lines, hint, unexplained_line
from urlset.reports.format import ReportOptions
from urlset.reports.markdown import code_span, markdown_text
from urlset.reports.pages import AuditReport
from urlset.reports.table import ReportTable, TableColumn
from urlset.reports.visible import middle_out
from urlset.reports.wording import amount

_LONGEST = 120
_STATES = (
    TableColumn("state", "state", value=lambda item: item[0].value),
    TableColumn("pages", "pages", "number", lambda item: item[1]),
)


def render(report: AuditReport, options: ReportOptions, form: str = "markdown") -> Iterator[str]:
    del form
    head, *rest = markdown.render(report.verdict, options)
    yield head
    if report.seen:
        yield f"\n{markdown.table_lines(ReportTable('States', _STATES, report.states.items()))}"
    for each in report.not_asked:
        yield f"\nNot fetched: {amount(each.count, 'page')}, {markdown_text(each.reason)}\n"
    if lines := change_lines(report):
        yield "\n#### Findings since the last audit\n\n"
        yield from (f"- {markdown_text(line)}\n" for line in lines)
    if report.causes:
        yield "\n#### Root causes\n\n"
        for cause in report.causes:
            example = f", such as {code_span(middle_out(cause.examples[0][0], _LONGEST))}" if cause.examples else ""
            said = markdown_text(middle_out(cause_line(cause), 2 * _LONGEST))
            yield f"1. {said}; {markdown_text(cause_damage(cause))}{example}\n"
            yield from (f"   - {markdown_text(each)}\n" for each in cause.advice)
        if said := unexplained_line(report):
            yield f"\n{said}\n"
    if any(each.closed for each in report.bots):
        yield "\n#### Crawlers that robots.txt allows\n\n"
        yield from (f"- {markdown_text(line)}\n" for line in bot_lines(report))
    yield from rest
    yield from (f"\n{line}\n" for line in hint(report))
