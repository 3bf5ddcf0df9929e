"""Documents → their entries as columns of plain texts → one Parquet file, a row per entry, read back by DuckDB.

The footer of the file has the facts about the whole snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec

from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.model.entry import Media
from urlset.model.frames import library, trimmed
from urlset.reading.fingerprint import hash_of, hashes_of
from urlset.spec.page_facets import Facet

TEXT_FIELDS = ("lastmod", "changefreq", "priority")
"""as written"""
MEDIA_FIELDS = ("images", "videos", "news", "alternates", "mobile", "other")
"""JSON; the order of images and alternates does not count"""
FIELDS = (*TEXT_FIELDS, *MEDIA_FIELDS)
"""everything an entry says about its page"""

Column = list[str | None]
_BETWEEN = "\x1f"
_encode = msgspec.json.Encoder(order="deterministic").encode


class EntryBlock(NamedTuple):
    """The entries of one sitemap file, or a part of them."""

    file: str
    """the URL of the sitemap, or its path"""
    positions: Sequence[int]
    """the number of each entry in the file, from 0"""
    locs: list[str]
    fields: dict[str, Column]
    """by the names in FIELDS; a field that no entry has is left out"""


def block_of(document: Document, rows: Sequence[int]) -> EntryBlock:
    """`rows` are those with a loc."""
    columns = document.columns
    texts = dict(zip(TEXT_FIELDS, (columns.lastmods, columns.changefreqs, columns.priorities), strict=True))
    every = len(rows) == len(columns)
    fields = {name: trimmed(each if every else [each[row] for row in rows]) for name, each in texts.items()}
    locs = [loc or "" for loc in trimmed(columns.locs if every else [columns.locs[row] for row in rows])]
    if columns.extended:
        found: dict[str, Column] = {name: [None] * len(rows) for name in MEDIA_FIELDS}
        marks = document.columns.marks
        for at, row in enumerate(rows):
            if marks[row] & Mark.EXTENDED:
                media = document.media(row)
                for name, value_of in _VALUES.items():
                    found[name][at] = value_of(media)
        fields |= found
    kept = {name: column for name, column in fields.items() if any(column)}
    return EntryBlock(document.url or document.name, rows, locs, kept)


def fields_hashes(block: EntryBlock) -> list[int]:
    """One for all fields but the address; entries that say the same are mostly many, and hashed once."""
    known: dict[tuple[str | None, ...], int] = {}
    columns = [block.fields.get(name) or [None] * len(block.locs) for name in FIELDS]
    hashes = []
    for values in zip(*columns, strict=True):
        found = known.get(values)
        if found is None:
            text = _BETWEEN.join("\x00" if each is None else each for each in values)
            found = known[values] = hash_of(text)
            if len(known) > 100_000:
                known.clear()
        hashes.append(found)
    return hashes


def _unordered(items: Sequence[object]) -> str | None:
    return b"".join([b"[", b",".join(sorted(map(_encode, items))), b"]"]).decode() if items else None


def _ordered(items: Sequence[object]) -> str | None:
    return _encode(items).decode() if items else None


_VALUES: dict[str, Callable[[Media], str | None]] = {
    "images": lambda media: _unordered(media.images),
    "videos": lambda media: _ordered(media.videos),
    "news": lambda media: _ordered(media.news),
    "alternates": lambda media: _unordered(media.alternates),
    "mobile": lambda media: None if media.mobile is None else "true",
    "other": lambda media: _ordered((*media.pagemaps, *media.unknown)),
}


# Blocks of entries → the file.

EXTRA = "seo"
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
            "loc": self._array(block.locs, pa.string()),
            "loc_hash": pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(hashes_of(block.locs))]),
            "fields_hash": pa.array(fields_hashes(block), pa.int64()),
        }
        for name in (*FIELDS, *FACTS):
            kind = self.schema.field(name).type
            values = block.fields.get(name) if name in FIELDS else (facts or {}).get(name)
            columns[name] = pa.nulls(count, kind) if values is None else self._array(values, kind)
        self.add_table(pa.table(columns, schema=self.schema))

    def add_table(self, table: Any) -> None:
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
                table = file.read_row_group(number).replace_schema_metadata(None)
                for at, field in enumerate(self.schema):
                    if field.name not in table.column_names:  # in a part written by an older version
                        table = table.add_column(at, field, self._arrow.nulls(table.num_rows, field.type))
                self.add_table(table)

    def _flush(self) -> None:
        if self._waiting:
            self._file.write_table(self._arrow.concat_tables(self._waiting), row_group_size=ROW_GROUP)
        self._waiting, self._rows = [], 0

    def _array(self, values: Sequence[object], kind: Any) -> Any:
        try:
            return self._arrow.array(values, kind)
        except UnicodeEncodeError:  # half a character, which no file can hold
            return self._arrow.array([None if each is None else _sound(str(each)) for each in values], kind)

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
