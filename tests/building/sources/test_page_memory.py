"""A page is read once for the same bytes, the same wishes and the same reader; what cannot be used is read anew."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from urlset.building.sources import page_memory
from urlset.building.sources.folder import read_with_stat
from urlset.building.sources.page_memory import PAGE_MEMORY, PageLook, PageMemory
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
        database.execute("UPDATE pages SET look = x'c1'")
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
        assert database.execute("SELECT count(*) FROM pages").fetchone() == (0,)


# Files: what vouches for them is as they were left, and was settled when they were read.

OTHER = PAGE.replace(b"Some words", b"More words")
assert len(OTHER) == len(PAGE)


class Site:
    """One page, whose bytes are read as `reads` says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.page = folder, folder / "page.html"
        self.reads = 0

    def write(self, data: bytes, *, age: float = 10) -> None:
        self.page.write_bytes(data)
        self.at(time.time() - age)

    def at(self, seconds: float) -> None:
        os.utime(self.page, (seconds, seconds))

    def look(self) -> PageLook:
        """What a build sees."""

        with closing(looks(self.folder)) as memory:
            memory.expect([str(self.page)])
            return memory.of_file(str(self.page), self.read)

    def read(self) -> tuple[bytes, os.stat_result]:
        self.reads += 1
        return read_with_stat(self.page)

    def build(self) -> bytes:
        """The page that a build sees."""
        blocks = self.look().blocks
        with closing(looks(self.folder / "none")) as memory:
            return next(each for each in (PAGE, OTHER) if memory.of(each).blocks == blocks)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The clock is an hour ahead, so a file that was written now has settled times."""
    monkeypatch.setattr(time, "time_ns", lambda: int((time.time() + 3600) * 1e9))
    return Site(tmp_path)


def test_a_file_with_the_same_times_is_not_read_again(site: Site) -> None:
    site.write(PAGE)
    assert (site.build(), site.build(), site.build(), site.reads) == (PAGE, PAGE, PAGE, 1)


def copied(site: Site) -> None:
    """With its times, as `cp -p`, `rsync -t` and `tar` leave them."""
    site.page.with_name("other").write_bytes(OTHER)
    shutil.copystat(site.page, site.page.with_name("other"))
    site.page.with_name("other").replace(site.page)


def written(site: Site) -> None:
    """In place, with its times set back."""
    found = site.page.stat()
    site.page.write_bytes(OTHER)
    os.utime(site.page, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.posix
@pytest.mark.parametrize("change", [copied, written])
def test_other_bytes_of_the_same_size_and_time_are_read(site: Site, change: Callable[[Site], None]) -> None:
    site.write(PAGE)
    assert site.build() == PAGE
    change(site)
    assert (site.build(), site.build(), site.reads) == (OTHER, OTHER, 2)


def test_a_file_with_other_times_is_read_and_not_parsed(site: Site, read: list[bytes]) -> None:
    """As after `touch` or `git checkout`."""
    site.write(PAGE)
    assert site.build() == PAGE
    count = len(read)
    site.at(time.time() - 5)
    site.look()
    site.look()
    assert (site.reads, len(read)) == (2, count)


@pytest.mark.parametrize("ahead", [0.0, 7200.0])
def test_times_of_the_last_tick_or_of_a_clock_ahead_vouch_for_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch, ahead: float
) -> None:
    site.write(PAGE)
    site.at(time.time() + ahead)
    monkeypatch.setattr(time, "time_ns", lambda: site.page.stat().st_ctime_ns + 1)
    assert (site.build(), site.build(), site.reads) == (PAGE, PAGE, 2)


def test_other_wishes_read_the_file_anew(site: Site, read: list[bytes]) -> None:
    site.write(PAGE)
    for images in (False, True):
        with closing(looks(site.folder, images=images)) as memory:
            memory.expect([str(site.page)])
            assert bool(memory.of_file(str(site.page), site.read).facts.images) == images
    assert len(read) == 2
