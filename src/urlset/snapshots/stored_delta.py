"""Two Parquet files of entries → how they differ, by DuckDB in bounded memory.

First the entries of both are grouped by the hash of their address, and the hashes of what they say are summed up, with
opposite signs: a sum of nothing is an address of which both say the same. Only the rest is looked at as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec

from urlset.reading.page_facets import Content, changed_content
from urlset.snapshots.block import FIELDS
from urlset.snapshots.database import connect, parts, quoted, rows_of, text
from urlset.snapshots.delta import Changed, Loose, Moved, Summary
from urlset.snapshots.parquet import FACET_HASHES
from urlset.writing.work_folder import WorkFolder

ORIGIN = "^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*"
"""scheme and host; what is left is compared where hosts do not count"""
_PORTION = 5_000
_FILES = 32
"""that are written at once: each takes DuckDB about a megabyte"""
_CONTENT = ("seen", "fingerprint", *FACET_HASHES.values())
_COMPARED = (*FIELDS, "final_url", "canonical", *_CONTENT)
_LOOSE = ("lastmod", "images", "alternates", "final_url", "canonical", "fingerprint")


class StoredState(msgspec.Struct, frozen=True):
    path: Path | None
    labels: Mapping[str, str]
    """the name of each file by which the states are compared"""
    entries: int
    parts: tuple[tuple[Path, str], ...] = ()
    """instead of one Parquet file: one for each file, and its label"""


class StoredDelta:
    """A Delta whose lists lie on disk until it is closed."""

    def __init__(
        self,
        old: StoredState,
        new: StoredState,
        folder: WorkFolder,
        fields: Sequence[str] = FIELDS,
        *,
        ignore_host: bool = False,
    ) -> None:
        self._folder, self._fields = folder, fields
        self._entries = old.entries + new.entries
        self._db = connect(folder.path, self._entries)
        self._key = f"regexp_replace(loc, '{ORIGIN}', '')" if ignore_host else "loc"
        self._hash = f"hash({self._key})" if ignore_host else "loc_hash"
        self._view("old", old)
        self._view("new", new)
        unchanged = self._find_suspects()
        self._resolve()
        counts = dict(self._db.execute("SELECT kind, count(*) FROM delta GROUP BY kind").fetchall())
        self.counts = Summary(
            counts.get("added", 0),
            counts.get("removed", 0),
            counts.get("changed", 0),
            counts.get("moved", 0),
            unchanged=unchanged + counts.get("unchanged", 0),
        )

    def _view(self, name: str, state: StoredState) -> None:
        self._db.execute(f"CREATE TABLE {name}_files (file VARCHAR, label VARCHAR)")
        if state.path is not None:
            labels = list(state.labels.items()) or [("", "")]
            found = f"SELECT p.*, coalesce(f.label, p.file) AS label FROM {rows_of(self._db, state.path)} p"
            join = f"LEFT JOIN {name}_files f USING (file)"
        else:
            labels = [(str(path), label) for path, label in state.parts]
            paths = ", ".join(dict.fromkeys(quoted(path) for path, _ in state.parts))
            found = f"SELECT p.*, f.label FROM read_parquet([{paths}], filename = true) p"
            join = f"JOIN {name}_files f ON p.filename = f.file"
        self._insert(f"{name}_files", labels)
        self._db.execute(f"CREATE VIEW {name} AS {found} {join}")

    def _insert(self, table: str, rows: Sequence[tuple[str, str]]) -> None:
        for start in range(0, len(rows), _PORTION):
            some = rows[start : start + _PORTION]
            values = ", ".join("(?, ?)" for _ in some)
            self._db.execute(f"INSERT INTO {table} VALUES {values}", [text for row in some for text in row])

    def _find_suspects(self) -> int:
        """The hashes of addresses that may differ; the number of all others."""
        said = "fields_hash" if tuple(self._fields) == FIELDS else ", ".join(self._fields)
        self._db.execute("CREATE TABLE suspects (k HUGEINT, groups BIGINT)")
        rows = " UNION ALL ".join(
            f"SELECT {self._hash} AS k, hash({said}, label) AS said, {sign} AS sign FROM {name}"
            for sign, name in ((1, "old"), (-1, "new"))
        )
        for portion in self._portions(rows):
            self._db.execute(f"""
                INSERT INTO suspects
                SELECT CASE WHEN difference = 0 THEN NULL ELSE k END, count(*) FROM (
                    SELECT k, sum(said::HUGEINT * sign) AS difference FROM ({portion}) GROUP BY k
                ) GROUP BY 1""")
        found = self._db.execute("SELECT coalesce(sum(groups), 0) FROM suspects WHERE k IS NULL").fetchone()
        return int(found[0])

    def _portions(self, rows: str) -> Iterator[str]:
        """The same rows, those with equal `k` together; more than can be grouped at once are first written apart."""
        count = parts(self._entries)
        if count == 1:
            yield rows
            return
        home = self._folder.path / "hashes"
        files = min(count, _FILES)
        self._db.execute(
            f"COPY (SELECT *, k & {files - 1} AS part FROM ({rows})) TO {text(home)}"
            " (FORMAT parquet, COMPRESSION uncompressed, PARTITION_BY (part))"
        )
        for part in range(files):
            folder = home / f"part={part}"
            if folder.exists():
                written = ", ".join(map(quoted, sorted(folder.iterdir())))
                found = f"SELECT k, said, sign FROM read_parquet([{written}], hive_partitioning = false)"
                for portion in range(part, count, files):
                    yield f"{found} WHERE k & {count - 1} = {portion}"
                rmtree(folder)

    def _resolve(self) -> None:
        """The suspects as texts: what was and what is, and which kind of difference that makes."""
        columns = []
        for side, prefix in ((0, "o"), (1, "n")):
            columns += [f"min(loc) FILTER (side = {side}) AS {prefix}_loc"]
            columns += [f"max({name}) FILTER (side = {side}) AS {prefix}_{name}" for name in _COMPARED]
            columns += [f"string_agg(DISTINCT label, ', ' ORDER BY label) FILTER (side = {side}) AS {prefix}_files"]
        differs = " OR ".join(f"o_{name} IS DISTINCT FROM n_{name}" for name in self._fields) or "false"
        suspects = int(self._db.execute("SELECT count(*) FROM suspects WHERE k IS NOT NULL").fetchone()[0])
        count = parts(4 * suspects)
        for part in range(count):
            chosen = f"SELECT k FROM suspects WHERE k IS NOT NULL AND k & {count - 1} = {part}"
            rows = " UNION ALL ".join(
                f"SELECT {side} AS side, {self._key} AS k, loc, label, {', '.join(_COMPARED)} FROM {name}"
                f" WHERE {self._hash} IN ({chosen})"
                for side, name in ((0, "old"), (1, "new"))
            )
            self._db.execute(f"""
                {"INSERT INTO delta" if part else "CREATE TABLE delta AS"}
                SELECT *, CASE
                    WHEN o_loc IS NULL THEN 'added'
                    WHEN n_loc IS NULL THEN 'removed'
                    WHEN {differs} THEN 'changed'
                    WHEN o_files IS DISTINCT FROM n_files THEN 'moved'
                    ELSE 'unchanged' END AS kind
                FROM (SELECT k, {", ".join(columns)} FROM ({rows}) GROUP BY k)""")

    def added(self) -> Iterator[Loose]:
        return self._loose("n", "added")

    def removed(self) -> Iterator[Loose]:
        return self._loose("o", "removed")

    def _loose(self, prefix: str, kind: str) -> Iterator[Loose]:
        columns = ", ".join(f"{prefix}_{name}" for name in ("loc", *_LOOSE))
        return (Loose(*row) for row in self._rows(columns, kind))

    def changed(self) -> Iterator[Changed]:
        names = self._fields
        sides = [f"{prefix}_{name}" for prefix in "on" for name in (*names, *_CONTENT)]
        half, count = len(sides) // 2, len(names)
        for loc, was, now, *values in self._rows(", ".join(["n_loc", "o_files", "n_files", *sides]), "changed"):
            before, after = values[:half], values[half:]
            pairs = zip(names, before[:count], after[:count], strict=True)
            fields = {name: (old, new) for name, old, new in pairs if old != new}
            is_new_fetch = before[count] != after[count]
            page = (
                changed_content(_content(before[count + 1 :]), _content(after[count + 1 :])) if is_new_fetch else None
            )
            yield Changed(loc, fields, None if was == now else (was, now), page)

    def moved(self) -> Iterator[Moved]:
        return (Moved(*row) for row in self._rows("n_loc, o_files, n_files", "moved"))

    def _rows(self, columns: str, kind: str) -> Iterator[tuple[Any, ...]]:
        cursor = self._db.cursor()
        try:
            cursor.execute(f"SELECT {columns} FROM delta WHERE kind = ? ORDER BY k", [kind])
            while rows := cursor.fetchmany(_PORTION):
                yield from rows
        finally:
            cursor.close()

    def close(self) -> None:
        self._db.close()
        self._folder.close()


def _content(hashes: Sequence[int | None]) -> Content | None:
    text, *stated = hashes
    found = tuple(each for each in stated if each is not None)
    return None if text is None else Content(text, found if len(found) == len(stated) else None)
