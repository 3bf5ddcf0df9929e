"""Verdict → JSON of schema 1 (schema/check-1.json), one finding per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from urlset.findings.card import Severity
from urlset.findings.finding import Finding, Spot
from urlset.findings.verdict import Checked, Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.visible import json_safe, whole

SCHEMA = 1
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Fields in schema order; hidden characters as \\u escapes."""
    head = {"schema": SCHEMA, "urlset": options.version, "command": options.command}
    yield f"{one_line(head)[:-1]},\n"
    yield from _listed("documents", map(_document, verdict.documents))
    yield from _listed("findings", map(_finding, verdict.findings))
    yield f'"counts": {one_line(verdict.concerned)},\n'
    yield from _listed(
        "not_checked", ({"code": it.code, "reason": it.reason} | _of(it.source) for it in verdict.not_checked)
    )
    yield from _listed(
        "suppressed",
        ({"code": it.code, "source": it.source, "count": it.count, "by": it.by} for it in verdict.suppressed),
    )
    yield from _listed("troubled", verdict.troubled)
    yield from _listed("empty", verdict.empty)
    yield f'"summary": {one_line(_summary(verdict))}}}\n'


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


def _listed(name: str, values: Iterable[Any]) -> Iterator[str]:
    opening = f'"{name}": ['
    separator = "\n"
    for value in values:
        yield f"{opening}{separator}{one_line(value)}"
        opening, separator = "", ",\n"
    yield "\n],\n" if not opening else f"{opening}],\n"


def _document(checked: Checked) -> dict[str, Any]:
    return {
        "source": checked.source,
        "url": checked.url,
        "kind": checked.kind,
        "bytes": checked.bytes,
        "entries": checked.entries,
        "sha256": checked.sha256,
    }


def _finding(it: Finding) -> dict[str, Any]:
    return {
        "code": it.code,
        "name": it.name,
        "severity": it.severity,
        "engines": list(it.engines),
        "message": it.message,
        "source": it.source,
        "line": it.line,
        "column": it.column,
        "end_line": it.end_line,
        "end_column": it.end_column,
        "offset": it.offset,
        "length": it.length,
        "subject": it.subject,
        "count": it.count,
        "places": [_spot(each) for each in it.places],
        "fix": {"title": it.fix.title, "safety": it.fix.safety} if it.fix else None,
        "excerpt": _excerpt(it),
    }


def _spot(it: Spot) -> dict[str, Any]:
    return {"line": it.line, "offset": it.offset, "length": it.length, "subject": it.subject}


def _excerpt(it: Finding) -> dict[str, Any] | None:
    if it.excerpt is None:
        return None
    cut = it.excerpt
    return {
        "text": cut.text,
        "start": cut.start,
        "length": cut.length,
        "cut_left": cut.cut_left,
        "cut_right": cut.cut_right,
    }


def _of(source: str | None) -> dict[str, str]:
    return {} if source is None else {"source": source}


def _summary(verdict: Verdict) -> dict[str, int]:
    return {
        **{severity.value: verdict.severity_counts.get(severity, 0) for severity in Severity},
        "documents": len(verdict.documents),
        "entries": verdict.entries,
        "fixable": verdict.fixable,
    }
