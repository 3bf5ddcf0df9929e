"""DiffReport → every format of a diff: terminal output, lines like those of a patch, data, one HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from urlset.auditing.sections import first_folder
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.charts import bars
from urlset.reports.diff_report import DiffReport, Group, StateInfo
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.html import ExitSummary
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.table import ReportTable, TableColumn, TableData, columns_of, csv_lines, summary_table, workbook
from urlset.reports.visible import Palette, middle_out, visible
from urlset.reports.wording import INCOMPLETE
from urlset.snapshots.delta import Changed, Moved, RenamedUrl, Summary
from urlset.snapshots.parquet import MEDIA_FIELDS

CHANGE_KINDS = ("added", "removed", "changed", "moved", "renamed")
_INKS = {"added": "green", "removed": "red", "changed": "yellow", "moved": "blue", "renamed": "cyan"}
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">", "renamed": "-"}
_GROUPS = 12
EXAMPLES = 10
_VALUE = 60


def render(report: DiffReport, options: ReportOptions, form: str = "text") -> Pieces:
    if form == "patch":
        return _patch(report)
    if form == "html":
        return _html(report, options)
    if form in ("text", "full"):
        return (f"{line}\n" for line in _Sheet(report, options, None if form == "full" else EXAMPLES).lines())
    table = ReportTable("Differences", tuple(map(TableColumn, DiffRow._fields)), differences(report))
    if form == "csv":
        return csv_lines(table)
    if form == "json":
        return _json(report, options)
    said = [("old", report.old.name), ("new", report.new.name), *msgspec.structs.asdict(report.summary).items()]
    said += [("failed limit", each) for each in report.failures]
    sections = ReportTable("Sections", columns_of(Group), report.groups)
    return workbook((summary_table(said), table, sections), options)


class _Sheet:
    def __init__(self, report: DiffReport, options: ReportOptions, examples: int | None) -> None:
        self._report, self._examples = report, examples
        self._ink = Palette(color=options.color)
        self._width = max(40, options.width)

    def lines(self) -> Iterator[str]:
        report = self._report
        yield f"old  {_state(report.old)}"
        yield f"new  {_state(report.new)}"
        yield ""
        summary, groups = report.summary, report.groups
        unchanged = f"{summary.unchanged:,} unchanged"
        yield ", ".join([*self._counts(summary), unchanged]) if summary.differs else all_same(report)
        if report.fields:
            yield "fields: " + ", ".join(f"{name} {count:,}" for name, count in report.fields.items())
        if report.differs:
            if len(groups) > 1:
                yield from ("", self._ink("bold", "by section and pattern"))
            for group in groups[:_GROUPS] if len(groups) > 1 else ():
                yield f"  {visible(group.pattern)}  {', '.join(self._counts(group))}"
            if len(groups) > _GROUPS:
                yield f"  … and {len(groups) - _GROUPS:,} more patterns; use `--format json` to list all"
            for kind in CHANGE_KINDS:
                yield from self._examples_of(kind)
        yield from (f"note: {visible(line)}" for line in report.notes)
        yield from (f"{self._ink('red', 'could not read')}: {visible(line)}" for line in report.troubled)
        yield from (f"{self._ink('red', 'failed')}: {visible(line)}" for line in report.failures)

    def _counts(self, of: Summary | Group) -> list[str]:
        counts = ((kind, int(getattr(of, kind))) for kind in CHANGE_KINDS)
        return [self._ink(_INKS[kind], f"{count:,} {kind}") for kind, count in counts if count]

    def _examples_of(self, kind: str) -> Iterator[str]:
        total = int(getattr(self._report.summary, kind))
        if not total:
            return
        yield ""
        yield self._ink("bold", f"{kind} ({total:,})")
        for item in islice(getattr(self._report, kind), self._examples):
            sign = self._ink(_INKS[kind], _SIGNS[kind])
            for line in _item(item):
                yield f"  {sign} {line}"
                sign = " "
        if self._examples is not None and total > self._examples:
            yield f"  … and {total - self._examples:,} more; use `--format full` to list all"


def _state(info: StateInfo) -> str:
    when = f", snapshot of {info.taken[:16].replace('T', ' ')} UTC" if info.taken else ""
    files = f"{info.files:,} file{'' if info.files == 1 else 's'}"
    return f"{visible(info.name)}  ({info.urls:,} URL{'' if info.urls == 1 else 's'} in {files}{when})"


def _item(item: str | Changed | Moved | RenamedUrl) -> Iterator[str]:
    match item:
        case Changed():
            message = ", ".join(f"{name} {_short(old)} → {_short(new)}" for name, (old, new) in item.fields.items())
            yield visible(f"{item.loc}  {message}{f'  ({item.evidence})' if item.evidence else ''}")
        case Moved():
            yield visible(f"{item.loc}  {item.old} → {item.new}")
        case RenamedUrl():
            yield visible(item.old)
            detail = f": {item.detail}" if item.detail else ""
            yield visible(f"→ {item.new}  ({item.evidence}{detail})")
        case str():
            yield visible(item)


def _short(value: str | None) -> str:
    return "none" if value is None else middle_out(value, _VALUE)


def total_changes(report: DiffReport) -> str:
    counts = [(kind, int(getattr(report.summary, kind))) for kind in CHANGE_KINDS]
    return ", ".join(f"{count:,} {kind}" for kind, count in counts if count) or all_same(report)


def all_same(report: DiffReport) -> str:
    """The all-clear, as far as both sides were read."""
    if not report.summary.unchanged:
        return "nothing to compare: neither side lists a URL that was read"
    unread = f", but {INCOMPLETE}" if report.troubled else ""
    return f"no differences: {amount(report.summary.unchanged, 'URL is', 'URLs are')} the same{unread}"


def _patch(report: DiffReport) -> Iterator[str]:
    """- for the old value, + for the new one; every value on one line, with control characters escaped."""
    yield f"--- {visible(report.old.name)}\n+++ {visible(report.new.name)}\n"
    for rename in report.renamed:
        yield f"rename from {visible(rename.old)}\nrename to {visible(rename.new)}\n"
        yield f"# {rename.evidence}: {visible(rename.detail)}\n"
    for move in report.moved:
        yield f"# {visible(move.loc)} moved from {visible(move.old)} to {visible(move.new)}\n"
    for change in report.changed:
        yield f"@@ {visible(change.loc)} @@\n"
        for name, (old, new) in change.fields.items():
            yield f"-{name}: {visible(old)}\n" if old is not None else ""
            yield f"+{name}: {visible(new)}\n" if new is not None else ""
    yield from (f"-{visible(loc)}\n" for loc in report.removed)
    yield from (f"+{visible(loc)}\n" for loc in report.added)


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
    yield from _list("moved", ({"loc": it.loc, "from": it.old, "to": it.new} for it in report.moved))
    renamed = ({"from": it.old, "to": it.new, "evidence": it.evidence, "detail": it.detail} for it in report.renamed)
    yield from _list("renamed", renamed)
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


# One HTML page: totals, sections and patterns, then every different URL.

_SHAPES = {"added": "ok", "removed": "gone", "changed": "redirected", "moved": "blocked", "renamed": "failed"}
_TILES = {"added": "ok", "removed": "error", "changed": "warning"}
"""kind of change → the CSS class of its color"""

SHOWN = 500
"""URLs of each kind without scripts; the table has up to 100,000"""
_COLUMNS = (
    TableColumn("url", "URL", "url"),
    TableColumn("change", "Change", "choice", lambda row: row.what, filter="Change", shapes=_SHAPES),
    TableColumn("section", "Section", "choice", lambda row: first_folder(row.url), filter="Section"),
    TableColumn("field", "Field", "choice", lambda row: row.field or "none", filter="Field"),
    TableColumn("old", "Old"),
    TableColumn("new", "New"),
    TableColumn("evidence", "Evidence"),
)
_GROUPS_OF_A_PAGE = 200


def _html(report: DiffReport, options: ReportOptions) -> Iterator[str]:
    counts = [(kind, int(getattr(report.summary, kind))) for kind in CHANGE_KINDS]
    summary = total_changes(report)
    table = TableData(_COLUMNS, noun="difference")
    for row in differences(report):
        table.add(row, matters=row.what == "removed")
    sections: Counter[str] = Counter()
    for group in report.groups:
        sections[group.section] += group.total
    charts = (
        bars("Differences by section", sections.most_common(), filter="section", head=("section", "URLs")),
        bars("Changed fields", report.fields.items(), filter="field", head=("field", "URLs")),
    )
    return page(
        "diff.html",
        Verdict(troubled=report.troubled),
        options,
        title=f"urlset diff: {summary}",
        summary=summary,
        outcome=ExitSummary("failed: a limit is exceeded" if report.failures else ""),
        report=report,
        key_numbers=[
            *(KeyNumber(count, kind, shape=_TILES.get(kind, "")) for kind, count in counts),
            KeyNumber(report.summary.unchanged, "unchanged"),
        ],
        charts=[chart for chart in charts if chart.bars],
        table=table,
        kinds=CHANGE_KINDS,
        groups=[msgspec.structs.asdict(each) for each in report.groups[:_GROUPS_OF_A_PAGE]],
        more_groups=max(0, len(report.groups) - _GROUPS_OF_A_PAGE),
        lists=[(kind, count, islice(getattr(report, kind), SHOWN)) for kind, count in counts if count],
        shown=SHOWN,
    )
