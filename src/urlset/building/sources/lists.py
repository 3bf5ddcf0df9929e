"""Lists of addresses as text, CSV, TSV or JSON lines, packed or not → candidates, a line at a time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec

from urlset.building.candidate import RowTrouble
from urlset.building.sources.columns import SAMPLE, Shape, by_shape, meaning_of, name_columns
from urlset.building.sources.rows import NamedRows, Table, TableRows, meanings_of
from urlset.building.sources.source import ROWS, Block, Items, SourceBroken, SourceOptions
from urlset.model.shown import few
from urlset.spec.lazy_pattern import lazy_pattern

_BLOCK = 1 << 19
LONGEST_LINE = 4 << 20
"""Bytes; a row with a thousand images is a tenth of that."""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

if TYPE_CHECKING:
    from urlset.building.compiled_pages import Batch
_DELIMITERS = ",;\t|"
SEPARATOR = lazy_pattern(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)
"""the first line of tables that are meant for Excel"""
_ADDRESS = lazy_pattern(r"\s*\"?(?:https?://|/)", re.IGNORECASE)
_ORDER_WITHOUT_HEADER = ("loc", "lastmod", "changefreq", "priority")


def from_text(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Block]:
    """One address a line; empty lines and lines that begin with # are passed over."""
    return _lines(_TextLines, file, name, options)


def from_json_lines(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Block]:
    """One object a line, or one string that is an address."""
    return _lines(_JsonLines, file, name, options)


def _lines(kind: type[_TextLines], file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Block]:
    for number, data in line_blocks(file, name):
        if data is None:
            yield Items([RowTrouble(f"{name}:{number}", f"line longer than {LONGEST_LINE:,} bytes")])
        else:
            yield kind(data, number, name, options)


class _TextLines(NamedRows):
    """Whole lines, each an address."""

    def __init__(self, data: bytes, first: int, name: str, options: SourceOptions) -> None:
        super().__init__(options)
        self._data, self._first, self._name = data, first, name

    @cached_property
    def _rows(self) -> list[bytes]:
        lines = self._data.split(b"\n")
        return lines if lines[-1] else lines[:-1]

    def __len__(self) -> int:
        return len(self._rows)

    def origin(self, row: int) -> str:
        return f"{self._name}:{self._first + row}"

    def meant(self, row: int) -> dict[str, Any] | str | None:
        text = self._rows[row].strip()
        if not text or text.startswith(b"#"):
            return None
        try:
            return {"loc": text.decode()}
        except UnicodeDecodeError:
            return f"line is not UTF-8: {text[:60].decode('utf-8', 'backslashreplace')!r}"

    def fill(self, batch: Batch) -> bool:
        batch.read_text(self._data)
        return True


class _JsonLines(_TextLines):
    """Whole lines, each an object."""

    def fill(self, batch: Batch) -> bool:
        batch.read_json(self._data)
        return True

    def meant(self, row: int) -> dict[str, Any] | str | None:
        line = self._rows[row]
        if not line.strip():
            return None
        try:
            found = _decoded(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return f"not JSON: {error}"
        if isinstance(found, str):
            return {"loc": found}
        if not isinstance(found, dict):
            return f"line contains {type(found).__name__}, not an object with a loc"
        if not any(meaning_of(key) == "loc" for key in found):
            return f"no loc or url in the object; found {few([repr(key[:40]) for key in found], 12) or 'nothing'}"
        return meanings_of(found)


def _decoded(line: bytes) -> Any:
    """Also where a text has control characters, half a surrogate pair or bytes that are not UTF-8."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        try:
            return json.loads(line.decode("utf-8", "surrogateescape"), strict=False)
        except ValueError:
            pass
        raise


def from_csv(file: BinaryIO, name: str, options: SourceOptions, delimiter: str | None = None) -> Iterator[Block]:
    """With a header, or without one where the first row begins with an address: loc, lastmod, changefreq, priority."""
    # bytes that are not UTF-8 become lone surrogates, which no address may hold: a row is refused, not the file
    lines = _Lines(data for _, data in line_blocks(file, name))
    first, passed, noted = _beginning(lines)
    if not first:
        return
    delimiter = noted or delimiter or delimiter_of(first)
    rows = csv.reader(chain((first,), lines), delimiter=delimiter, strict=True)
    table: Table | None = None
    header: list[str] | None = None
    start = passed + 1
    ended = False
    while not ended:
        if table is not None and (whole := lines.left(delimiter)):
            block = _TableLines(table, whole, start, name, delimiter)
            yield block
            passed, start = passed + len(block), start + len(block)
            continue
        some: list[list[str]] = []
        trouble = ""
        most = ROWS if table is not None else 1 if header is None else SAMPLE
        try:
            some.extend(islice(rows, most))  # the rows before one that is broken are kept
            ended = len(some) < most
        except csv.Error as error:
            trouble = f"not a CSV row: {error}"
        numbers: Sequence[int] = range(start, start + len(some) + 1)
        start = passed + rows.line_num + 1
        if trouble or start != numbers[-1]:  # a line end in a cell begins another line
            lines_in = (1 + sum(cell.count("\n") for cell in row) for row in some)
            numbers = list(accumulate(lines_in, initial=numbers[0]))
        if table is None and some:
            if header is None and not (some[0] and _ADDRESS.match(some[0][0])):
                header, some = some[0], []
                if any(meaning_of(column) == "loc" for column in header):
                    table = _named(Shape(header), name, options)
            elif header is not None:
                table = _named(by_shape(header, some), name, options)
            else:
                table = Table(_ORDER_WITHOUT_HEADER, name, options)
        if table is not None and some:
            yield TableRows(table, some, numbers, name)
        if trouble:
            yield Items([RowTrouble(f"{name}:{numbers[-1]}", trouble)])
    if table is None and header is not None:
        _named(Shape(header), name, options)


_LINES = 1 << 17
"""bytes of a line that csv takes as a cell, and more"""


class _Lines(Iterator[str]):
    """Lines with their ends, one by one, or what is left of a block at once; only LF ends a line."""

    def __init__(self, blocks: Iterator[bytes | None]) -> None:
        self._blocks = blocks
        self._data, self._at = b"", 0
        self._is_whole: bool | None = None
        """whether each line of the block is a row; None where that is not known yet"""

    def __next__(self) -> str:
        if self._at == len(self._data):
            self._load()
        start = self._at
        self._at = self._data.find(b"\n", start) + 1 or len(self._data)
        return self._data[start : self._at].decode("utf-8", "surrogateescape")

    def left(self, delimiter: str) -> bytes:
        """The rest of a block, when no row is under way, if each line of it is a row."""
        if self._at == len(self._data):
            with suppress(StopIteration):
                self._load()
        if self._is_whole is None:
            self._is_whole = _are_rows(self._data[self._at :], delimiter)
        if not self._is_whole:
            return b""
        start, self._at = self._at, len(self._data)
        return self._data[start:]

    def _load(self) -> None:
        self._data, self._at, self._is_whole = next(self._blocks) or b"\n", 0, None  # a line that is too long is empty


@cache
def _row_pattern(delimiter: str) -> re.Pattern[bytes]:
    """A row of a table in one line, as every reader understands it."""
    mark = re.escape(delimiter.encode())
    cell = rb'(?:"(?:[^"\r\n]++|"")*+"|[^"\r\n' + mark + rb"]*+)"
    return re.compile(cell + rb"(?:" + mark + cell + rb")*+\r?\n?")


def _are_rows(data: bytes, delimiter: str) -> bool:
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return False
    start = 0
    while len(data) - start > _LINES:
        start = data.rfind(b"\n", start, start + _LINES) + 1
        if start == 0:
            return False
    is_row = _row_pattern(delimiter).fullmatch
    return b'"' not in data or all(is_row(line) for line in data.split(b"\n") if b'"' in line)


class _TableLines(TableRows):
    """Rows of a table, each of them a line; one that is recalled is not split into cells."""

    def __init__(self, table: Table, data: bytes, first: int, name: str, delimiter: str) -> None:
        rows = _CellsOfLines(data, delimiter)
        super().__init__(table, rows, range(first, first + len(rows)), name)
        self._data, self._delimiter = data, delimiter

    def fill(self, batch: Batch) -> bool:
        named = self._table.header, self._delimiter
        self._read(batch, _cells(batch.unknown_lines(self._data, named), self._delimiter))
        return True


class _CellsOfLines(Sequence[list[str]]):
    """Split when they are looked at."""

    def __init__(self, data: bytes, delimiter: str) -> None:
        self._data, self._delimiter = data, delimiter
        self._count = data.count(b"\n") + (not data.endswith(b"\n"))

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _lines(self) -> list[bytes]:
        return self._data.split(b"\n")

    def __getitem__(self, row: int) -> list[str]:  # type: ignore[override]
        return _cells(self._lines[row] + b"\n", self._delimiter)[0]


def _cells(data: bytes, delimiter: str) -> list[list[str]]:
    texts = data.decode("utf-8", "surrogateescape").split("\n")
    return list(csv.reader(texts if texts[-1] else texts[:-1], delimiter=delimiter, strict=True))


def _beginning(lines: Iterator[str]) -> tuple[str, int, str | None]:
    """The first line of a table, how many lines there are before it, and the delimiter that they note."""
    delimiter = None
    for passed, line in enumerate(lines):
        if note := SEPARATOR.fullmatch(line):
            delimiter = note[1]
        elif line.strip():
            return line, passed, delimiter
    return "", 0, None


def _named(shape: Shape, name: str, options: SourceOptions) -> Table:
    table = Table(shape.header, name, options)
    name_columns(shape.header, name, options, shape.recognized)
    return table


def from_tsv(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Block]:
    return from_csv(file, name, options, "\t")


def delimiter_of(header: str) -> str:
    """The one that gives the most columns that are known, then the most columns; a comma when none does."""

    def worth(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip().strip('"') for cell in header.split(delimiter)]
        return sum(meaning_of(cell) is not None for cell in cells), len(cells) if len(cells) > 1 else 0

    return max(_DELIMITERS, key=worth)


def line_blocks(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes | None]]:
    """Whole lines with the number of the first of them, without a byte order mark, as UTF-8.

    None means a line that is too long.
    """
    try:
        reader = as_utf8(unpacked(file))
        number = 1
        while data := reader.read(_BLOCK):
            start = data.rfind(b"\n") + 1
            if start < len(data) and len(data) - start < LONGEST_LINE:
                data += reader.readline(LONGEST_LINE - len(data) + start)
            if len(data) >= LONGEST_LINE:
                for line in _whole_lines(data, reader):
                    yield number, line
                    number += 1
            else:
                yield number, data
                number += data.count(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise SourceBroken(f"{name} broke off: {error}") from error


def _whole_lines(data: bytes, reader: io.BufferedReader) -> Iterator[bytes | None]:
    """One at a time; the last may go on in the reader, and is passed over as far as it does."""
    *lines, last = data.split(b"\n")
    for line in lines:
        yield line + b"\n" if len(line) < LONGEST_LINE else None
    if len(last) >= LONGEST_LINE:
        while (rest := reader.readline(_BLOCK)) and not rest.endswith(b"\n"):
            pass
        yield None
    elif last:
        yield last


def lines_of(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes | None]]:
    """One line at a time, numbered from 1."""
    for number, data in line_blocks(file, name):
        if data is None:
            yield number, None
        else:
            *lines, last = data.split(b"\n")
            yield from enumerate([*(line + b"\n" for line in lines), *([last] if last else [])], number)


def unpacked(file: BinaryIO) -> io.BufferedReader:
    """The same file, or what is packed in it."""
    reader = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", file))
    if reader.peek(2)[:2] == b"\x1f\x8b":
        return io.BufferedReader(gzip.GzipFile(fileobj=reader), 1 << 18)
    return reader


def as_utf8(reader: io.BufferedReader) -> io.BufferedReader:
    """The same file without its byte order mark, in UTF-8 whatever the mark says."""
    head = reader.peek(4)[:4]
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            reader.read(len(mark))
            return reader if encoding == "utf-8" else io.BufferedReader(_Recoded(reader, encoding))
    return reader


class _Recoded(io.RawIOBase):
    """UTF-16 or UTF-32 as UTF-8, a piece at a time."""

    def __init__(self, reader: io.BufferedReader, encoding: str) -> None:
        self._text = io.TextIOWrapper(reader, encoding, errors="replace", newline="")
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = cast("memoryview", buffer)
        if not self._left:
            self._left = self._text.read(1 << 15).encode("utf-8", "replace")
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            with suppress(ValueError):  # closed already
                self._text.detach()  # the caller that opened the file closes it
        super().close()
