"""A table → every format that shows tables: CSV, a workbook, lines on a terminal, the interactive table of a page.

A table is declared once, as columns and rows. A column knows its name in files, its title for people, its type, and
how to get its value from a row. No format knows any report.
"""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter, itemgetter
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from urlset.model.frames import library
from urlset.reports.format import ReportOptions
from urlset.reports.visible import Palette, cut, visible
from urlset.writing.escaping import guarded, looks_like_formula
from urlset.writing.files import work_folder

if TYPE_CHECKING:
    from markupsafe import Markup

Kind = Literal["url", "text", "choice", "words", "number"]


class TableColumn(msgspec.Struct, frozen=True):
    """`choice` has few different values, `words` are values separated by spaces; both can be filtered by."""

    name: str
    """in files and downloads"""
    title: str = ""
    """for people"""
    kind: Kind = "text"
    value: Callable[[Any], object] | None = None
    """of a row; None for its attribute of that name"""
    shown: bool = True
    """in the interactive table, before columns are chosen"""
    filter: str = ""
    """the label of its filter; empty for none"""
    shapes: dict[str, str] = {}
    """value → CSS class of its color"""
    labels: tuple[str, ...] = ()
    """what the filter shows for the values 1, 2, 3 …"""

    @property
    def getter(self) -> Callable[[Any], object]:
        return self.value or attrgetter(self.name)


class ReportTable(msgspec.Struct, frozen=True):
    """Rows are read once, when the table is written."""

    name: str
    """the heading, and the name of the sheet"""
    columns: tuple[TableColumn, ...]
    rows: Iterable[Any]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(column.title for column in self.columns)

    def values(self) -> Iterator[tuple[object, ...]]:
        getters = [column.getter for column in self.columns]
        return (tuple([get(row) for get in getters]) for row in self.rows)

    def cells(self) -> Iterator[tuple[tuple[TableColumn, str], ...]]:
        """Texts for people, each with its column."""
        for values in self.values():
            yield tuple(zip(self.columns, map(cell_text, values), strict=True))


def columns_of(struct: type[msgspec.Struct], *, only: Sequence[str] | None = None) -> tuple[TableColumn, ...]:
    """One for each field, or for those in `only`."""
    return tuple(TableColumn(name) for name in only or struct.__struct_fields__)


def tuple_columns(*names: str) -> tuple[TableColumn, ...]:
    """For rows that are tuples."""
    return tuple(TableColumn(name, value=itemgetter(at)) for at, name in enumerate(names))


def summary_table(rows: Iterable[tuple[str, object]]) -> ReportTable:
    return ReportTable("Summary", tuple_columns("what", "value"), rows)


def table_of(name: str, rows: Sequence[Mapping[str, object]]) -> ReportTable:
    """The keys of the first row are the columns."""
    names = rows[0] if rows else ()
    return ReportTable(
        name,
        tuple(TableColumn(each, each.replace("_", " ").capitalize(), value=itemgetter(each)) for each in names),
        rows,
    )


def cell_text(value: object) -> str:
    """A value as people read it."""
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


# CSV, and aligned lines on a terminal


def csv_lines(table: ReportTable, *, end: str = "\n", escape: Callable[[str], str] = visible) -> Iterator[str]:
    """The names, and a line for each row, quoted where needed; no text in it is run by a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=end)
    if table.columns:
        writer.writerow(table.names)
    for values in table.values():
        writer.writerow([guarded(escape(value)) if isinstance(value, str) else value for value in values])
        if buffer.tell() > _BLOCK:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def text_lines(table: ReportTable, palette: Palette) -> Iterator[str]:
    rows = [[visible(text) for _, text in cells] for cells in table.cells()]
    widths = [max(map(len, column)) for column in zip(table.titles, *rows, strict=True)]
    yield palette("bold", _aligned(table.titles, widths))
    yield from (_aligned(row, widths) for row in rows)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


# Sheets → an xlsx file in constant memory; every text stays a text, whatever it looks like

LAST_ROW = 1_048_576
"""of a sheet, the head included; the rest continues on another sheet"""
_LONGEST = 32_767
"""characters of a cell"""
_BLOCK = 1 << 16
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}
_WIDE, _NARROW = 60, 12
_WIDTHS = {"url": _WIDE, "source": 40, "message": _WIDE, "reason": 40, "title": 40, "value": _WIDE, "what": 28}


def need_xlsx() -> None:
    """Raises NotInstalledError."""
    library("xlsxwriter", "seo", "--format xlsx")


def workbook(sheets: Iterable[ReportTable], options: ReportOptions) -> Iterator[bytes]:
    """Rows are written as they come; the file is handed over in blocks."""
    writer = library("xlsxwriter", "seo", "--format xlsx")
    with work_folder() as folder:
        path = folder / "report.xlsx"
        book = writer.Workbook(str(path), {**_OPTIONS, "tmpdir": str(folder)})
        if options.made is not None:  # the same report twice is the same file
            book.set_properties({"created": options.made.replace(tzinfo=None)})
        head, quoted = book.add_format({"bold": True, "bottom": 1}), book.add_format({"quote_prefix": True})
        for sheet in sheets:  # a text that is quoted stays a text even after it was edited
            _write(book, sheet, head, quoted)
        book.close()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _write(book: Any, sheet: ReportTable, head: Any, quoted: Any) -> None:
    made, at, number = None, 0, 0
    for values in sheet.values():
        if made is None or at == LAST_ROW:
            _finish(made, sheet, at)
            number += 1
            made, at = _begin(book, sheet, number, head), 1
        for column, value in enumerate(values):
            match value:
                case None:
                    pass
                case bool():
                    made.write_string(at, column, "yes" if value else "no")
                case int() | float() if math.isfinite(value):
                    made.write_number(at, column, value)
                case _:
                    text = cut(str(value), _LONGEST)[:_LONGEST]
                    made.write_string(at, column, text, *([quoted] if looks_like_formula(text) else []))
        at += 1
    _finish(made or _begin(book, sheet, 1, head), sheet, at)


def _begin(book: Any, sheet: ReportTable, number: int, head: Any) -> Any:
    made = book.add_worksheet(sheet.name if number == 1 else f"{sheet.name} {number}")
    made.freeze_panes(1, 0)
    for column, name in enumerate(sheet.names):
        made.set_column(column, column, _WIDTHS.get(name, _WIDE if name.endswith("url") else _NARROW))
        made.write_string(0, column, name, head)
    return made


def _finish(made: Any, sheet: ReportTable, rows: int) -> None:
    if made is not None and rows > 1:
        made.autofilter(0, 0, rows - 1, len(sheet.columns) - 1)


# Rows → the interactive table of a page, as inert JSON: string tables, shared prefixes, bounded in size

MOST_ROWS = 100_000
"""embedded in one file; above that, a sample"""
MOST_BYTES = 50_000_000
"""of the embedded data"""
LONGEST = 1_000
"""characters of one value"""
_CHUNK = 2_000
_SCRIPT_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class TableData:
    """Takes rows one by one. Rows that matter are kept before others; of too many, a random sample stays."""

    def __init__(
        self, columns: Sequence[TableColumn], *, noun: str = "page", most: int = MOST_ROWS, most_bytes: int = MOST_BYTES
    ) -> None:
        self.columns, self.noun = tuple(columns), noun
        self._getters = [column.getter for column in columns]
        self._most, self._most_bytes = most, most_bytes
        self._matter, self._others = _Sample(most), _Sample(most)

    def add(self, row: object, *, matters: bool = False) -> None:
        sample = self._matter if matters else self._others
        sample.add((self.total, tuple([get(row) for get in self._getters])))

    @property
    def total(self) -> int:
        return self._matter.seen + self._others.seen

    @property
    def rows(self) -> int:
        return self._encoded[0]

    @property
    def is_sample(self) -> bool:
        return self.total > self.rows

    @property
    def all_that_matter(self) -> int:
        """How many rows matter, if the table has all of them; 0 otherwise."""
        return self._matter.seen if self._matter.seen <= self.rows else 0

    def json(self) -> Iterator[Markup]:
        """An object of columns, in pieces. No text in it can end the element that holds it, or start another."""
        yield from self._encoded[1]

    def kept(self, most: int) -> list[tuple[object, ...]]:
        """In the order of arrival."""
        first = self._matter.kept[:most]
        chosen = [*first, *self._others.kept[: most - len(first)]]
        return [values for _, values in sorted(chosen, key=lambda each: each[0])]

    @cached_property
    def _encoded(self) -> tuple[int, list[Markup]]:
        """As many rows as fit: a site with very long URLs and titles has fewer."""
        most = self._most
        while True:
            rows = self.kept(most)
            pieces = list(self._pieces(rows))
            size = sum(len(piece.encode()) for piece in pieces)
            if size <= self._most_bytes or not rows:
                return len(rows), pieces
            most = int(len(rows) * self._most_bytes / size * 0.95)

    def _pieces(self, rows: list[tuple[object, ...]]) -> Iterator[Markup]:
        from markupsafe import Markup

        head = {"rows": len(rows), "total": self.total, "noun": self.noun}
        yield _safe(msgspec.json.encode(head).decode()[:-1]) + Markup(',"columns":[')
        addresses = [_text(row[0]) for row in rows] if self.columns[0].kind == "url" else None
        for at, column in enumerate(self.columns):
            if at:
                yield Markup(",\n")
            yield from _encoded(column, (row[at] for row in rows), addresses if at else None)
        yield Markup("]}")


class _Sample:
    """The first rows, and of more a uniform random sample: the same for the same rows."""

    def __init__(self, most: int) -> None:
        self._most, self._random = most, random.Random(0)  # noqa: S311 - a sample, not a secret
        self.kept: list[tuple[int, tuple[object, ...]]] = []
        self.seen = 0

    def add(self, row: tuple[int, tuple[object, ...]]) -> None:
        self.seen += 1
        if len(self.kept) < self._most:
            self.kept.append(row)
        elif (place := self._random.randrange(self.seen)) < self._most:
            self.kept[place] = row


def _encoded(column: TableColumn, values: Iterable[object], addresses: list[str] | None) -> Iterator[Markup]:
    from markupsafe import Markup

    said: dict[str, Any] = {
        "name": _text(column.name),
        "title": _text(column.title),
        "kind": column.kind,
        "shown": column.shown,
        "filter": _text(column.filter),
        "shapes": column.shapes,
        "labels": [_text(label) for label in column.labels],
    }
    cells: list[Any]
    if column.kind == "number":
        cells = list(values)
    else:
        texts = [_text(value) for value in values]
        found = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        if column.kind in ("choice", "words") or 2 * len(found) < len(texts):
            said["table"] = list(found)
            cells = [found[text] for text in texts]
        else:
            cells = _without_repeats(said, texts, addresses if column.kind == "url" else None)
    yield _safe(msgspec.json.encode(said).decode()[:-1]) + Markup(',"values":[')
    for start in range(0, len(cells), _CHUNK):
        chunk = msgspec.json.encode(cells[start : start + _CHUNK]).decode()
        if start:
            yield Markup(",")
        yield _safe(chunk[1:-1])
    yield Markup("]}")


def _without_repeats(said: dict[str, Any], texts: list[str], addresses: list[str] | None) -> list[Any]:
    """What all values begin with is written once; 0 is the URL of the row."""
    present = [text for text in texts if text]
    prefix = commonprefix(present)  # noqa: RUF071 - not paths
    prefix = said["prefix"] = prefix[:-1] if prefix in present else prefix  # something is left of each
    short = [text[len(prefix) :] if text else "" for text in texts]
    if addresses is None:
        return short
    return [
        0 if text and text == address else each for each, text, address in zip(short, texts, addresses, strict=True)
    ]


def _text(value: object) -> str:
    return "" if value is None else cut(str(value), LONGEST)


def _safe(encoded: str) -> Markup:
    from markupsafe import Markup

    return Markup(encoded.translate(_SCRIPT_SAFE))  # noqa: S704 - JSON without any character that HTML reads
