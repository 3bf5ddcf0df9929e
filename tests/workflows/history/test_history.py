"""Snapshots of several days → exact counts, findings with codes, and the life of a URL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from urlset.checking.declare import wrap
from urlset.workflows.library.history import history, snapshot

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
START = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def day(number: int, pages: dict[str, str], target: str = "site") -> None:
    """A snapshot of that day of pages with their dates."""
    Path(target).mkdir(exist_ok=True)
    entries = (f"<url><loc>https://e.com{path}</loc><lastmod>{date}</lastmod></url>" for path, date in pages.items())
    Path(target, "sitemap.xml").write_text(wrap("".join(entries)))
    snapshot(target, now=START + timedelta(days=number), keep="all")


def told(*arguments: str, code: int = 0) -> dict[str, Any]:
    ran = run("history", *arguments, "--format", "json")
    assert ran.code == code, ran.err
    body: dict[str, Any] = json.loads(ran.text)
    return body


def test_counts_churn_and_dates() -> None:
    pages = {f"/{number}": "2026-10-01" for number in range(40)}
    day(0, pages)
    day(1, {**pages, "/new": "2026-11-02", "/1": "2026-11-02"})
    del pages["/2"]
    day(2, pages)
    found = told("site")["snapshots"]
    numbers = [(each["urls"], each["added"], each["removed"], each["changed"], each["dates_moved"]) for each in found]
    assert numbers == [(40, None, None, None, None), (41, 1, 0, 1, 1), (39, 0, 2, 1, 1)]
    assert [each["urls"] for each in told("site", "--last", "1")["snapshots"]] == [39]


def test_a_url_listed_twice_counts_once() -> None:
    for number in range(2):
        Path("s.xml").write_text(
            wrap("<url><loc>https://e.com/a</loc></url>" * 2 + "<url><loc>https://e.com/b</loc></url>")
        )
        snapshot("s.xml", now=START + timedelta(days=number), keep="all")
    last = told("s.xml")["snapshots"][-1]
    assert (last["urls"], last["entries"], last["added"], last["removed"], last["changed"]) == (2, 3, 0, 0, 0)


def test_dates_that_follow_every_fetch_are_found_without_an_audit() -> None:
    for number in range(3):
        taken = START + timedelta(days=number)
        day(number, {f"/{page}": (taken - timedelta(seconds=page)).isoformat() for page in range(30)})
    body = told("site", "--fail-on", "warning", code=1)
    assert set(body["counts"]) == {"D028"}
    assert "each of 3 fetches" in body["findings"][0]["message"]


def test_swings_and_renamed_files_are_found() -> None:
    for number, (names, size) in enumerate(((("a", "b"), 40), (("c", "d"), 40), (("c", "d"), 20))):
        Path("site").mkdir(exist_ok=True)
        for old in Path("site").iterdir():
            old.unlink()
        for at, name in enumerate(names):
            entries = (f"<url><loc>https://e.com/{at}/{page}</loc></url>" for page in range(size // 2))
            Path("site", f"{name}.xml").write_text(wrap("".join(entries)))
        snapshot("site", now=START + timedelta(days=number), keep="all")
    assert set(told("site")["counts"]) == {"Q008", "Q015"}


def test_the_life_of_a_url() -> None:
    day(0, {"/a": "2026-10-01"})
    day(1, {"/b": "2026-10-01"})
    day(2, {"/a": "2026-11-03", "/b": "2026-10-01"})
    (url,) = told("https://e.com/a")["urls"]
    assert [(each["listed"], each["lastmod"]) for each in url["sightings"]] == [
        (True, "2026-10-01"),
        (False, None),
        (True, "2026-11-03"),
    ]
    assert "not listed" in run("history", "https://e.com/a").text
    assert run("history", "https://e.com/never").code == 2


def test_several_targets_are_listed_and_one_needs_no_name() -> None:
    assert run("history").code == 2
    day(0, {"/a": "2026-10-01"})
    assert history().site is not None
    day(0, {"/a": "2026-10-01"}, "other")
    assert [each.target for each in history().targets] == ["other", "site"]


def test_every_format_is_written() -> None:
    day(0, {"/a": "2026-10-01", "/&lt;b>": "2026-10-01"})
    day(1, {"/a": "2026-10-02", "/&lt;b>": "2026-10-01"})
    assert run("history", "site", "--format", "csv").lines[0].startswith("taken,urls,entries")
    page = run("history", "site", "--format", "html").text
    assert "<polyline" in page
    assert "<polygon" in page
    assert "2026-11-02 03:00" in run("history", "site").text
