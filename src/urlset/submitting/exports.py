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
from enum import StrEnum
from pathlib import Path

import msgspec

from urlset.model.errors import EngineError
from urlset.spec.index_reasons import reason_of

_MOST_BYTES = 64 << 20
_MOST_FILES = 200
_PERFORMANCE = 5
"""columns of a table of a performance download: what it counts, clicks, impressions, CTR, position"""
_CUT = (999, 1_000)
"""Search Console exports at most 1,000 rows of a table"""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+|-?\d+")

Table = list[list[str]]


class ExportError(EngineError):
    """A file that is not such a download; the message says what is wrong with it."""


class ExportScope(StrEnum):
    """Which pages a download counts, by the filter above the report."""

    SITEMAP = "one sitemap"
    SUBMITTED = "all submitted pages"
    KNOWN = "all known pages"
    UNSUBMITTED = "unsubmitted pages only"
    UNKNOWN = "unknown"
    """no Metadata, or its filter is in another language"""


_FILTERS = {each.value: each for each in (ExportScope.SUBMITTED, ExportScope.KNOWN, ExportScope.UNSUBMITTED)}


class Export(msgspec.Struct, frozen=True):
    """What one download says."""

    name: str
    day: str = ""
    """the last day its chart covers"""
    scope: ExportScope = ExportScope.UNKNOWN
    filter: str = ""
    """the filter as written, where it is not understood"""
    sitemap: str | None = None
    """the address of the sitemap it was filtered to"""
    indexed: int | None = None
    not_indexed: int | None = None
    reasons: dict[str, int] = {}
    issue: str = ""
    """the reason that a list of pages is about, as written"""
    urls: dict[str, str] = {}
    """URL → last crawled, of a list of pages"""
    seen_in_search: frozenset[str] = frozenset()
    """pages of a performance download: search results showed them"""
    notes: tuple[str, ...] = ()

    @property
    def has_counts(self) -> bool:
        return self.indexed is not None and self.not_indexed is not None

    @property
    def lists_indexed(self) -> bool | None:
        """Whether its pages are indexed; None where it does not say."""
        reason = reason_of(self.issue) if self.issue else None
        if reason is not None:
            return reason.id.startswith(("submitted-and-indexed", "indexed-"))
        if "coverage-valid" in self.name.casefold():
            return True
        return False if self.issue else None

    def counts_for(self, sitemap: str) -> bool:
        """Whether its counts are those of this sitemap: the one it was filtered to."""
        return self.has_counts and self.sitemap is not None and self.sitemap.rstrip("/") == sitemap.rstrip("/")


def read_exports(paths: Iterable[Path]) -> tuple[list[Export], list[str]]:
    """The downloads that can be read, and for each of the others why not."""
    found, refused = [], []
    for path in paths:
        try:
            found.append(read_export(path))
        except ExportError as error:
            refused.append(str(error))
    return found, refused


def read_export(path: Path) -> Export:
    """Raises ExportError."""
    tables = dict(_tables(path))
    if not tables:
        raise ExportError(f"{path.name}: has no table")
    export = Export(path.name)
    found = queries = False
    for table in tables.values():
        rows = table[1:]
        width = max((len(row) for row in table), default=0)
        if not rows or width < 2:
            continue
        if all(_DAY.fullmatch(row[0].strip()) for row in rows if row):
            if width < _PERFORMANCE:  # that of a performance download counts clicks
                found, export = True, _with_chart(export, rows, width)
        elif sum(bool(_ADDRESS.match(row[0].strip())) for row in rows) > len(rows) / 2:
            found, export = True, _with_pages(export, rows, width)
        elif width >= _PERFORMANCE and all("%" in row[3] for row in rows if len(row) > 3):
            queries = True
        elif width >= 4 and all(len(row) >= 4 and number(row[3]) is not None for row in rows):
            found = True  # reason, source, validation, pages
            reasons = {row[0].strip(): number(row[3]) or 0 for row in rows}
            export = msgspec.structs.replace(export, reasons={**export.reasons, **reasons})
        elif width == 2:
            export = _with_metadata(export, rows)
    if not found:
        what = "a performance export without pages; export its Pages tab" if queries else "not a Search Console export"
        raise ExportError(f"{path.name}: {what}{'' if queries else ': no chart, reasons or URL table in it'}")
    return export


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


def _with_pages(export: Export, rows: Table, width: int) -> Export:
    """URLs with the day of the last crawl; those of a performance download have clicks, impressions, CTR, position."""
    listed = [(row[0].strip(), row[1].strip() if len(row) > 1 else "") for row in rows]
    urls = {url: crawled for url, crawled in listed if _ADDRESS.match(url)}
    if len(rows) in _CUT:
        cut = f"{export.name}: the table has {len(rows):,} rows, so Search Console cut it"
        export = msgspec.structs.replace(export, notes=(*export.notes, cut))
    if width >= _PERFORMANCE:
        return msgspec.structs.replace(export, seen_in_search=export.seen_in_search | urls.keys())
    return msgspec.structs.replace(export, urls={**export.urls, **urls})


def _with_metadata(export: Export, rows: Table) -> Export:
    """Property and value: the filter is a sitemap's address or a translated phrase; the issue is one of the reasons."""
    values = [row[1].strip() for row in rows if len(row) > 1]
    address = next(filter(_ADDRESS.fullmatch, values), None)
    texts = [value for value in values if value and not _ADDRESS.fullmatch(value)]
    phrases = [text for text in texts if text.casefold() in _FILTERS]
    others = [text for text in texts if text not in phrases]
    issue = next((text for text in others if reason_of(text) is not None), "")
    if address is not None:
        return msgspec.structs.replace(
            export, scope=ExportScope.SITEMAP, sitemap=address, issue=issue or (others[0] if others else "")
        )
    if phrases:
        issue = issue or (others[0] if others else "")
        return msgspec.structs.replace(export, scope=_FILTERS[phrases[0].casefold()], issue=issue)
    if not texts:
        return export
    # in another language, the issue comes before the filter
    return msgspec.structs.replace(
        export, scope=ExportScope.UNKNOWN, filter=texts[-1], issue=issue or (texts[0] if len(texts) > 1 else "")
    )


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
