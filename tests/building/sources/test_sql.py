"""Queries → candidates: SQLite, and SQLAlchemy for the rest."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.building.sources.sites import BASE, candidates, troubles
from urlset.building.sources.source import SourceBroken, SourceError, SourceOptions, items_of
from urlset.building.sources.sql import from_sql, shown

QUERY = "select 'https://www.example.com/' || slug as loc, changed as lastmod, title from pages order by slug"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "my site#.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table pages (slug text, changed text, title text)")
        connection.executemany(
            "insert into pages values (?, ?, ?)",
            [("a", "2024-05-01 10:00:00", "A"), ("b", "soon", "B"), ("c", None, "C"), (None, None, None)],
        )
    connection.close()
    return path


def test_sqlite(site: Path) -> None:
    found = list(items_of(from_sql(f"sqlite:///{site}", SourceOptions(sql=QUERY, timezone="Z"))))
    assert [(each.loc.removeprefix(BASE), each.entry.lastmod, each.title) for each in candidates(found)] == [
        ("a", "2024-05-01T10:00:00Z", "A"),
        ("b", None, "B"),
        ("c", None, "C"),
    ]
    assert [each.origin for each in troubles(found)] == ["my site#.db:1", "my site#.db:3"]


def test_through_sqlalchemy(site: Path) -> None:
    pytest.importorskip("sqlalchemy")
    address = f"sqlite+pysqlite:///{site.rename(site.with_name('plain.db'))}"
    found = candidates(items_of(from_sql(address, SourceOptions(sql=QUERY))))
    assert [each.loc.removeprefix(BASE) for each in found] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (None, "--sql"),
        ("select loc from nowhere", "no such table"),
        ("selec", "syntax error"),
        ("select slug from pages", "no column loc or url; its columns are 'slug'"),
        ("delete from pages", "readonly"),
        ("select 1; select 2", "one statement"),
    ],
)
def test_queries_that_cannot_run(site: Path, query: str | None, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        from_sql(f"sqlite:///{site}", SourceOptions(sql=query))
    with sqlite3.connect(site) as connection:
        assert connection.execute("select count(*) from pages").fetchone() == (4,)
    connection.close()


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such database"):
        from_sql(f"sqlite:///{tmp_path / 'x.db'}", SourceOptions(sql="select 1"))
    assert list(tmp_path.iterdir()) == []


def test_a_query_that_breaks_off(site: Path) -> None:
    query = "select 'https://www.example.com/' as loc union all select abs(-9223372036854775808)"
    with pytest.raises(SourceBroken, match="failed after row"):
        list(items_of(from_sql(f"sqlite:///{site}", SourceOptions(sql=query))))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nosuchthing://host/db", "nosuchthing://host/db: "),
        ("sqlite+pysqlite:////no/such/folder/x.db", "unable to open"),
    ],
)
def test_servers_that_are_not_there(address: str, reason: str) -> None:
    pytest.importorskip("sqlalchemy")
    with pytest.raises(SourceError, match=reason):
        from_sql(address, SourceOptions(sql="select 1 as loc"))


def test_a_password_is_never_shown() -> None:
    assert shown("postgresql://user:secret@host:5432/db") == "postgresql://host/db"


def test_a_text_that_is_not_utf_8_far_down_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "pages.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE pages (loc TEXT)")
        database.executemany("INSERT INTO pages VALUES (?)", [(f"https://x.example/{row}",) for row in range(9000)])
        database.execute("INSERT INTO pages VALUES (cast(x'2fff' AS TEXT))")
        database.execute("INSERT INTO pages VALUES ('https://x.example/last')")
        database.commit()
    found = list(items_of(from_sql(f"sqlite:///{path}", SourceOptions(sql="SELECT loc FROM pages"))))
    assert [page.loc for page in candidates(found)] == [
        *(f"https://x.example/{row}" for row in range(9000)),
        "https://x.example/last",
    ]
    assert [each.origin for each in troubles(found)] == ["pages.db:9001"]
