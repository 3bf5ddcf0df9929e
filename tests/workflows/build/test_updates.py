"""A build after which few entries differ: only these are checked, and what is published is as if made anew."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import urlset
from urlset import BuildReport
from urlset.building.ledger import Ledger
from urlset.model.document import Document
from urlset.reading.read import read_chunks
from urlset.workflows.build import files

BASE = "https://example.com/"
MANY = 1000
Rows = dict[str, str]


def rows() -> Rows:
    return {f"{BASE}item-{at:04}": f"2025-{at % 12 + 1:02}-{at * 17 % 28 + 1:02}" for at in range(MANY)}


def build(home: Path, given: Rows) -> BuildReport:
    return urlset.build(
        list(given.items()), home / "out", base_url=BASE, state=home / "state", gzip=True, sections=["shop=/*"]
    )


def published(home: Path) -> bytes:
    files = sorted((home / "out").glob("sitemap-*.xml.gz"))
    assert files
    return b"".join(gzip.decompress(path.read_bytes()) for path in files)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert build(tmp_path, rows()).finding_count == 0
    return tmp_path


def test_an_update_publishes_what_a_first_build_would(home: Path, tmp_path: Path) -> None:
    given = rows()
    for day in range(1, 9):  # enough for all entries to be checked together at least once
        for at in range(day, MANY, 97):
            given[f"{BASE}item-{at:04}"] = f"2026-01-{day:02}"
        del given[f"{BASE}item-{500 + day:04}"]
        given[f"{BASE}new-{day}"] = f"2026-01-{day:02}"
        report = build(home, given)
        assert report.published
        assert (report.added, report.removed, report.finding_count) == (1, 1, 0)
        build(tmp_path / f"anew-{day}", given)
        assert published(home) == published(tmp_path / f"anew-{day}")


def test_a_changed_entry_is_checked(home: Path) -> None:
    report = build(home, rows() | {f"{BASE}undefined": "2026-01-01"})
    assert report.finding_count == 1
    assert "undefined" in report.findings[0]


def test_what_is_true_only_of_the_changed_entries_is_no_finding(home: Path) -> None:
    same = {f"{BASE}item-{at:04}": "2026-01-05T10:00:00Z" for at in range(0, MANY, 50)}
    assert build(home, rows() | same).finding_count == 0


def undated(home: Path, pages: list[str | tuple[str, str]]) -> BuildReport:
    return urlset.build(pages, home / "out", base_url=BASE, state=home / "state", gzip=True)


def test_a_finding_about_the_whole_file_is_reported_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str | tuple[str, str]] = [f"{BASE}{at}" for at in range(MANY)]
    first = undated(tmp_path, pages)
    read = list[int]()

    def counted(data: list[bytes], **named: Any) -> Document:
        read.append(len(data[0]))
        return read_chunks(data, **named)

    monkeypatch.setattr(files, "read_chunks", counted)
    for number in range(2):  # after and before all others
        pages.append(f"{BASE}{('new', '-')[number]}")
        again = undated(tmp_path, pages)
        assert first.finding_count == again.finding_count == 1
        assert f"{MANY + 1 + number:,} entries" in again.findings[0]
        assert again.findings == undated(tmp_path / f"anew-{number}", pages).findings
        assert read[0] < read.pop() / 10, "all entries were read"
        read.clear()


def test_a_finding_about_dates_ends_with_the_first_date(tmp_path: Path) -> None:
    pages: list[str | tuple[str, str]] = [f"{BASE}{at}" for at in range(MANY)]
    undated(tmp_path, pages)
    pages[MANY // 2] = f"{BASE}{MANY // 2}", "2026-01-05"
    assert undated(tmp_path, pages).finding_count == 0
    assert undated(tmp_path, [*pages, f"{BASE}new"]).finding_count == 0


def test_the_newest_date_is_known_although_few_entries_are_read(home: Path) -> None:
    def newest() -> str | None:
        with Ledger.open_to_read(home / "state" / "ledger.db") as ledger:
            return ledger.shards()[0].newest

    assert newest() == "2025-12-28"
    build(home, rows() | {f"{BASE}new": "2026-02-01"})
    assert newest() == "2026-02-01"
    build(home, rows())
    assert newest() == "2025-12-28"
