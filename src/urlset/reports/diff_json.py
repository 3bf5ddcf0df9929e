"""DiffReport → JSON (schema 1), written while it is read: millions of rows need no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from urlset.reports.diff_report import DiffReport
from urlset.reports.format import ReportOptions
from urlset.snapshots.block import MEDIA_FIELDS
from urlset.snapshots.delta import Changed, Moved, RenamedUrl

SCHEMA = 1
_PORTION = 1_000
_encode = msgspec.json.Encoder().encode


def render(report: DiffReport, options: ReportOptions) -> Iterator[str]:
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
