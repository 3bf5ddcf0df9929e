"""A build whose inputs are those of the last one: the same report and files, and no row is read."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from urlset.building.ledger import Ledger
from urlset.building.sources.open import open_source
from urlset.building.sources.source import Block, SourceError, SourceOptions
from urlset.settings.build import BuildSettings
from urlset.workflows.build import unchanged
from urlset.workflows.build.build import build
from urlset.workflows.build.result import LEDGER, BuildError, BuildReport


@pytest.fixture(autouse=True)
def _times_tell_all(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests build from files that they have just written."""
    if "fresh" not in request.node.name:
        monkeypatch.setattr(unchanged, "is_settled", lambda _stamp, _seen: True)


NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LINES = [{"loc": f"/p{number}", "lastmod": "2026-01-02", "color": "red"} for number in range(9)] + [{"loc": "/a.css"}]


def settings_for(tmp_path: Path, **changed: object) -> BuildSettings:
    source = tmp_path / "rows.jsonl"
    if not source.exists():
        source.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), encoding="utf-8")
    made = BuildSettings(
        sources=(str(source),), base_url="https://x.example/", out=str(tmp_path / "out"), state=str(tmp_path / "state")
    )
    return replace(made, now=NOW, **changed)  # type: ignore[arg-type]


def is_read(settings: BuildSettings, monkeypatch: pytest.MonkeyPatch) -> tuple[bool, BuildReport]:
    """Whether a build opens its sources."""
    opened = []

    def noted(spec: str, options: SourceOptions, stdin: None) -> Iterator[Block]:
        opened.append(spec)
        return open_source(spec, options, stdin=stdin)

    with monkeypatch.context() as patch:
        patch.setattr("urlset.workflows.build.build.open_source", noted)
        report = build(settings)
    return bool(opened), report


def test_an_unchanged_source_is_not_read_and_the_report_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path)
    first = build(settings)
    decided = list(Ledger.open_to_read(tmp_path / "state" / LEDGER).decisions())
    (tmp_path / "state" / "unchanged.json").unlink()
    read, full = is_read(settings, monkeypatch)
    assert read
    for _ in range(2):
        read, report = is_read(settings, monkeypatch)
        assert not read
        assert report == full
    assert (first.added, full.added, full.left_out) == (9, 0, {"asset": 1})
    with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
        assert [each.id for each in ledger.builds()] == [4, 3, 2, 1]
        assert len({msgspec.json.encode(each.counts) for each in ledger.builds()}) == 1
        assert list(ledger.decisions()) == decided
        assert len(list(ledger.pages())) == 9


def _other_row(folder: Path) -> None:
    """Of the same size, at the same time."""
    path = folder / "rows.jsonl"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"/p1", b"/q1"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _published_file(folder: Path) -> None:
    path = folder / "out" / "sitemap.xml"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data.replace(b"/p1", b"/q1"))


def _ledger(folder: Path) -> None:
    with sqlite3.connect(folder / "state" / LEDGER) as ledger:
        ledger.execute("INSERT INTO builds SELECT id + 1, started, finished, base_url, host, counts FROM builds")


def _memory(folder: Path) -> None:
    (folder / "state" / "unchanged.json").write_bytes(b"{")


@pytest.mark.parametrize("change", [_other_row, _published_file, _ledger, _memory])
def test_anything_else_that_changed_is_noticed(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path)
    build(settings)
    change(tmp_path)
    assert is_read(settings, monkeypatch)[0]
    assert not is_read(settings, monkeypatch)[0]


@pytest.mark.parametrize(
    "changed",
    [
        {"exclude": ("*/p3",)},
        {"gzip": True},
        {"hosts": ("https://y.example",)},
        {"dry_run": True},
        {"timezone": "+02:00"},
    ],
)
def test_other_settings_are_another_build(
    changed: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(settings_for(tmp_path))
    assert is_read(settings_for(tmp_path, **changed), monkeypatch)[0]


@pytest.mark.parametrize(
    "row",
    [
        {"loc": "/a", "lastmod": "2030-01-01"},
        {"loc": "/a", "robots": "unavailable_after: 2030-01-01"},
    ],
)
def test_what_the_clock_decides_is_decided_each_time(
    row: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path)
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    build(settings)
    assert is_read(settings, monkeypatch)[0]


def test_news_are_listed_as_they_were_until_the_first_grow_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(tmp_path)
    said = {"name": "N", "language": "en", "title": "T"}
    rows = [{"loc": f"/{day}", "news": said | {"publication_date": f"2026-11-{day}"}} for day in (14, 15)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    build(settings)
    still, later = (replace(settings, now=datetime(2026, 11, day, tzinfo=UTC)) for day in (16, 18))
    assert not is_read(still, monkeypatch)[0]
    assert (tmp_path / "out" / "sitemap.xml").read_bytes().count(b"<news:news>") == 2
    assert is_read(later, monkeypatch)[0]
    assert (tmp_path / "out" / "sitemap.xml").read_bytes().count(b"<news:news>") == 1


def test_a_fresh_file_may_be_written_again_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(tmp_path)
    monkeypatch.setattr("urlset.workflows.build.unchanged.time.time_ns", NOW.timestamp)
    build(settings)
    monkeypatch.undo()
    assert is_read(settings, monkeypatch)[0]


@pytest.mark.parametrize(("where", "is_asked"), [("", False), ("WHERE day < date('now')", True)])
def test_a_database_is_a_file_unless_its_query_asks_the_clock(
    where: str, is_asked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "site.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pages (loc, day)")
        database.execute("INSERT INTO pages VALUES ('/a', '2026-01-02')")
    settings = settings_for(tmp_path, sources=(f"sqlite:///{path}",), sql=f"SELECT loc FROM pages {where}")
    build(settings)
    assert is_read(settings, monkeypatch)[0] is is_asked


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+pysqlite"])
def test_a_database_is_asked_whether_its_rows_changed(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy")
    path = tmp_path / "site.db"
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE pages (loc, changed)")
        database.executemany("INSERT INTO pages VALUES (?, '2026-01-03')", [(f"/{each}",) for each in "abcdefghi"])
    settings = settings_for(
        tmp_path,
        sources=(f"{scheme}:///{path}",),
        sql="SELECT loc, changed AS lastmod FROM pages",
        sql_changed="SELECT count(*), max(changed) FROM pages",
    )
    build(settings)
    with database:
        database.execute("CREATE TABLE other (name)")
    assert not is_read(settings, monkeypatch)[0]
    for change in ("UPDATE pages SET changed = '2026-01-04' WHERE loc = '/a'", "DELETE FROM pages WHERE loc = '/b'"):
        with database:
            database.execute(change)
        assert is_read(settings, monkeypatch)[0]
        assert not is_read(settings, monkeypatch)[0]
    database.close()
    assert build(settings).listed == 8
    by_clock = replace(settings, sql="SELECT loc FROM pages WHERE changed < date('now')")
    build(by_clock)
    assert is_read(by_clock, monkeypatch)[0]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT max(gone) FROM pages", "--sql-changed: no such column"),
        ("SELECT * FROM pages", "more than 1000"),
        ("SELECT max(loc) FROM pages WHERE loc = 'none'", "the query returns nothing to compare"),
        ("SELECT loc FROM pages WHERE loc = 'none'", "the query returns nothing to compare"),
        ("", "the query returns nothing to compare"),
    ],
)
def test_a_question_that_has_no_answer_stops_the_build(query: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "site.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE pages (loc)")
        database.executemany("INSERT INTO pages VALUES (?)", [(f"/{number}",) for number in range(1001)])
    settings = settings_for(tmp_path, sources=(f"sqlite:///{path}",), sql="SELECT loc FROM pages", sql_changed=query)
    with pytest.raises(SourceError, match=reason):
        build(settings)
    assert not (tmp_path / "out").exists()


def test_a_query_without_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("https://x.example/\n", encoding="utf-8")
    with pytest.raises(BuildError, match="--sql-changed needs a database"):
        build(settings_for(tmp_path, sources=(str(tmp_path / "rows.txt"),), sql_changed="SELECT 1"))


def test_a_broken_file_of_an_index_costs_only_its_pages(tmp_path: Path) -> None:
    spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    listed = "".join(f"<sitemap><loc>https://x.example/{name}</loc></sitemap>" for name in ("a.xml", "b.xml.gz"))
    (tmp_path / "index.xml").write_text(f"<sitemapindex {spaces}>{listed}</sitemapindex>", encoding="utf-8")
    (tmp_path / "a.xml").write_text(f"<urlset {spaces}><url><loc>https://x.example/a</loc></url></urlset>")
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(bytes(500))[:12])
    assert build(settings_for(tmp_path, sources=(str(tmp_path / "index.xml"),))).listed == 1


def test_all_files_of_an_index_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(name: str, root: str, *locs: str) -> None:
        name_of_one = {"urlset": "url", "sitemapindex": "sitemap"}[root]
        inner = "".join(f"<{name_of_one}><loc>{loc}</loc></{name_of_one}>\n" for loc in locs)
        text = f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{inner}</{root}>\n'
        (tmp_path / name).write_text(text, encoding="utf-8")

    write("index.xml", "sitemapindex", "https://x.example/one.xml", "https://x.example/two.xml")
    write("one.xml", "urlset", "https://x.example/1")
    write("two.xml", "urlset", "https://x.example/2")
    settings = settings_for(tmp_path, sources=(str(tmp_path / "index.xml"),))
    assert build(settings).listed == 2
    assert not is_read(settings, monkeypatch)[0]
    write("two.xml", "urlset", "https://x.example/3")
    read, report = is_read(settings, monkeypatch)
    assert read
    assert (report.added, report.removed) == (1, 1)
    (tmp_path / "two.xml").unlink()
    assert is_read(settings, monkeypatch)[1].trouble_count == 1
    assert is_read(settings, monkeypatch)[0]
