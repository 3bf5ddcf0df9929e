"""Blocks of entries → one Parquet file, a row per entry, with the facts about the whole snapshot in its footer.

DuckDB reads it back in bounded memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from urlset.model.frames import library
from urlset.reading.fingerprint import hash_of, hashes_of
from urlset.snapshots.block import FIELDS, EntryBlock, fields_hashes
from urlset.spec.page_facets import Facet

EXTRA = "history"
FOOTER = b"urlset"
"""the key of the footer under which the facts about the snapshot are kept, as JSON"""
ROW_GROUP = 100_000
FACET_HASHES = {facet: f"{facet}_hash" for facet in Facet}
FACTS: dict[str, str] = {
    "state": "string",
    "status": "int16",
    "final_url": "string",
    "canonical": "string",
    "indexable": "bool_",
    "title": "string",
    "words": "int32",
    "fingerprint": "int64",
    **dict.fromkeys(FACET_HASHES.values(), "int32"),
    "codes": "string",
    "seen": "string",
    "indexed": "bool_",
}
"""what an audit and Google's URL inspection know of the page, and the type of each; null where unknown"""
Facts = Mapping[str, Sequence[object]]
_LEVEL = 3
_DELTA = {"position": "DELTA_BINARY_PACKED", "loc": "DELTA_BYTE_ARRAY"}
_PLAIN = {"loc_hash": "PLAIN", "fingerprint": "PLAIN"}


def is_installed() -> bool:
    """Whether both packages of the extra are there; neither is loaded."""
    return find_spec("pyarrow") is not None and find_spec("duckdb") is not None


def require(purpose: str) -> None:
    """Raises NotInstalledError, without loading anything."""
    for name in ("pyarrow", "duckdb"):
        if find_spec(name) is None:
            library(name, EXTRA, purpose)


def loc_hash(loc: str) -> int:
    return hash_of(loc)


class SnapshotWriter:
    """Open while rows come in. Without `close` there is no footer, and the file is worth nothing."""

    def __init__(self, path: Path, purpose: str = "a comparison of this size", *, to_keep: bool = False) -> None:
        """`to_keep` takes more time for a smaller file."""
        self._arrow = library("pyarrow", EXTRA, purpose)
        parquet = library("pyarrow.parquet", EXTRA, purpose)
        self.schema = self._arrow.schema(
            [
                ("file", self._arrow.string()),
                ("position", self._arrow.int32()),
                ("loc", self._arrow.string()),
                ("loc_hash", self._arrow.int64()),
                *((name, self._arrow.string()) for name in FIELDS),
                ("fields_hash", self._arrow.int64()),
                *((name, getattr(self._arrow, kind)()) for name, kind in FACTS.items()),
            ]
        )
        encodings = _DELTA | _PLAIN
        self._file: Any = parquet.ParquetWriter(
            path,
            self.schema,
            compression="zstd" if to_keep else "lz4",
            compression_level=_LEVEL if to_keep else None,
            use_dictionary=[name for name in self.schema.names if name not in encodings],
            column_encoding=encodings,
        )
        self._waiting: list[Any] = []
        self._rows = 0
        self.entries = 0

    def add(self, block: EntryBlock, facts: Facts | None = None) -> None:
        count = len(block.locs)
        if not count:
            return
        pa = self._arrow
        columns: dict[str, Any] = {
            "file": pa.repeat(_sound(block.file), count),
            "position": pa.array(block.positions, pa.int32()),
            "loc": self._texts(block.locs),
            "loc_hash": pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(hashes_of(block.locs))]),
            "fields_hash": pa.array(fields_hashes(block), pa.int64()),
        }
        for name in FIELDS:
            column = block.fields.get(name)
            columns[name] = pa.nulls(count, pa.string()) if column is None else self._texts(column)
        for name in FACTS:
            kind = self.schema.field(name).type
            values = facts.get(name) if facts is not None else None
            columns[name] = pa.nulls(count, kind) if values is None else self._facts(values, kind)
        self._waiting.append(pa.table(columns, schema=self.schema))
        self._rows += count
        self.entries += count
        if self._rows >= ROW_GROUP:
            self._flush()

    def add_table(self, table: Any) -> None:
        """Rows that another writer wrote."""
        self._waiting.append(table)
        self._rows += table.num_rows
        self.entries += table.num_rows
        if self._rows >= ROW_GROUP:
            self._flush()

    def add_file(self, path: Path) -> None:
        """The rows of a file that another writer wrote, a group at a time."""
        parquet = library("pyarrow.parquet", EXTRA, "reading a part")
        with parquet.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                self.add_table(self._complete(file.read_row_group(number).replace_schema_metadata(None)))

    def _complete(self, table: Any) -> Any:
        """With the columns that a part written by an older version lacks."""
        for at, field in enumerate(self.schema):
            if field.name not in table.column_names:
                table = table.add_column(at, field, self._arrow.nulls(table.num_rows, field.type))
        return table

    def _flush(self) -> None:
        if self._waiting:
            self._file.write_table(self._arrow.concat_tables(self._waiting), row_group_size=ROW_GROUP)
        self._waiting, self._rows = [], 0

    def _texts(self, texts: Sequence[str | None]) -> Any:
        try:
            return self._arrow.array(texts, self._arrow.string())
        except UnicodeEncodeError:  # half a character, which no file can hold
            return self._arrow.array([text and _sound(text) for text in texts], self._arrow.string())

    def _facts(self, values: Sequence[object], kind: Any) -> Any:
        try:
            return self._arrow.array(values, kind)
        except UnicodeEncodeError:
            return self._arrow.array([_sound(str(each)) if each is not None else None for each in values], kind)

    def close(self, footer: bytes | None = None) -> None:
        self._flush()
        if footer is not None:
            self._file.add_key_value_metadata({FOOTER: footer})
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _sound(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def read_footer(path: Path) -> bytes | None:
    """The facts about a snapshot; None for another Parquet file. Raises OSError or pyarrow's ArrowInvalid."""
    parquet = library("pyarrow.parquet", EXTRA, "reading a snapshot")
    found: bytes | None = (parquet.read_metadata(path).metadata or {}).get(FOOTER)
    return found


# Reading with DuckDB, whose memory is bounded; what does not fit goes to a folder.

MEMORY, MEMORY_FOR_MANY = 128, 176
"""megabytes that DuckDB may use; what else the process needs comes on top"""
MANY = 4_000_000
"""rows from which on the larger amount is used"""
_AT_ONCE, _AT_ONCE_OF_MANY = 250_000, 1_000_000
"""rows grouped in one go: DuckDB gives up where a single grouping does not fit, so large ones are cut"""


def connect(folder: Path, rows: int) -> Any:
    """`rows` is about how many are looked at."""
    duckdb = library("duckdb", EXTRA, "comparing snapshots")
    return duckdb.connect(
        str(folder / "work.duckdb"),
        config={
            "memory_limit": f"{MEMORY_FOR_MANY if rows > MANY else MEMORY}MB",
            "temp_directory": str(folder / "spill"),
            "threads": 1,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


def parts(rows: int) -> int:
    """Into how many parts a grouping of so many rows is cut; a power of two, so a mask picks them."""
    at_once = _AT_ONCE_OF_MANY if rows > MANY else _AT_ONCE
    count = 1
    while count * at_once < rows:
        count *= 2
    return count


def quoted(path: Path) -> str:
    """A path for `read_parquet`, which would take some characters for a pattern."""
    return text("".join(f"[{char}]" if char in "*?[" else char for char in str(path)))


def text(value: object) -> str:
    """For SQL that takes no parameters."""
    return "'" + str(value).replace("'", "''") + "'"


def rows_of(db: Any, path: Path) -> str:
    """SQL for the rows of a snapshot, with the hashes that one of an older version lacks."""
    source = f"read_parquet({quoted(path)})"
    names = {row[0] for row in db.execute(f"SELECT name FROM parquet_schema({quoted(path)})").fetchall()}
    lacking = [name for name in FACET_HASHES.values() if name not in names]
    nulls = "".join(f", NULL::INTEGER AS {name}" for name in lacking)
    return f"(SELECT *{nulls} FROM {source})" if lacking else source


def footer_of(path: Path, key: bytes) -> bytes | None:
    """One value of the footer of a Parquet file; None where it has no such key. Raises OSError for other files.

    DuckDB is used because commands that read snapshots load it anyway, and pyarrow would cost them 80 MB more.
    """
    duckdb = library("duckdb", EXTRA, "reading a snapshot")
    with duckdb.connect(config={"threads": 1}) as db:
        try:
            rows = db.execute(f"SELECT key, value FROM parquet_kv_metadata({quoted(path)})").fetchall()
        except duckdb.Error as error:
            raise OSError(str(error)) from error
    return next((bytes(value) for name, value in rows if bytes(name) == key), None)
