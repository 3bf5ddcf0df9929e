"""Engine reports, as rows and findings → an HTML page, or CSV rows for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.csv import row_of
from urlset.reports.format import ReportOptions
from urlset.reports.html import findings
from urlset.reports.html_asides import asides
from urlset.reports.html_frame import closing, header, opening, outcome
from urlset.reports.html_rules import by_rule
from urlset.reports.html_text import Html, lines, tag
from urlset.reports.wording import sum_line

Row = Mapping[str, object]


def html(
    title: str, rows: Sequence[Row], notes: Sequence[str], verdict: Verdict, options: ReportOptions
) -> Iterator[str]:
    """One page: the table, then the findings."""
    yield opening(f"urlset {options.command}: {sum_line(verdict, Severity.INFO)}", options)
    yield f"{header(verdict, options, Severity.INFO, outcome(verdict, options))}\n<main>\n"
    yield f"{tag('section', lines(tag('h2', title), _table(rows), *(tag('p', note) for note in notes)))}\n"
    yield from findings(by_rule(verdict, Severity.INFO))
    yield from asides(verdict)
    yield closing(options)


def _table(rows: Sequence[Row]) -> Html:
    if not rows:
        return tag("p", "Nothing to show.")
    head = tag("tr", *(tag("th", _title(name)) for name in rows[0]))
    body = (tag("tr", *(tag("td", _cell(value)) for value in row.values())) for row in rows)
    return tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="wide")


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.1%}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def csv(rows: Sequence[Row]) -> Iterator[str]:
    """A header and one line per row."""
    if rows:
        yield row_of(tuple(rows[0]))
    for row in rows:
        yield row_of(tuple(row.values()))
