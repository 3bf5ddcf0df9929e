"""Lists of addresses as text, CSV, TSV or JSON lines, packed or not → candidates, a line at a time."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO, cast

import msgspec

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.dates import DateError, to_lastmod
from urlset.building.sources.locs import LocError, to_loc
from urlset.building.sources.options import Item, SourceBroken, SourceOptions
from urlset.building.sources.rows import Table, items_of_mapping, meaning_of
from urlset.model.entry import Entry
from urlset.spec.lazy_pattern import lazy_pattern

LONGEST_LINE = 4 << 20
"""Bytes; a row with a thousand images is a tenth of that."""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_DELIMITERS = ",;\t|"
_ADDRESS = lazy_pattern(r"\s*\"?(?:https?://|/)", re.IGNORECASE)
_ORDER_WITHOUT_HEADER = ("loc", "lastmod", "changefreq", "priority")


def from_text(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Item]:
    """One address a line; empty lines and lines that begin with # are passed over."""
    for number, line in lines_of(file, name):
        if line is None:
            yield RowTrouble(f"{name}:{number}", f"the line is longer than {LONGEST_LINE:,} bytes")
            continue
        text = line.strip()
        if not text or text.startswith(b"#"):
            continue
        try:
            loc = to_loc(text.decode(), options.base_url)
        except UnicodeDecodeError:
            yield RowTrouble(f"{name}:{number}", _not_utf8(text))
        except LocError as error:
            yield RowTrouble(f"{name}:{number}", str(error))
        else:
            yield Candidate(Entry(loc), f"{name}:{number}")


class _Usual(msgspec.Struct, forbid_unknown_fields=True):
    """What nearly every JSON row consists of; any other is read in the general way."""

    loc: str
    lastmod: str | None = None


_DECODE = msgspec.json.Decoder(_Usual).decode


def from_json_lines(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Item]:
    """One object a line, or one string that is an address."""
    return from_json_rows(lines_of(file, name), name, options)


def from_json_rows(lines: Iterable[tuple[int, bytes | None]], name: str, options: SourceOptions) -> Iterator[Item]:
    """The same for lines that are numbered already; None stands for one that is too long."""
    base_url, timezone = options.base_url, options.timezone
    decode, given = _DECODE, EvidenceKind.GIVEN
    for number, line in lines:
        try:
            row = decode(line or b"")
            loc = to_loc(row.loc, base_url)
            lastmod = to_lastmod(row.lastmod, timezone)
        except (msgspec.MsgspecError, DateError, LocError, UnicodeDecodeError, RecursionError):
            yield from _json_row(line, f"{name}:{number}", options)
            continue
        evidence = (Evidence(given, lastmod),) if lastmod else ()
        yield Candidate(Entry(loc, lastmod), f"{name}:{number}", evidence=evidence)


def _json_row(line: bytes | None, origin: str, options: SourceOptions) -> Iterator[Item]:
    if line is None:
        yield RowTrouble(origin, f"the line is longer than {LONGEST_LINE:,} bytes")
        return
    if not line.strip():
        return
    try:
        row = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        yield RowTrouble(origin, f"the line is no JSON: {error}")
        return
    if isinstance(row, str):
        row = {"loc": row}
    if not isinstance(row, dict):
        yield RowTrouble(origin, f"the line holds {type(row).__name__}, not an object with a loc")
    elif not any(meaning_of(key) == "loc" for key in row):
        shown = ", ".join(repr(key[:40]) for key in list(row)[:12])
        yield RowTrouble(origin, f"the object has no loc or url; it has {shown or 'nothing'}")
    else:
        yield from items_of_mapping(row, origin, options)


def from_csv(file: BinaryIO, name: str, options: SourceOptions, delimiter: str | None = None) -> Iterator[Item]:
    """With a header, or without one where the first row begins with an address: loc, lastmod, changefreq, priority."""
    lines = Counted(_texts(file, name))
    first = next(lines, None)
    while first is not None and not first.strip():
        first = next(lines, None)
    if first is None:
        return
    rows = csv.reader(_chained(first, lines), delimiter=delimiter or delimiter_of(first), strict=True)
    table: Table | None = None
    width = 0
    start = lines.number
    while True:
        origin = f"{name}:{start}"
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield RowTrouble(origin, f"the row is no CSV: {error}")
            start = lines.number + 1
            continue
        start = lines.number + 1
        if table is None:
            has_header = not (row and _ADDRESS.match(row[0]))
            table = Table(row if has_header else _ORDER_WITHOUT_HEADER, name, options)
            width = len(row) if has_header else len(_ORDER_WITHOUT_HEADER)
            if has_header:
                continue
        if len(row) > width:
            yield RowTrouble(origin, f"the row has {len(row)} cells, the header {width}")
        elif any(cell.strip() for cell in row):
            yield from table.items(row, origin)


def from_tsv(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Item]:
    return from_csv(file, name, options, "\t")


def delimiter_of(header: str) -> str:
    """The one that gives the most columns that are known, then the most columns; a comma when none does."""

    def worth(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip().strip('"') for cell in header.split(delimiter)]
        return sum(meaning_of(cell) is not None for cell in cells), len(cells) if len(cells) > 1 else 0

    return max(_DELIMITERS, key=worth)


class Counted:
    """Lines, knowing how many were handed out."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line


def _chained(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _texts(file: BinaryIO, name: str) -> Iterator[str]:
    """Bytes that are no UTF-8 become lone surrogates, which no address may hold: a row is refused, not the file."""
    for _, line in lines_of(file, name):
        yield "" if line is None else line.decode("utf-8", "surrogateescape")


def lines_of(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes | None]]:
    """Numbered from 1, without a byte order mark, as UTF-8; None for a line that is too long."""
    try:
        plain = as_utf8(unpacked(file))
        number = 0
        readline = plain.readline
        while line := readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while (rest := readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield number, None
            else:
                yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise SourceBroken(f"{name} broke off: {error}") from error


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
                self._text.detach()  # whoever opened the file closes it
        super().close()


def _not_utf8(text: bytes) -> str:
    return f"the line is not UTF-8: {text[:60].decode('utf-8', 'backslashreplace')!r}"
