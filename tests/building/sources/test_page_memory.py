"""A page is read once for the same bytes, the same wishes and the same reader; what cannot be used is read anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from urlset.building.sources import page_memory
from urlset.building.sources.page_memory import PAGE_MEMORY, PageMemory
from urlset.reading.html import read_page

PAGE = b"""<!doctype html><html lang=en><title>A</title><link rel=canonical href=/a>
<meta property="article:modified_time" content="2024-05-06"><img src=/a.jpg><p>Some words on a page</html>"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pages that were parsed."""
    found: list[bytes] = []

    def noted(data: bytes, **wishes: Any) -> object:
        found.append(data)
        return read_page(data, **wishes)

    monkeypatch.setattr("urlset.reading.html.read_page", noted)
    return found


def looks(folder: Path, *, images: bool = False, dry_run: bool = False) -> PageMemory:
    return PageMemory(folder / "state" / PAGE_MEMORY, images=images, videos=False, dry_run=dry_run)


def test_unchanged_page_is_not_parsed_again(tmp_path: Path, read: list[bytes]) -> None:
    with closing(looks(tmp_path)) as first:
        seen = first.of(PAGE)
    with closing(looks(tmp_path)) as second:
        assert second.of(PAGE) == seen
        assert second.of(PAGE.replace(b"words", b"other words")) != seen
    assert len(read) == 2
    assert seen.facts.title == "A"
    assert seen.blocks
    assert not seen.is_empty


def test_other_wishes_are_read_anew(tmp_path: Path, read: list[bytes]) -> None:
    with closing(looks(tmp_path)) as first:
        assert not first.of(PAGE).facts.images
    with closing(looks(tmp_path, images=True)) as second:
        assert second.of(PAGE).facts.images
    assert len(read) == 2


def test_other_version_reads_anew(tmp_path: Path, read: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(looks(tmp_path)) as first:
        first.of(PAGE)
    monkeypatch.setattr(page_memory, "__version__", "9.9.9")
    with closing(looks(tmp_path)) as second:
        second.of(PAGE)
    assert len(read) == 2


def test_damaged_file_is_read_around(tmp_path: Path, read: list[bytes]) -> None:
    with closing(looks(tmp_path)) as first:
        seen = first.of(PAGE)
    with closing(sqlite3.connect(tmp_path / "state" / PAGE_MEMORY)) as database:
        database.execute("UPDATE looks SET look = x'c1'")
        database.commit()
    with closing(looks(tmp_path)) as second:
        assert second.of(PAGE) == seen
    (tmp_path / "state" / PAGE_MEMORY).write_bytes(b"not a database" * 100)
    with closing(looks(tmp_path)) as third:
        assert third.of(PAGE) == seen
    assert len(read) == 3


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    with closing(looks(tmp_path, dry_run=True)) as dry:
        dry.of(PAGE)
    assert not (tmp_path / "state").exists()


def test_what_is_of_no_use_is_forgotten(tmp_path: Path) -> None:
    with closing(looks(tmp_path)) as first:
        for number in range(10):
            first.of(PAGE + b"<!-- %d -->" % number)
    with closing(looks(tmp_path)) as second:
        second.of(b"<p>new</p>")
    with closing(sqlite3.connect(tmp_path / "state" / PAGE_MEMORY)) as database:
        assert database.execute("SELECT count(*) FROM looks").fetchone() == (0,)
