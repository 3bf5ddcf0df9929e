"""A snapshot and a filter → the next matching pages, found in bounded time in a snapshot of any size.

Columns with few values are filtered in milliseconds. A text has to be looked for in every URL and title, so a large
snapshot is searched in stretches; when the time is used up, the answer says how far it got, and the next call
continues from there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from urlset.model.frames import library
from urlset.snapshots.parquet import EXTRA, quoted
from urlset.snapshots.series import SnapshotError, SnapshotInfo

PAGE = 50
STRETCH = 250_000
"""rows that are searched before the clock is looked at"""
SECONDS = 0.15
"""of CPU for one answer; a stretch that was begun is finished"""
_COLUMNS = (
    *("file_row_number", "loc", "file", "position", "lastmod", "state", "status", "final_url", "canonical"),
    *("indexable", "indexed", "title", "codes"),
)
_MEGABYTES = 256


class PageFilter(msgspec.Struct, frozen=True):
    """The wanted pages; an empty value matches all."""

    text: str = ""
    """a part of the URL, as written"""
    title: str = ""
    """a part of the title, in any case"""
    state: str = ""
    status: int | None = None
    code: str = ""
    file: str = ""
    indexed: bool | None = None
    indexable: bool | None = None

    @property
    def is_empty(self) -> bool:
        return self == PageFilter()


class SnapshotPage(msgspec.Struct, frozen=True):
    """One listed page, as `_COLUMNS` names its facts."""

    row: int
    loc: str
    file: str
    position: int
    lastmod: str | None = None
    state: str | None = None
    status: int | None = None
    final_url: str | None = None
    canonical: str | None = None
    indexable: bool | None = None
    indexed: bool | None = None
    title: str | None = None
    codes: str | None = None


class PageRows(msgspec.Struct, frozen=True):
    rows: tuple[SnapshotPage, ...]
    found: int
    """matches from `start` to `searched`"""
    searched: int
    """the row up to which all was searched"""
    of: int
    after: int | None = None
    """where the next page of results starts; None after the last"""
    total: int | None = None
    """all matches of the snapshot, where that is known"""

    @property
    def is_complete(self) -> bool:
        return self.searched >= self.of


class PageSearch:
    """Holds one database in memory; used by many threads."""

    def __init__(self) -> None:
        duckdb = library("duckdb", EXTRA, "searching snapshots")
        self._error: type[Exception] = duckdb.IOException
        self._db: Any = duckdb.connect(
            config={
                "memory_limit": f"{_MEGABYTES}MB",
                "threads": 1,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )

    def close(self) -> None:
        self._db.close()

    def find(
        self, path: Path, info: SnapshotInfo, wanted: PageFilter, *, start: int = 0, seconds: float = SECONDS
    ) -> PageRows:
        """At most PAGE rows from `start` on, in the order of the sitemaps. Raises SnapshotError."""
        cursor = self._db.cursor()
        try:
            condition, values = _condition(wanted)
            source = f"read_parquet({quoted(path)}, file_row_number=true)"
            rows: list[SnapshotPage] = []
            found, at, end = 0, max(0, start), info.entries
            until = time.thread_time() + seconds
            stretch = STRETCH if wanted.text or wanted.title else end
            while at < end:
                there = min(at + stretch, end)
                span = f"file_row_number >= {at} AND file_row_number < {there} AND {condition}"
                room = PAGE + 1 - len(rows)
                sql = f"SELECT {', '.join(_COLUMNS)} FROM {source} WHERE {span} LIMIT {room}"
                new = [SnapshotPage(*row) for row in cursor.execute(sql, values).fetchall()] if room else []
                rows += new
                if wanted.is_empty:
                    found += there - at
                elif len(new) < room:
                    found += len(new)
                else:
                    found += int(cursor.execute(f"SELECT count(*) FROM {source} WHERE {span}", values).fetchone()[0])
                at = there
                if time.thread_time() > until:
                    break
            after = rows[PAGE].row if len(rows) > PAGE else (at if at < end else None)
            total = found if start <= 0 and at >= end else _known_total(info, wanted)
            return PageRows(tuple(rows[:PAGE]), found, at, end, after, total)
        except self._error as error:
            raise SnapshotError(f"{path.name}: the snapshot cannot be read, or was removed") from error
        finally:
            cursor.close()

    def all(self, path: Path, wanted: PageFilter) -> Iterator[tuple[Any, ...]]:
        """Every match, for a download; the names are those of `columns`."""
        condition, values = _condition(wanted)
        cursor = self._db.cursor()
        try:
            cursor.execute(
                f"SELECT {', '.join(_COLUMNS[1:])} FROM read_parquet({quoted(path)}) WHERE {condition}", values
            )
            while rows := cursor.fetchmany(5_000):
                yield from rows
        finally:
            cursor.close()

    @property
    def columns(self) -> tuple[str, ...]:
        return _COLUMNS[1:]


def _condition(wanted: PageFilter) -> tuple[str, list[object]]:
    """SQL with placeholders, and their values."""
    parts: list[str] = []
    values: list[object] = []

    def add(sql: str, *bound: object) -> None:
        parts.append(sql)
        values.extend(bound)

    if wanted.text:
        add("contains(loc, ?)", wanted.text)
    if wanted.title:
        add("contains(lower(title), ?)", wanted.title.lower())
    if wanted.code:
        add("list_contains(string_split(codes, ' '), ?)", wanted.code)
    for name in ("state", "status", "file", "indexed", "indexable"):
        value = getattr(wanted, name)
        if value not in (None, ""):
            add(f"{name} = ?", value)
    return " AND ".join(parts) or "true", values


def _known_total(info: SnapshotInfo, wanted: PageFilter) -> int | None:
    """The footer counts states, findings and files."""
    if wanted.is_empty:
        return info.entries
    if info.listed < info.entries and not wanted.file:
        return None  # the footer counts a URL once, the table has a row for each entry
    if wanted == PageFilter(state=wanted.state):
        return info.states.get(wanted.state, 0)
    if wanted == PageFilter(code=wanted.code):
        return info.findings.get(wanted.code, 0)
    if wanted == PageFilter(file=wanted.file):
        return sum(each.entries for each in info.files if each.name == wanted.file)
    return None
