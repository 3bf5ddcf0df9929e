"""A spreadsheet (xlsx), or a zip archive of tables as Search Console gives it → candidates of every sheet with URLs."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, ZipInfo

from urlset.building.sources.columns import Shape, by_shape, is_table, meaning_of, name_columns
from urlset.building.sources.lists import as_utf8, from_csv
from urlset.building.sources.rows import Table, TableRows
from urlset.building.sources.source import ROWS, Block, SourceError, SourceOptions

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

MOST_BYTES = 256 << 20
"""unpacked, of one table: what an archive says about its own size is not believed"""
_WORKBOOK = "xl/workbook.xml"
_TABLES = (".csv", ".tsv", ".txt")


def from_archive(path: FilePath, options: SourceOptions) -> Iterator[Block]:
    """Raises SourceError if it cannot be read, or nothing in it has URLs."""
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            if _WORKBOOK in archive.namelist():
                yield from _sheets(path, options)
                return
            members = [each for each in archive.infolist() if each.filename.lower().endswith(_TABLES)]
            tables = [(each.filename, data) for each in members if _has_urls(data := _unpacked(archive, each, path))]
    except (BadZipFile, OSError, RuntimeError, NotImplementedError, zlib.error) as error:
        raise SourceError(f"{path}: cannot be unpacked: {error}") from error
    if not tables:
        raise SourceError(f"{path}: no table with URLs among {', '.join(each.filename for each in members) or 'none'}")
    for name, data in tables:
        yield from from_csv(io.BytesIO(data), f"{path.name}/{name}", options)


def _unpacked(archive: ZipFile, member: ZipInfo, path: FilePath) -> bytes:
    with archive.open(member) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise SourceError(f"{path}: {member.filename} is larger than {MOST_BYTES >> 20} MiB; unpack it first")
    return data


def _has_urls(data: bytes) -> bool:
    head = as_utf8(io.BufferedReader(io.BytesIO(data[: 1 << 16]))).read()
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    return is_table(lines, ",;|\t")


def _sheets(path: FilePath, options: SourceOptions) -> Iterator[Block]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise SourceError(f"{path} is a spreadsheet and needs python-calamine: pip install 'urlset[seo]'") from error
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(path.read_bytes()))
        sheets = [(name, workbook.get_sheet_by_name(name).to_python()) for name in workbook.sheet_names]
    except CalamineError as error:
        raise SourceError(f"{path}: cannot be read as a spreadsheet: {error}") from error
    found = False
    for name, rows in sheets:
        shape = by_shape([str(cell) for cell in rows[0]], rows[1:]) if rows else Shape([])
        if any(meaning_of(column) == "loc" for column in shape.header):
            found = True
            source = f"{path.name}/{name}"
            table = Table(shape.header, source, options)
            name_columns(shape.header, source, options, shape.recognized)
            for start in range(1, len(rows), ROWS):
                some = rows[start : start + ROWS]
                yield TableRows(table, some, range(start + 1, start + 1 + len(some)), source)
    if not found:
        raise SourceError(f"{path}: no sheet with a column of URLs among {', '.join(name for name, _ in sheets)}")
