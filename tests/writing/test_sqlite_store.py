"""One kind of state in SQLite: who may open it, which version it has, and what happens when it cannot be used."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from urlset.writing.sqlite_store import (
    META,
    ForeignState,
    Migration,
    OtherDatabase,
    StateBusy,
    StateError,
    StateFile,
    StateStore,
    columns,
    marks,
)

ALONE = StateFile(
    holder="another test",
    application_id=0x75726C74,
    migrations=(Migration(2, (META, "CREATE TABLE notes (text TEXT, count INTEGER)")),),
)
SHARED = msgspec.structs.replace(ALONE, shared=True)
KINDS = pytest.mark.parametrize("kind", [ALONE, SHARED], ids=["alone", "shared"])
STEP = Migration(3, ("CREATE TABLE copies (text TEXT)", "INSERT INTO copies SELECT text FROM notes"))
BROKEN = Migration(4, ("CREATE TABLE more (x)", "INSERT INTO nowhere VALUES (1)"))


class Note(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    count: int


class Notes(StateStore):
    def add(self, note: Note) -> None:
        with self._transaction() as db:
            db.execute(f"INSERT INTO notes ({columns(Note)}) VALUES ({marks(2)})", msgspec.structs.astuple(note))

    def all(self) -> list[Note]:
        return list(self._structs(Note, f"SELECT {columns(Note)} FROM notes ORDER BY rowid"))

    def first(self, text: str) -> int | None:
        found: int | None = self._value("SELECT count FROM notes WHERE text = ?", (text,))
        return found

    def forget_wrongly(self) -> None:
        with self._transaction() as db:
            db.execute("DELETE FROM notes")
            db.execute("INSERT INTO nowhere VALUES (1)")

    def ask(self, sql: str) -> object:
        return self._row(sql)


def later(kind: StateFile, *steps: Migration) -> StateFile:
    return msgspec.structs.replace(kind, migrations=(*kind.migrations, *steps))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "notes.db"


@KINDS
def test_rows_come_back_as_structs(kind: StateFile, path: Path) -> None:
    note = Note(text="a", count=1)
    with Notes(kind, path) as store:
        store.add(note)
        store.remember(run="7")
    with Notes(kind, path) as store:
        assert store.all() == [note]
        assert (store.first("a"), store.first("b")) == (1, None)
        assert (store.meta("run"), store.meta("stage"), store.all_meta()) == ("7", None, {"run": "7"})


@pytest.mark.posix
@KINDS
def test_state_is_for_its_user_alone(kind: StateFile, path: Path) -> None:
    with Notes(kind, path) as store:
        store.add(Note(text="a", count=1))
        files = [each for each in path.parent.iterdir() if each.name.startswith(path.name)]
        assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@KINDS
def test_what_fails_halfway_is_not_kept(kind: StateFile, path: Path) -> None:
    with Notes(kind, path) as store:
        store.add(Note(text="a", count=1))
        with pytest.raises(StateError, match="nowhere"):
            store.forget_wrongly()
        assert len(store.all()) == 1


def test_one_process_holds_what_is_not_shared(path: Path) -> None:
    with Notes(ALONE, path), pytest.raises(StateBusy, match="another test is running"):
        Notes(ALONE, path)


def test_others_read_what_is_shared_while_it_is_written(path: Path) -> None:
    with Notes(SHARED, path) as store, Notes(SHARED, path, read_only=True) as reader:
        store.add(Note(text="a", count=1))
        with store._transaction() as db:
            db.execute("DELETE FROM notes")
            assert len(reader.all()) == 1
        assert reader.all() == []
        with pytest.raises(StateError, match="readonly"):
            reader.add(Note(text="b", count=2))


@KINDS
@pytest.mark.parametrize("read_only", [False, True])
def test_an_older_file_is_brought_up_with_its_rows(kind: StateFile, path: Path, read_only: bool) -> None:
    with Notes(kind, path) as store:
        store.add(Note(text="a", count=1))
    for _ in range(2):
        with Notes(later(kind, STEP), path, read_only=read_only) as store:
            assert store.ask("SELECT text FROM copies") == ("a",)


def test_an_older_file_stays_as_it_is_until_it_is_written_to(path: Path) -> None:
    Notes(SHARED, path).close()
    kind = later(SHARED, STEP)
    with Notes(kind, path, migrate=False) as store:
        with pytest.raises(StateError, match="no such table: copies"):
            store.ask("SELECT * FROM copies")
        with store._transaction() as db:
            kind.bring_up(db, path)
        assert store.ask("SELECT count(*) FROM copies") == (0,)


@KINDS
def test_a_migration_that_fails_leaves_the_file_as_it_was(kind: StateFile, path: Path) -> None:
    with Notes(kind, path) as store:
        store.add(Note(text="a", count=1))
    with pytest.raises(StateError, match="nowhere"):
        Notes(later(kind, STEP, BROKEN), path)
    with Notes(kind, path) as store:
        assert len(store.all()) == 1
        assert store.ask("SELECT count(*) FROM sqlite_master WHERE name = 'copies'") == (0,)


def newer(path: Path) -> None:
    Notes(later(ALONE, STEP), path).close()


def older(path: Path) -> None:
    with closing(ALONE.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")


def damaged(path: Path) -> None:
    path.write_bytes(b"no database" * 1_000)


def other(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE precious (value)")


@KINDS
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (newer, "newer version of urlset; upgrade urlset, or use --fresh"),
        (older, "older version of urlset; use --fresh"),
        (damaged, "damaged .*use --fresh"),
        (other, "not a urlset database; choose another folder"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_untouched(
    kind: StateFile, path: Path, make: Callable[[Path], None], message: str, read_only: bool
) -> None:
    path.parent.mkdir()
    make(path)
    before = path.read_bytes()
    with pytest.raises(ForeignState, match=message):
        Notes(kind, path, read_only=read_only)
    assert path.read_bytes() == before
    if make is other:
        with pytest.raises(OtherDatabase):
            kind.remove(path)
        assert path.is_file()
    else:
        kind.remove(path)
        assert not path.is_file()


def test_a_damaged_page_is_reported_wherever_it_is_read(path: Path) -> None:
    with Notes(SHARED, path) as store:
        for number in range(2_000):
            store.add(Note(text="a" * 50, count=number))
    data = bytearray(path.read_bytes())
    data[8_192:] = b"x" * (len(data) - 8_192)
    path.write_bytes(data)
    with Notes(SHARED, path, read_only=True) as store:
        with pytest.raises(ForeignState, match="damaged"):
            store.all()
        with pytest.raises(ForeignState, match="damaged"):
            store.first("b")
        with pytest.raises(ForeignState, match="damaged"):
            store.ask("SELECT sum(count) FROM notes")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="cannot be created"):
        Notes(ALONE, tmp_path / "file" / "notes.db")
