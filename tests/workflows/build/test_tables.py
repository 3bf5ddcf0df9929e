"""Databases and tables → sitemaps: SQLite, a real PostgreSQL, Parquet, CSV, standard input, feeds and sitemaps."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.commands import run
from tests.workflows.listed_sites import BASE, listed_in
from tests.workflows.postgresql import server
from urlset.reading.read import read

QUERY = "select '/p/' || id as loc, changed as lastmod, section from pages where shown order by id"


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("psycopg")
    from sqlalchemy import create_engine, text

    with server() as address:
        engine = create_engine(address)
        with engine.begin() as connection:
            connection.execute(text("create sequence visits"))
            connection.execute(text("create table pages (id int, changed timestamptz, section text, shown bool)"))
            connection.execute(
                text(
                    "insert into pages select n, timestamptz '2025-05-01 10:00:00+00' + n * interval '1 minute',"
                    " case when n % 2 = 0 then 'even' else 'odd' end, n % 10 <> 0 from generate_series(1, 5000) n"
                )
            )
        engine.dispose()
        yield address


def build(out: Path, *arguments: object, stdin: bytes = b"") -> None:
    ran = run("build", *arguments, "--base-url", BASE, "--out", out, "--state", out.parent / "state", stdin=stdin)
    assert ran.code == 0, ran.err + ran.text


def test_postgresql(postgresql: str, tmp_path: Path) -> None:
    build(tmp_path / "out", postgresql, "--sql", QUERY)
    expected = sorted(f"p/{number}" for number in range(1, 5001) if number % 10)
    assert listed_in(tmp_path / "out") == expected
    odd = read(tmp_path / "out" / "sitemap-odd-1.xml")
    dates = {entry.loc: entry.lastmod for entry in odd.entries()}
    assert dates[f"{BASE}p/1"] == "2025-05-01T10:01:00Z"
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    build(tmp_path / "out", "--db", postgresql, "--sql", QUERY)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select id from pages", "no column loc or url; its columns are 'id'"),
        ("select * from nowhere", 'relation "nowhere" does not exist'),
        ("delete from pages returning '/x' as loc", "syntax error"),
        ("select '/' || nextval('visits') as loc", "read-only transaction"),
    ],
)
def test_queries_postgresql_refuses(postgresql: str, tmp_path: Path, query: str, message: str) -> None:
    ran = run("build", postgresql, "--sql", query, "--base-url", BASE, "--out", tmp_path, "--state", tmp_path / "s")
    assert ran.code == 2
    assert message in ran.err
    assert not list(tmp_path.iterdir())


def test_sqlite(tmp_path: Path) -> None:
    database = tmp_path / "site.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("create table pages (id int, changed text, section text, shown int)")
        connection.executemany(
            "insert into pages values (?, '2025-05-01', 'all', ?)", [(number, number % 2) for number in range(100)]
        )
        connection.commit()
    build(tmp_path / "out", "--db", f"sqlite:///{database}", "--sql", QUERY)
    assert listed_in(tmp_path / "out") == sorted(f"p/{number}" for number in range(1, 100, 2))


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table(
        {
            "url": [f"{BASE}{number}" for number in range(50)],
            "updated_at": [datetime(2025, 1, 1, 12, number, tzinfo=UTC) for number in range(50)],
            "images": [[f"{BASE}{number}.jpg"] for number in range(50)],
        }
    )
    parquet.write_table(table, tmp_path / "pages.parquet")
    build(tmp_path / "out", tmp_path / "pages.parquet")
    entries = {entry.loc: entry for entry in read(tmp_path / "out" / "sitemap.xml").entries()}
    assert entries[f"{BASE}7"].lastmod == "2025-01-01T12:07:00Z"
    assert entries[f"{BASE}7"].images[0].loc == f"{BASE}7.jpg"


LISTS = {
    "csv": b"url,lastmod\nhttps://www.example.com/a,2025-01-01\nhttps://www.example.com/b,2025-01-01\n",
    "tsv": b"loc\tlastmod\n/a\t2025-01-01\n/b\t2025-01-01\n",
    "jsonl": b'{"loc": "/a", "lastmod": "2025-01-01"}\n{"loc": "/b", "lastmod": "2025-01-01"}\n',
    "sitemap": (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<url><loc>https://www.example.com/a</loc><lastmod>2025-01-01</lastmod></url>"
        b"<url><loc>https://www.example.com/b</loc><lastmod>2025-01-01</lastmod></url></urlset>"
    ),
    "atom": (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>'
        b'<entry><link href="https://www.example.com/a"/><updated>2025-01-01</updated></entry>'
        b'<entry><link href="https://www.example.com/b"/><updated>2025-01-01</updated></entry></feed>'
    ),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", LISTS)
def test_every_list_gives_the_same_set(tmp_path: Path, kind: str, packed: bool) -> None:
    """By its content, whatever it is called, from a file or from standard input."""
    data = gzip.compress(LISTS[kind]) if packed else LISTS[kind]
    (tmp_path / "source").write_bytes(data)
    build(tmp_path / "out", tmp_path / "source")
    build(tmp_path / "piped" / "out", "-", stdin=data)
    first = (tmp_path / "out" / "sitemap.xml").read_bytes()
    assert first == (tmp_path / "piped" / "out" / "sitemap.xml").read_bytes()
    assert listed_in(tmp_path / "out") == ["a", "b"]
    assert first.count(b"<lastmod>2025-01-01</lastmod>") == 2


def test_several_sources_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{BASE}a\n{BASE}both\n")
    (tmp_path / "b.csv").write_text("loc\n/b\n/both\n")
    ran = run("build", tmp_path / "a.txt", tmp_path / "b.csv", "--base-url", BASE, "--out", tmp_path / "out",
              "--state", tmp_path / "state", "--format", "json")  # fmt: skip
    report = json.loads(ran.out)
    assert report["left_out"] == {"duplicate": 1}
    assert listed_in(tmp_path / "out") == ["a", "b", "both"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
@pytest.mark.parametrize("kind", ["jsonl", "txt"])
def test_a_pipe_loses_nothing_though_it_is_looked_at_first(kind: str, tmp_path: Path) -> None:
    locs = [f"{BASE}p/{number:05}/{'x' * 40}" for number in range(3000)]
    lines = [json.dumps({"loc": loc}) for loc in locs] if kind == "jsonl" else locs
    pipe = tmp_path / f"rows.{kind}"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=("".join(f"{line}\n" for line in lines),), daemon=True)
    writer.start()
    build(tmp_path / "out", pipe)
    writer.join(10)
    assert listed_in(tmp_path / "out") == sorted(loc.removeprefix(BASE) for loc in locs)


def test_an_existing_sitemap_is_read_like_any_other_rows(tmp_path: Path) -> None:
    """Relative and misspelled URLs of media are repaired, whichever source they come from."""
    links = "".join(f'<xhtml:link rel="alternate" hreflang="{code}" href="/{code}/größe"/>' for code in ("de", "en"))
    media = f"<image:image><image:loc>/my images/1.jpg</image:loc></image:image>{links}"
    names = (
        'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
        'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    )
    pages = "".join(f"<url><loc>/{code}/größe</loc>{media}</url>" for code in ("de", "en"))
    (tmp_path / "old.xml").write_text(f"<urlset {names}>{pages}</urlset>", encoding="utf-8")
    said = {"images": ["/my images/1.jpg"], "alternates": {code: f"/{code}/größe" for code in ("de", "en")}}
    rows = (json.dumps({"loc": f"/{code}/größe", **said}) for code in ("de", "en"))
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), encoding="utf-8")
    for name in ("old.xml", "rows.jsonl"):
        build(tmp_path / name.partition(".")[0] / "out", tmp_path / name)
    made = [(tmp_path / name / "out" / "sitemap.xml").read_bytes() for name in ("old", "rows")]
    assert made[0] == made[1]
    assert f"<image:loc>{BASE}my%20images/1.jpg</image:loc>".encode() in made[0]
    assert f'hreflang="en" href="{BASE}en/gr%C3%B6%C3%9Fe"'.encode() in made[0]
