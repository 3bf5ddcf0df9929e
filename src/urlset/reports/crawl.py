"""A crawl → files that a later build can read, and one HTML page: whether it is complete, and every URL."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec

from urlset.auditing.sections import first_folder
from urlset.crawling.loop import Completeness
from urlset.findings.verdict import Verdict
from urlset.model.frames import library
from urlset.model.shown import amount
from urlset.model.visit import CrawlRow, State
from urlset.reports.charts import ABLE, SHAPES, PageNumbers, bars, stack, status_chart
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.html import ExitSummary
from urlset.reports.html_page import KeyNumber, page
from urlset.reports.table import Kind, ReportTable, TableColumn, TableData, csv_lines, workbook
from urlset.reports.wording import percent

PLAIN_ROWS = 500
"""shown without scripts"""
_PROBLEMS = frozenset({State.GONE.value, State.ERROR.value, State.REDIRECTED.value})


class TrapRow(msgspec.Struct, frozen=True):
    """URLs that look endless."""

    kind: str
    place: str
    reason: str
    addresses: int
    example: str


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the report says of the crawl as a whole."""

    home: str
    visited: int
    states: dict[str, int]
    depths: dict[int, int]
    not_asked: dict[str, int]
    only_in_sitemaps: int
    traps: tuple[TrapRow, ...]
    completeness: Completeness
    notices: tuple[str, ...]


def _columns(numbers: PageNumbers) -> tuple[TableColumn, ...]:
    able = {"yes": "ok", "no": "gone", "unknown": "unknown"}

    def choice(name: str, title: str, value: Callable[[CrawlRow], object] | None = None, **more: Any) -> TableColumn:
        return TableColumn(name, title, "choice", value, **{"filter": title, **more})

    def hidden(
        name: str, title: str, kind: Kind = "text", value: Callable[[CrawlRow], object] | None = None
    ) -> TableColumn:
        return TableColumn(name, title, kind, value, shown=False)

    return (
        TableColumn("url", "URL", "url"),
        choice("state", "State", shapes={state.value: SHAPES[state] for state in State}),
        choice(
            "status",
            "Status",
            lambda row: numbers.status(row.status) if row.was_asked else "not requested",
            filter="Status code",
        ),
        choice("indexable", "Indexable", lambda row: ABLE[row.indexable] if row.was_asked else "unknown", shapes=able),
        TableColumn("reason", "Reason"),
        choice(
            "depth", "Clicks", lambda row: row.depth if row.depth >= 0 else "unknown", filter="Clicks from the start"
        ),
        choice(
            "section",
            "Section",
            lambda row: numbers.section(row.url) if row.was_asked else first_folder(row.url),
            shown=False,
        ),
        TableColumn("found_on", "Found on", "url"),
        choice("via", "Found by", shown=False),
        TableColumn("title", "Title"),
        hidden("redirects_to", "Redirects to", "url"),
        hidden("canonical", "Canonical", "url"),
        hidden("robots", "Robots directives", value=lambda row: ", ".join(row.robots or ())),
        hidden("soft_404", "Soft 404"),
        hidden("thin", "Thin content"),
        choice("language", "Language", shown=False),
        hidden("media_type", "Media type", "choice"),
        hidden("bytes", "Bytes", "number", lambda row: row.size),
        hidden("seconds", "Seconds", "number"),
        hidden("last_modified", "Last-Modified"),
    )


def _html(crawl: CrawlSummary, rows: Iterable[CrawlRow], options: ReportOptions) -> Iterator[str]:
    numbers = PageNumbers(None)
    table, plain = TableData(_columns(numbers), noun="URL"), list[CrawlRow]()
    indexable = problems = 0
    for row in rows:
        problem = row.state in _PROBLEMS or row.soft_404 is not None
        indexable += row.indexable is True
        problems += problem
        if problem and len(plain) < PLAIN_ROWS:
            plain.append(row)
        table.add(row, matters=problem)
    states = [(state, count, SHAPES.get(State(state), "unknown")) for state, count in crawl.states.items()]
    summary = f"{amount(crawl.visited, 'page')} of {crawl.home}"
    outcome = "not complete: pages that were not found may still be linked"
    if crawl.completeness.complete:
        apart = "; ".join(crawl.completeness.apart)
        outcome = f"complete: every linked page was visited{f', except {apart}' if apart else ''}"
    return page(
        "crawl.html",
        Verdict(),
        options,
        title=f"urlset crawl: {summary}",
        summary=summary,
        outcome=ExitSummary(outcome),
        crawl=crawl,
        key_numbers=[
            KeyNumber(crawl.visited, "pages visited", f"{amount(table.total, 'URL')} known"),
            KeyNumber(
                indexable,
                "indexable pages",
                f"{percent(indexable / max(1, crawl.visited))} of those visited",
                "ok",
            ),
            KeyNumber(problems, "pages with problems", "missing, failing, redirected, or a soft 404", "error"),
        ],
        state_stack=stack(states),
        states=states,
        charts=[
            chart
            for chart in (
                status_chart(numbers.statuses),
                bars(
                    "Clicks from the start page",
                    [(str(depth), count) for depth, count in sorted(crawl.depths.items())],
                    filter="depth",
                    head=("clicks", "pages"),
                ),
                bars("Sections", numbers.sections.most_common(), most=10, filter="section", head=("section", "pages")),
                bars("Not requested", crawl.not_asked.items(), head=("reason", "URLs")),
            )
            if chart.bars
        ],
        table=table,
        plain=plain,
    )


# The rows → JSON Lines, CSV, Parquet, a workbook.

_FIELDS = CrawlRow.__struct_fields__
_ROW_GROUP = 50_000


def render(crawl: CrawlSummary, rows: Iterator[CrawlRow], options: ReportOptions, form: str) -> Pieces:
    table = ReportTable("URLs", tuple(TableColumn(name, value=_plain(name)) for name in _FIELDS), rows)
    match form:
        case "csv":
            return csv_lines(table, end="\r\n", escape=str)  # a build reads it again
        case "xlsx":
            return workbook((table,), options)
        case "parquet":
            return as_parquet(rows)
        case "html":
            return _html(crawl, rows, options)
        case _:
            return (msgspec.json.encode(row) + b"\n" for row in rows)


def _plain(name: str) -> Callable[[CrawlRow], object]:
    return lambda row: _readable(getattr(row, name))


def _readable(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        words = [each for each in value if isinstance(each, str)]
        return ", ".join(words) if words else msgspec.json.encode(value).decode()
    return value


def need_parquet() -> None:
    """Raises NotInstalledError."""
    library("pyarrow.parquet", "data", "--out FILE.parquet")


def as_parquet(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    """The rows of JSON Lines as columns, one row group per 50,000; what is nested is JSON."""
    arrow = library("pyarrow", "data", "--out FILE.parquet")
    parquet = library("pyarrow.parquet", "data", "--out FILE.parquet")
    kinds = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
    hints = get_type_hints(CrawlRow)
    schema = arrow.schema([(name, kinds.get(_plain_type(hints[name]), arrow.string())) for name in _FIELDS])
    buffer = io.BytesIO()
    with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROW_GROUP)):
            columns = {name: [_flat(getattr(row, name)) for row in batch] for name in _FIELDS}
            writer.write_table(arrow.table(columns, schema=schema))
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _plain_type(hint: Any) -> Any:
    """`int` of `int | None`."""
    return next((each for each in get_args(hint) if each is not NoneType), hint)


def _flat(value: object) -> object:
    return value if value is None or isinstance(value, (str, int, float)) else msgspec.json.encode(value).decode()
