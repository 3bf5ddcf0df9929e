"""Sheets of rows → an xlsx file in constant memory; every text stays a text, whatever it looks like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from urlset.model.frames import library
from urlset.reports.format import ReportOptions
from urlset.reports.visible import cut
from urlset.writing.escaping import looks_like_formula
from urlset.writing.files import work_folder

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


class WorkbookSheet(NamedTuple):
    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


def need_xlsx() -> None:
    """Raises NotInstalledError."""
    library("xlsxwriter", "xlsx", "--format xlsx")


def workbook(sheets: Iterable[WorkbookSheet], options: ReportOptions) -> Iterator[bytes]:
    """Rows are written as they come; the file is handed over in blocks."""
    writer = library("xlsxwriter", "xlsx", "--format xlsx")
    with work_folder() as folder:
        path = folder / "report.xlsx"
        book = writer.Workbook(str(path), {**_OPTIONS, "tmpdir": str(folder)})
        if options.made is not None:  # the same report twice is the same file
            book.set_properties({"created": options.made.replace(tzinfo=None)})
        formats = _Formats(book.add_format({"bold": True, "bottom": 1}), book.add_format({"quote_prefix": True}))
        for sheet in sheets:
            _write(book, sheet, formats)
        book.close()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


class _Formats(NamedTuple):
    head: Any
    quoted: Any
    """keeps a text a text even after it was edited"""


def _write(book: Any, sheet: WorkbookSheet, formats: _Formats) -> None:
    made, at, number = None, 0, 0
    for row in sheet.rows:
        if made is None or at == LAST_ROW:
            _finish(made, sheet, at)
            number += 1
            made, at = _begin(book, sheet, number, formats), 1
        for column, value in enumerate(row):
            _cell(made, at, column, value, formats)
        at += 1
    _finish(made or _begin(book, sheet, 1, formats), sheet, at)


def _begin(book: Any, sheet: WorkbookSheet, number: int, formats: _Formats) -> Any:
    made = book.add_worksheet(sheet.name if number == 1 else f"{sheet.name} {number}")
    made.freeze_panes(1, 0)
    for column, name in enumerate(sheet.columns):
        made.set_column(column, column, _WIDTHS.get(name, _WIDE if name.endswith("url") else _NARROW))
        made.write_string(0, column, name, formats.head)
    return made


def _finish(made: Any, sheet: WorkbookSheet, rows: int) -> None:
    if made is not None and rows > 1:
        made.autofilter(0, 0, rows - 1, len(sheet.columns) - 1)


def _cell(made: Any, row: int, column: int, value: object, formats: _Formats) -> None:
    match value:
        case None:
            return
        case bool():
            made.write_string(row, column, "yes" if value else "no")
        case int() | float() if math.isfinite(value):
            made.write_number(row, column, value)
        case _:
            text = cut(str(value), _LONGEST)[:_LONGEST]
            made.write_string(row, column, text, *([formats.quoted] if looks_like_formula(text) else []))
