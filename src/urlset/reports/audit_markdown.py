"""An audit → Markdown for a pull request comment: states and causes before the findings."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.reports import markdown
from urlset.reports.format import ReportOptions
from urlset.reports.markup import code_span, markdown_text
from urlset.reports.pages import AuditReport
from urlset.reports.text_width import middle_out
from urlset.reports.wording import amount

_CAUSES = 10
_LONGEST = 120


def render(report: AuditReport, options: ReportOptions) -> Iterator[str]:
    head, *rest = markdown.render(report.verdict, options)
    yield head
    if report.seen:
        yield "\n| state | pages |\n|---|---:|\n"
        yield from (f"| {state.value} | {count:,} |\n" for state, count in report.states.items())
    for each in report.not_asked:
        yield f"\nNot fetched: {amount(each.count, 'page')}, {markdown_text(each.reason)}\n"
    if report.causes:
        yield "\n#### Root causes\n\n"
        for cause in report.causes[:_CAUSES]:
            example = f", such as {code_span(middle_out(cause.examples[0][0], _LONGEST))}" if cause.examples else ""
            title = markdown_text(middle_out(cause.title, 2 * _LONGEST))
            yield f"- {cause.count:,} of {cause.of:,} {markdown_text(cause.kind)}: {title}{example}\n"
    yield from rest
