"""Ledgers of older versions are brought up; those of later ones are refused."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from urlset.building.ledger import Ledger, LedgerRow, LedgerTooNew
from urlset.building.ledger_rows import KEPT_FIELDS
from urlset.building.ledger_schema import MIGRATIONS, LedgerError, Migration, connect, connect_reader

NOW = datetime(2026, 3, 10, tzinfo=UTC)
NEXT = Migration(
    MIGRATIONS[-1].number + 1,
    "notes",
    ("CREATE TABLE notes (x TEXT)", "INSERT INTO notes SELECT url FROM pages"),
)
BROKEN = Migration(NEXT.number + 1, "broken", ("CREATE TABLE more (x)", "INSERT INTO nowhere VALUES (1)"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger, ledger.record(base_url="", host="", started=NOW) as recording:
        recording.put([LedgerRow("https://example.com/", "all")])
        recording.finish(finished=NOW)
    return path


def test_numbers_run_from_one() -> None:
    assert [each.number for each in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_columns_and_fields_agree(path: Path) -> None:
    with closing(connect_reader(path)) as connection:
        columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(pages)")}
        assert columns == set(LedgerRow.__struct_fields__)
        assert LedgerRow.__struct_fields__[KEPT_FIELDS] == "first_seen"
        applied = connection.execute("SELECT number, name FROM migrations").fetchall()
    assert applied == [(each.number, each.name) for each in MIGRATIONS]


@pytest.mark.parametrize("opening", [connect, connect_reader])
def test_an_older_ledger_is_brought_up_with_its_pages(path: Path, opening: object) -> None:
    assert callable(opening)
    for _ in range(2):
        with closing(opening(path, migrations=(*MIGRATIONS, NEXT))) as connection:
            assert connection.execute("SELECT x FROM notes").fetchall() == [("https://example.com/",)]


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(path: Path) -> None:
    with pytest.raises(LedgerError, match="nowhere"):
        connect(path, migrations=(*MIGRATIONS, NEXT, BROKEN))
    with Ledger.open(path) as ledger:
        assert [each.url for each in ledger.pages()] == ["https://example.com/"]


def test_a_later_ledger_is_refused(path: Path) -> None:
    connect(path, migrations=(*MIGRATIONS, NEXT)).close()
    for opening in (Ledger.open, Ledger.open_to_read):
        with pytest.raises(LedgerTooNew, match="upgrade urlset"):
            opening(path)


def test_what_is_recorded_is_synced(path: Path) -> None:
    with closing(connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
