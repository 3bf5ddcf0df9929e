"""Downloads from Search Console (zip, CSV, xlsx, folder) → counts, reasons and URL lists, recognised by their shape.

Files are written in the language of the account, so names and headers say nothing certain; the order of columns
is the same in all languages. What is not recognised is refused with the reason.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

_MOST_BYTES = 64 << 20
_MOST_FILES = 200
_CUT = (999, 1_000)
"""Search Console exports at most 1,000 rows of a table"""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+|-?\d+")

Table = list[list[str]]


class ExportError(Exception):
    """A file that is not such a download; the message says what is wrong with it."""


class Export(msgspec.Struct, frozen=True):
    """What one download says."""

    name: str
    day: str = ""
    """the last day its chart covers"""
    sitemap: str | None = None
    """the address of the sitemap it was filtered to; None for all known pages"""
    indexed: int | None = None
    not_indexed: int | None = None
    reasons: dict[str, int] = {}
    urls: dict[str, str] = {}
    """URL → last crawled, of a drilldown"""
    notes: tuple[str, ...] = ()

    def counts_for(self, sitemap: str) -> bool:
        """Whether its counts are those of this sitemap: the one it was filtered to."""
        return self.lacking is None and (self.sitemap or "").rstrip("/") == sitemap.rstrip("/")

    @property
    def lacking(self) -> str | None:
        """Why it has no counts of one sitemap; None where it has."""
        if self.indexed is None or self.not_indexed is None:
            return "it has no chart of indexed and not indexed pages; export the summary, not the pages of one reason"
        if self.sitemap is None:
            return (
                "its Metadata names no sitemap, so it counts all known pages; choose the sitemap in the filter of the"
                " Page indexing report, then export"
            )
        return None


def read_exports(paths: Iterable[Path]) -> tuple[Export, ...]:
    """Raises ExportError for one that cannot be used."""
    return tuple(read_export(path) for path in paths)


def read_export(path: Path) -> Export:
    tables = dict(_tables(path))
    if not tables:
        raise ExportError(f"{path}: holds no table")
    return _understood(path.name, tables)


def _tables(path: Path) -> Iterator[tuple[str, Table]]:
    if path.is_dir():
        for part in sorted(path.glob("*.csv"))[:_MOST_FILES]:
            yield part.stem, _csv(part.name, part.read_bytes()[: _MOST_BYTES + 1])
        return
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ExportError(f"{path}: cannot be read: {error.strerror}") from None
    if path.suffix.lower() == ".xlsx":
        yield from _xlsx(path)
    elif data[:4] == b"PK\x03\x04":
        yield from _zip(path.name, data)
    else:
        yield path.stem, _csv(path.name, data)


def _zip(name: str, data: bytes) -> Iterator[tuple[str, Table]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            left = _MOST_BYTES
            for info in archive.infolist()[:_MOST_FILES]:
                if info.is_dir() or not info.filename.lower().endswith(".csv"):
                    continue
                with archive.open(info) as file:
                    part = file.read(left + 1)
                left -= len(part)
                if left < 0:
                    raise ExportError(f"{name}: unpacks to more than {_MOST_BYTES >> 20} MiB")
                yield Path(info.filename).stem, _csv(info.filename, part)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise ExportError(f"{name}: a damaged zip file: {error}") from None


def _xlsx(path: Path) -> Iterator[tuple[str, Table]]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ExportError(f"{path}: reading xlsx needs python-calamine: pip install 'urlset[seo]'") from None
    try:
        book = CalamineWorkbook.from_path(path)
        for sheet in book.sheet_names:
            rows = book.get_sheet_by_name(sheet).to_python()
            yield sheet, [[_cell(value) for value in row] for row in rows]
    except CalamineError as error:
        raise ExportError(f"{path}: a damaged xlsx file: {error}") from None


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)[:10] if hasattr(value, "isoformat") else str(value)


def _csv(name: str, data: bytes) -> Table:
    if len(data) > _MOST_BYTES:
        raise ExportError(f"{name}: larger than {_MOST_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ExportError(f"{name}: not UTF-8 text") from None
    if "\x00" in text:
        raise ExportError(f"{name}: not a CSV file")
    first = text.partition("\n")[0]
    separator = ";" if first.count(";") > first.count(",") else ","
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ExportError(f"{name}: not a CSV file: {error}") from None


def _understood(name: str, tables: dict[str, Table]) -> Export:
    export = Export(name)
    found = False
    notes: list[str] = []
    for table in tables.values():
        rows = table[1:]
        width = max((len(row) for row in table), default=0)
        if not rows or width < 2:
            continue
        if all(_DAY.fullmatch(row[0].strip()) for row in rows if row):
            found = True
            export = _with_chart(export, rows, width)
        elif sum(bool(_ADDRESS.match(row[0].strip())) for row in rows) > len(rows) / 2:
            found = True
            listed = ((row[0].strip(), row[1].strip() if len(row) > 1 else "") for row in rows)
            urls = {url: crawled for url, crawled in listed if _ADDRESS.match(url)}
            if len(rows) in _CUT:
                notes.append(f"{name}: the table has {len(rows):,} rows, so Search Console cut it")
            export = msgspec.structs.replace(export, urls={**export.urls, **urls})
        elif width >= 4 and all(len(row) >= 4 and number(row[3]) is not None for row in rows):
            found = True  # reason, source, validation, pages
            reasons = {row[0].strip(): number(row[3]) or 0 for row in rows}
            export = msgspec.structs.replace(export, reasons={**export.reasons, **reasons})
        elif width == 2:  # property and value: the filter is a sitemap's address or a translated phrase
            values = (row[1].strip() for row in rows if len(row) > 1)
            export = msgspec.structs.replace(export, sitemap=next(filter(_ADDRESS.fullmatch, values), export.sitemap))
    if not found:
        raise ExportError(f"{name}: not a Page indexing export: no chart, reasons or URL table in it")
    return msgspec.structs.replace(export, notes=tuple(notes))


def _with_chart(export: Export, rows: Table, width: int) -> Export:
    """Date, not indexed, indexed[, impressions]; with two columns only the number of affected pages."""
    dated = sorted((row for row in rows if len(row) >= width - 1), key=lambda row: row[0])
    if not dated:
        return export
    last = next((row for row in reversed(dated) if len(row) > 2 and number(row[2]) is not None), dated[-1])
    export = msgspec.structs.replace(export, day=last[0].strip())
    if width < 3 or len(last) < 3:
        return export
    return msgspec.structs.replace(export, not_indexed=number(last[1]), indexed=number(last[2]))


def number(text: str) -> int | None:
    """1234, 1,234, 1.234 and 1 234 alike; None for anything else."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    return int(re.sub(r"[.,\u00a0\u202f ]", "", text))
