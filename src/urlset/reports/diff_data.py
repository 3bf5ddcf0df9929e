"""DiffReport → data for programs and spreadsheets: JSON (schema 1), CSV, a workbook.

Written while it is read: millions of rows need no memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from urlset.reports.diff_report import DiffReport, Group
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.table import ReportTable, TableColumn, columns_of, csv_lines, summary_table, workbook
from urlset.snapshots.block import MEDIA_FIELDS
from urlset.snapshots.delta import Changed, Moved, RenamedUrl

SCHEMA = 1
_PORTION = 1_000
_encode = msgspec.json.Encoder().encode


class DiffRow(NamedTuple):
    """One URL that differs, or one of its fields."""

    what: str
    url: str
    field: str | None = None
    old: str | None = None
    new: str | None = None
    evidence: str | None = None


def render(report: DiffReport, options: ReportOptions, form: str) -> Pieces:
    table = ReportTable("Differences", tuple(map(TableColumn, DiffRow._fields)), differences(report))
    match form:
        case "csv":
            return csv_lines(table)
        case "xlsx":
            sections = ReportTable("Sections", columns_of(Group), report.groups)
            return workbook((summary_table(_summary(report)), table, sections), options)
        case _:
            return _json(report, options)


def differences(report: DiffReport) -> Iterator[DiffRow]:
    for loc in report.added:
        yield DiffRow("added", loc)
    for loc in report.removed:
        yield DiffRow("removed", loc)
    for change in report.changed:
        for name, (old, new) in change.fields.items():
            evidence = change.evidence if name == "lastmod" else None
            yield DiffRow("changed", change.loc, name, old, new, evidence)
    for move in report.moved:
        yield DiffRow("moved", move.loc, "file", move.old, move.new)
    for rename in report.renamed:
        evidence = f"{rename.evidence}: {rename.detail}" if rename.detail else rename.evidence
        yield DiffRow("renamed", rename.new, "loc", rename.old, rename.new, evidence)


def _summary(report: DiffReport) -> Iterator[tuple[str, object]]:
    yield "old", report.old.name
    yield "new", report.new.name
    yield from msgspec.structs.asdict(report.summary).items()
    yield from (("failed limit", each) for each in report.failures)


def _json(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    head = {
        "schema": SCHEMA,
        "command": "diff",
        "urlset": options.version,
        "old": report.old,
        "new": report.new,
        "summary": report.summary,
    }
    yield _encode(head).decode()[:-1]
    yield from _list("added", report.added)
    yield from _list("removed", report.removed)
    yield from _list("changed", map(_changed, report.changed))
    yield from _list("moved", map(_moved, report.moved))
    yield from _list("renamed", map(_renamed, report.renamed))
    rest = {
        "fields": report.fields,
        "groups": report.groups,
        "failures": report.failures,
        "notes": report.notes,
        "troubled": report.troubled,
    }
    yield f",\n{_encode(rest).decode()[1:]}\n"


def _list(name: str, items: Iterable[object]) -> Iterator[str]:
    """A key and its list, a portion at a time."""
    yield f',\n"{name}":['
    rows, first = iter(items), True
    while portion := list(islice(rows, _PORTION)):
        text = ",\n".join(_encode(each).decode() for each in portion)
        yield text if first else f",\n{text}"
        first = False
    yield "]"


def _changed(each: Changed) -> dict[str, object]:
    fields = {name: [_value(name, old), _value(name, new)] for name, (old, new) in each.fields.items()}
    body: dict[str, object] = {"loc": each.loc, "fields": fields}
    if each.files is not None:
        body["files"] = each.files
    if each.page is not None:
        body["page"] = each.page
    return body


def _value(name: str, text: str | None) -> object:
    """Lists are kept as JSON and need no second encoding."""
    return msgspec.Raw(text.encode()) if text is not None and name in MEDIA_FIELDS else text


def _moved(each: Moved) -> dict[str, str]:
    return {"loc": each.loc, "from": each.old, "to": each.new}


def _renamed(each: RenamedUrl) -> dict[str, str]:
    return {"from": each.old, "to": each.new, "evidence": each.evidence, "detail": each.detail}
