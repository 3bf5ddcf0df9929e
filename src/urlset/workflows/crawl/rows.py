"""The pages of a crawl → rows for people and programs, a later build among them: JSON Lines or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec

from urlset.building.policy import DEFAULT_AGENT, forbidding_line
from urlset.building.sources.crawled import candidate_of, is_surely_an_error
from urlset.crawling.found import Fate, TrapKind
from urlset.crawling.frontier import CrawlFrontier, end_of
from urlset.model.canonicals import conflicting
from urlset.model.crawl_row import ENDLESS, EXCLUDED, NO_RULES, NOT_ASKED, NOT_YET, OUTSIDE, CrawlRow
from urlset.model.frames import library
from urlset.model.page import NOINDEX
from urlset.model.visit import State, Visit
from urlset.reading.read import read
from urlset.reading.robots_match import matcher_for
from urlset.reports.format import ReportOptions
from urlset.reports.workbook import WorkbookSheet, workbook
from urlset.workflows.crawl.look import JudgedRow, judged_rows
from urlset.writing.escaping import guarded

_FATES = {
    Fate.ASK: NOT_YET,
    Fate.FORBIDDEN: "disallowed by robots.txt",
    Fate.NO_RULES: NO_RULES,
    Fate.FILE: "not a page, by its file name",
    Fate.EXCLUDED: EXCLUDED,
    Fate.OUTSIDE: OUTSIDE,
    Fate.TRAPPED: ENDLESS,
}
_Forbidding = Callable[[str], str | None]
_FIELDS = CrawlRow.__struct_fields__
_ROW_GROUP = 50_000


def crawl_rows(frontier: CrawlFrontier, robots_txt: bytes | None = None) -> Generator[CrawlRow]:
    """In the order of discovery; addresses linked only with nofollow last."""
    forbidding = _forbidding(robots_txt)
    for judged in judged_rows(frontier):
        yield _row(judged, frontier, forbidding)
    for url, source in frontier.only_unfollowed():
        yield CrawlRow(url=url, state=NOT_ASKED, reason="only nofollow links", depth=-1, via="link", found_on=source)


def _forbidding(robots_txt: bytes | None) -> _Forbidding:
    """An address → the line that forbids it to the robot a build asks for."""
    robots = read(robots_txt).robots if robots_txt is not None else None
    if robots is None:
        return lambda _url: None
    matcher = matcher_for(robots, DEFAULT_AGENT)
    return lambda url: forbidding_line(matcher, url)


def _row(judged: JudgedRow, frontier: CrawlFrontier, forbidding: _Forbidding) -> CrawlRow:
    row = judged.row
    visit = row.visit
    if visit is None:
        reason = _FATES[row.fate]
        if row.trap is not None:
            reason = f"{reason}: {TrapKind(msgspec.json.decode(row.trap)['kind']).value}"
        return CrawlRow(
            url=row.url, state=NOT_ASKED, reason=reason, depth=row.depth, via=row.via.shown, found_on=row.found_on
        )
    page = candidate_of(visit)
    return CrawlRow(
        url=row.url,
        state=visit.state.value,
        reason=visit.reason,
        status=visit.status,
        depth=row.depth,
        via=row.via.shown,
        found_on=row.found_on,
        redirects_to=end_of(frontier, visit) if visit.state is State.REDIRECTED else page.redirects_to,
        canonical=page.canonical,
        indexable=is_indexable(visit) and page.canonical in (None, row.url),
        title=visit.title,
        language=visit.language,
        media_type=visit.media_type,
        size=visit.size or (None if visit.unchanged else 0),
        seconds=round(visit.seconds, 3),
        last_modified=visit.last_modified,
        asked=visit.moment or None,
        robots=page.directives or None,
        disallowed=forbidding(row.url),
        soft_404="; ".join(visit.soft_404.signs) if is_surely_an_error(visit.soft_404) else None,
        thin=page.thin,
        endless=judged.endless,
        dates=visit.dates or None,
        alternates=page.entry.media.alternates or None,
    )


def is_indexable(visit: Visit) -> bool | None:
    """By what the page says of itself; None where that does not decide it."""
    marks = visit.marks
    there = visit.state is State.OK and visit.size > 0 and visit.refresh is None and not (marks and marks.blank)
    if not there or not NOINDEX.isdisjoint(visit.directives_for()):
        return False
    is_open = bool(conflicting(visit)) or (marks is not None and (marks.only_login or marks.only_scripts))
    return None if is_open else True


def as_json_lines(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for row in rows:
        yield encode(row) + b"\n"


def need_parquet() -> None:
    """Raises NotInstalledError."""
    library("pyarrow.parquet", "arrow", "--out FILE.parquet")


def as_parquet(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    """The rows of JSON Lines as columns, one row group per 50,000; what is nested is JSON."""
    arrow = library("pyarrow", "arrow", "--out FILE.parquet")
    parquet = library("pyarrow.parquet", "arrow", "--out FILE.parquet")
    kinds = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
    hints = get_type_hints(CrawlRow)
    schema = arrow.schema([(name, kinds.get(_plain_type(hints[name]), arrow.string())) for name in _FIELDS])
    buffer = io.BytesIO()
    with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROW_GROUP)):
            columns = {name: [_value(getattr(row, name)) for row in batch] for name in _FIELDS}
            writer.write_table(arrow.table(columns, schema=schema))
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _plain_type(hint: Any) -> Any:
    """`int` of `int | None`."""
    return next((each for each in get_args(hint) if each is not NoneType), hint)


def _value(value: object) -> object:
    return value if value is None or isinstance(value, (str, int, float)) else msgspec.json.encode(value).decode()


def as_workbook(rows: Iterator[CrawlRow], options: ReportOptions) -> Iterator[bytes]:
    cells = (tuple(map(_plain, msgspec.structs.astuple(row))) for row in rows)
    return workbook((WorkbookSheet("URLs", _FIELDS, cells),), options)


def as_csv(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(CrawlRow.__struct_fields__)
    for row in rows:
        writer.writerow([_cell(value) for value in msgspec.structs.astuple(row)])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def _cell(value: object) -> object:
    """A cell that begins like a formula would be run by a spreadsheet."""
    return guarded(value) if isinstance(value, str) else _plain(value)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        words = [each for each in value if isinstance(each, str)]
        return ", ".join(words) if words else msgspec.json.encode(value).decode()
    return value
