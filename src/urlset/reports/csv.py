"""Verdict → one row per finding; spreadsheets open it without executing it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.visible import visible
from urlset.writing.escaping import guarded

COLUMNS = (
    "source",
    "line",
    "column",
    "end_line",
    "end_column",
    "offset",
    "length",
    "severity",
    "code",
    "name",
    "engines",
    "count",
    "message",
    "subject",
    "fix",
    "safety",
)


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    del options
    yield row_of(COLUMNS)
    for finding in verdict.findings:
        yield row_of(values_of(finding))


def values_of(it: Finding) -> tuple[object, ...]:
    return (
        *(it.source, it.line, it.column, it.end_line, it.end_column, it.offset, it.length),
        *(it.severity, it.code, it.name, " ".join(it.engines), it.count, it.message, it.subject),
        *((it.fix.title, it.fix.safety) if it.fix else (None, None)),
    )


def row_of(values: tuple[object, ...]) -> str:
    """One line, quoted where needed, safe for spreadsheets."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(value) for value in values])
    return line.getvalue()


def table_of(rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The keys of the first row, and one line per row."""
    if rows:
        yield row_of(tuple(rows[0]))
    for row in rows:
        yield row_of(tuple(row.values()))


def _cell(value: object) -> object:
    """Text that a spreadsheet would read as a formula gets a leading apostrophe."""
    return guarded(visible(value)) if isinstance(value, str) else value
