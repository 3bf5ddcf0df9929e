"""The tables of the ledger; tests/writing/test_sqlite_store.py has versions and migrations."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from urlset.building.ledger import Ledger, LedgerRow
from urlset.building.ledger_rows import KEPT_FIELDS, LEDGER_FILE

NOW = datetime(2026, 3, 10, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with Ledger.open(path) as ledger, ledger.record(base_url="", host="", started=NOW) as recording:
        recording.put([LedgerRow("https://example.com/", "all")])
        recording.finish(finished=NOW)
    return path


def test_numbers_run_from_one(path: Path) -> None:
    numbers = [each.number for each in LEDGER_FILE.migrations]
    assert numbers == list(range(1, len(numbers) + 1))
    with closing(LEDGER_FILE.connect_reader(path)) as connection:
        assert [number for (number,) in connection.execute("SELECT number FROM migrations")] == numbers


def test_columns_and_fields_agree(path: Path) -> None:
    with closing(LEDGER_FILE.connect_reader(path)) as connection:
        columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(pages)")}
    assert columns == set(LedgerRow.__struct_fields__)
    assert LedgerRow.__struct_fields__[KEPT_FIELDS] == "first_seen"


def test_what_is_recorded_is_synced(path: Path) -> None:
    with closing(LEDGER_FILE.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA page_size").fetchone() == (8_192,)


def test_a_ledger_that_only_has_its_migrations_is_recognized(path: Path) -> None:
    """Earlier versions did not set `user_version`."""
    with closing(LEDGER_FILE.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")
    with Ledger.open(path) as ledger:
        assert [each.url for each in ledger.pages()] == ["https://example.com/"]
