"""Verdict → JSON of schema 1 (schema/check-1.json), one finding per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.visible import json_safe, whole

SCHEMA = 1
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Fields in schema order; hidden characters as \\u escapes."""
    head = {"schema": SCHEMA, "urlset": options.version, "command": options.command}
    yield f"{one_line(head)[:-1]},\n"
    yield from listed("documents", map(msgspec.structs.asdict, verdict.documents))
    findings = map(msgspec.to_builtins, verdict.findings)
    yield from listed("findings", ({name: it[name] for name in _FINDING} for it in findings))
    yield f'"counts": {one_line(verdict.concerned)},\n'
    skipped = map(msgspec.structs.asdict, verdict.not_checked)
    yield from listed("not_checked", ({name: it[name] for name in it if it[name] is not None} for it in skipped))
    yield from listed("suppressed", map(msgspec.structs.asdict, verdict.suppressed))
    yield from listed("troubled", verdict.troubled)
    yield from listed("empty", verdict.empty)
    summary = {
        **{severity.value: verdict.severity_counts.get(severity, 0) for severity in Severity},
        "documents": len(verdict.documents),
        "entries": verdict.entries,
        "fixable": verdict.fixable,
    }
    yield f'"summary": {one_line(summary)}}}\n'


def one_line(value: Any) -> str:
    """Any JSON value, safe to print and to write as UTF-8."""
    encoded = _encoded(value)
    if encoded.isascii() and encoded.isprintable():  # the common case: nothing hidden, no lone surrogate
        return encoded
    return json_safe(_encoded(_written(value)))


def _written(value: Any) -> Any:
    match value:
        case str():
            return whole(value)
        case dict():
            return {whole(name): _written(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_written(inner) for inner in value]
        case _:
            return value


def listed(name: str, values: Iterable[Any], *, last: bool = False) -> Iterator[str]:
    """A field of the object with one value per line; `last` ends the object."""
    opening, separator = f'"{name}": [', "\n"
    for value in values:
        yield f"{opening}{separator}{one_line(value)}"
        opening, separator = "", ",\n"
    end = "]}\n" if last else "],\n"
    yield f"\n{end}" if not opening else f"{opening}{end}"


_FINDING = (
    *("code", "name", "severity", "engines", "message", "source", "line", "column", "end_line", "end_column"),
    *("offset", "length", "subject", "count", "places", "fix", "excerpt"),
)
