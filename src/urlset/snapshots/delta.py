"""Two states of a site's sitemaps → how they differ: few entries in memory, many by DuckDB on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from urlset.reading.fingerprint import Content, changed_content
from urlset.snapshots.parquet import FACET_HASHES, FIELDS, EntryBlock, connect, parts, quoted, rows_of, text
from urlset.spec.page_facets import SAID, Facet
from urlset.writing.files import WorkFolder


class Summary(msgspec.Struct, frozen=True):
    """Every URL of either state is counted in exactly one of these.

    OLD has removed + renamed + changed + moved + unchanged URLs, NEW has added + renamed + changed + moved + unchanged.
    """

    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    """listed in another file, otherwise the same"""
    renamed: int = 0
    unchanged: int = 0

    @property
    def old(self) -> int:
        return self.removed + self.renamed + self.changed + self.moved + self.unchanged

    @property
    def new(self) -> int:
        return self.added + self.renamed + self.changed + self.moved + self.unchanged

    @property
    def differs(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved or self.renamed)


class Loose(NamedTuple):
    """A URL that only one of the two states lists, with what may tell where it went or came from."""

    loc: str
    lastmod: str | None = None
    images: str | None = None
    alternates: str | None = None
    final_url: str | None = None
    """where it redirected to, if an audit saw it"""
    canonical: str | None = None
    """what it named as canonical, if that is another URL"""
    fingerprint: int | None = None
    """of its main text"""


class Changed(msgspec.Struct, frozen=True):
    loc: str
    fields: dict[str, tuple[str | None, str | None]]
    """name → old and new value; lists as JSON texts"""
    files: tuple[str, str] | None = None
    """where it was and is listed, if that differs too"""
    page: tuple[str, ...] | None = None
    """the parts of the page that changed, as audits saw it: text, images, data …; None where that is unknown"""

    @property
    def evidence(self) -> str | None:
        """For a new lastmod: what changed on the page with it."""
        if self.page is None or "lastmod" not in self.fields:
            return None
        changed = ", ".join(SAID[Facet(each)] for each in self.page)
        return f"changed: {changed}" if changed else "page unchanged"


class Moved(msgspec.Struct, frozen=True):
    loc: str
    old: str
    new: str


class RenamedUrl(msgspec.Struct, frozen=True):
    old: str
    new: str
    evidence: str
    """`redirect`, `canonical`, `content` or `path`"""
    detail: str = ""
    """what exactly was seen"""


class Delta(Protocol):
    """Two states compared; URLs come in their order, whatever the order in the files."""

    @property
    def counts(self) -> Summary:
        """Without renames."""

    def added(self) -> Iterator[Loose]: ...

    def removed(self) -> Iterator[Loose]: ...

    def changed(self) -> Iterator[Changed]: ...

    def moved(self) -> Iterator[Moved]: ...

    def close(self) -> None: ...


# Labels: names under which a file of one state can be the same as a file of the other.
#
# `public/sitemap-1.xml.gz` in a build folder and `https://www.example.com/sitemap-1.xml` on the web are one file in
# two places. So a file is named by its path below the folder that all files of its state share, without `.gz`. Where
# both states have a single file, it has no name: nothing can move between files then.


def labels(old: Iterable[str], new: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The name of each file of either state."""
    first, second = dict.fromkeys(old), dict.fromkeys(new)
    if len(first) <= 1 and len(second) <= 1:
        return dict.fromkeys(first, ""), dict.fromkeys(second, "")
    return _named(first), _named(second)


def _named(files: Iterable[str]) -> dict[str, str]:
    paths = {file: _path(file).split("/") for file in files}
    folders = [parts[:-1] for parts in paths.values()]
    shared = 0
    while folders and all(len(parts) > shared and parts[shared] == folders[0][shared] for parts in folders):
        shared += 1
    return {file: "/".join(parts[shared:]) for file, parts in paths.items()}


def _path(file: str) -> str:
    if file[:8].lower().startswith(("http://", "https://")):
        parts = urlsplit(file)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    else:
        path = file.replace("\\", "/")
    return path.removesuffix(".gz")


# In memory, without any extra package.

Values = tuple[str | None, ...]
Key = Callable[[str], str]


class MemoryState:
    """The entries of one state by URL. A URL that is listed twice has the greatest value of each field."""

    def __init__(self, key: Key = str) -> None:
        self._key = key
        self.entries: dict[str, tuple[str, Values, tuple[str, ...]]] = {}
        """key → URL as written, values, files"""

    def add(self, block: EntryBlock) -> None:
        files = (block.file,)
        columns: Iterable[Sequence[str | None]] = (
            block.fields.get(name) or [None] * len(block.locs) for name in FIELDS
        )
        entries, key = self.entries, self._key
        for loc, values in zip(block.locs, zip(*columns, strict=True), strict=True):
            name = key(loc)
            known = entries.get(name)
            entries[name] = (loc, values, files) if known is None else _joined(known, (loc, values, files))

    def __len__(self) -> int:
        return len(self.entries)


def _joined(
    one: tuple[str, Values, tuple[str, ...]], two: tuple[str, Values, tuple[str, ...]]
) -> tuple[str, Values, tuple[str, ...]]:
    values = tuple(max(a or "", b or "") or None for a, b in zip(one[1], two[1], strict=True))
    return min(one[0], two[0]), values, tuple(sorted({*one[2], *two[2]}))


class MemoryDelta:
    """A Delta over two MemoryStates."""

    def __init__(self, old: MemoryState, new: MemoryState, fields: Sequence[str] = FIELDS) -> None:
        self._old, self._new = old.entries, new.entries
        self._columns = [FIELDS.index(name) for name in fields]
        self._added = sorted(new.entries.keys() - old.entries.keys())
        self._removed = sorted(old.entries.keys() - new.entries.keys())
        self._changed: list[str] = []
        self._moved: list[str] = []
        both = 0
        for key in old.entries.keys() & new.entries.keys():
            both += 1
            _, before, was = old.entries[key]
            _, after, now = new.entries[key]
            if before != after and any(before[column] != after[column] for column in self._columns):
                self._changed.append(key)
            elif was != now:
                self._moved.append(key)
        self._changed.sort()
        self._moved.sort()
        self.counts = Summary(
            len(self._added),
            len(self._removed),
            len(self._changed),
            len(self._moved),
            unchanged=both - len(self._changed) - len(self._moved),
        )

    def added(self) -> Iterator[Loose]:
        return (_loose(*self._new[key][:2]) for key in self._added)

    def removed(self) -> Iterator[Loose]:
        return (_loose(*self._old[key][:2]) for key in self._removed)

    def changed(self) -> Iterator[Changed]:
        for key in self._changed:
            _, before, was = self._old[key]
            loc, after, now = self._new[key]
            fields = {FIELDS[at]: (before[at], after[at]) for at in self._columns if before[at] != after[at]}
            yield Changed(loc, fields, None if was == now else (listed_in(was), listed_in(now)))

    def moved(self) -> Iterator[Moved]:
        for key in self._moved:
            yield Moved(self._new[key][0], listed_in(self._old[key][2]), listed_in(self._new[key][2]))

    def close(self) -> None:
        """Nothing is held but memory."""


def _loose(loc: str, values: Values) -> Loose:
    return Loose(loc, values[_LASTMOD], values[_IMAGES], values[_ALTERNATES])


def listed_in(files: Sequence[str]) -> str:
    return ", ".join(files)


_LASTMOD, _IMAGES, _ALTERNATES = (FIELDS.index(name) for name in ("lastmod", "images", "alternates"))


# On disk, by DuckDB in bounded memory.
#
# First the entries of both are grouped by the hash of their address, and the hashes of what they say are summed up,
# with opposite signs: a sum of nothing is an address of which both say the same. Only the rest is looked at as text.

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
        # the hashes of addresses that may differ; the number of all others
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
        unchanged = int(found[0])
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
        for start in range(0, len(labels), _PORTION):
            some = labels[start : start + _PORTION]
            values = ", ".join("(?, ?)" for _ in some)
            self._db.execute(f"INSERT INTO {name}_files VALUES {values}", [text for row in some for text in row])
        self._db.execute(f"CREATE VIEW {name} AS {found} {join}")

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
