"""The state of a build: one per output, never half written, and exit code 2 only with the published set as it was."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Ran, run
from tests.house.source_tree import ROOT
from tests.workflows.listed_sites import BASE, ListedSite, files_in, listed_in
from urlset.building.ledger import Recording
from urlset.writing.sqlite_store import StateError

OTHER = "https://shop.example.com/"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def offer(path: str, urls: Iterator[str] | list[str]) -> str:
    Path(path).write_text("".join(f"{url}\n" for url in urls))
    return path


def build(source: str, out: str, base: str = BASE, *more: object) -> Ran:
    return run("build", source, "--base-url", base, "--out", out, *more)


def test_two_sets_built_from_one_folder_do_not_refuse_each_other(home: Path) -> None:
    first = offer("a.txt", [f"{BASE}{number}" for number in range(10)])
    second = offer("b.txt", [f"{OTHER}{number}" for number in range(30)])
    for _ in range(2):
        assert build(first, "a").code == 0
        assert build(second, "b", OTHER).code == 0
    assert len(listed_in(home / "a")) == 10
    assert len(listed_in(home / "b")) == 30
    assert f"{BASE}3 is listed" in run("explain", f"{BASE}3").text
    assert run("explain", f"{OTHER}3").lines[0] == "b:"
    offer("b.txt", [f"{OTHER}x{number}" for number in range(30)])
    assert build(second, "b", OTHER, "--force", "shrink").code == 0
    assert run("publish", "rollback", "b").code == 0
    assert f"{OTHER}3" in "".join(path.read_text() for path in (home / "b").iterdir())
    assert run("publish", "rollback", "a").code == 2, "of a there is only one set"


def test_a_state_of_the_version_before_is_ignored(home: Path) -> None:
    source = offer("a.txt", [f"{BASE}{number}" for number in range(10)])
    assert build(source, "public", BASE, "--state", ".urlset").code == 0
    (home / ".urlset" / "output.json").unlink()
    offer("a.txt", [f"{BASE}{number}" for number in range(11)])
    ran = build(source, "public")
    assert "note       ignored the state of an earlier version in .urlset" in ran.text
    assert len(listed_in(home / "public")) == 11
    assert "ignored the state" not in build(source, "public").text


def test_a_hundred_pages_replaced_by_a_hundred_others(home: Path) -> None:
    source = offer("a.txt", [f"{BASE}old-{number}" for number in range(100)])
    assert build(source, "public").code == 0
    before = files_in(home / "public")
    offer("a.txt", [f"{BASE}new-{number}" for number in range(100)])
    ran = build(source, "public")
    assert ran.code == 1
    assert (
        "100 of 100 pages of the last set are missing from the new set (100.0 %); at most 20 % is allowed" in ran.text
    )
    assert files_in(home / "public") == before
    assert build(source, "public", BASE, "--force", "shrink").code == 0


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("scanner", ["compiled", "python"])
def test_so_many_may_go(scanner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSET_SCANNER", scanner)
    rows = [f'{{"loc": "{BASE}{number}"}}' for number in range(100)]
    source = offer("a.jsonl", rows)
    assert build(source, "public").code == 0
    more = [f'{{"loc": "{BASE}more-{number}"}}' for number in range(50)]
    offer("a.jsonl", rows[21:] + more)
    assert "21 of 100 pages of the last set are missing from the new set" in build(source, "public").text
    offer("a.jsonl", rows[20:] + more)
    assert build(source, "public").code == 0


@pytest.mark.usefixtures("home")
def test_after_a_rollback_the_published_set_is_what_counts() -> None:
    source = offer("a.txt", [f"{BASE}{number}" for number in range(100)])
    assert build(source, "public").code == 0
    few = [f"{BASE}{number}" for number in range(50)]
    offer("a.txt", few)
    assert build(source, "public", BASE, "--force", "shrink").code == 0
    assert run("publish", "rollback", "public").code == 0
    ran = build(source, "public")
    assert ran.code == 1
    assert "50 of 100 pages of the last set are missing from the new set" in ran.text


@pytest.mark.parametrize("indexed", [False, True])
def test_a_first_build_over_sitemaps_of_something_else(home: Path, indexed: bool) -> None:
    root = '<{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{1}</{0}>'
    pages = root.format("urlset", "".join(f"<url><loc>{BASE}{number}</loc></url>" for number in range(50)))
    (home / "public").mkdir()
    (home / "public" / ("pages.xml" if indexed else "sitemap.xml")).write_text(pages)
    if indexed:
        child = f"<sitemap><loc>{BASE}pages.xml</loc></sitemap>"
        (home / "public" / "sitemap.xml").write_text(root.format("sitemapindex", child))
    before = files_in(home / "public")
    source = offer("a.txt", [f"{BASE}{number}" for number in range(10)])
    ran = build(source, "public")
    assert ran.code == 1
    assert "40 of 50 pages of the sitemaps in the output folder are missing from the new set" in ran.text
    assert files_in(home / "public") == before
    offer("a.txt", [f"{BASE}{number}" for number in range(60)])
    assert build(source, "public").code == 0


def test_a_first_build_over_a_list_of_something_else(home: Path) -> None:
    (home / "public").mkdir()
    offer("public/sitemap.txt", [f"{BASE}{number}" for number in range(50)])
    before = files_in(home / "public")
    ran = build(offer("a.txt", [f"{BASE}{number}" for number in range(10)]), "public", BASE, "--text")
    assert (ran.code, files_in(home / "public")) == (1, before)
    assert "40 of 50 pages" in ran.text


def test_sitemaps_of_another_site_say_nothing(home: Path) -> None:
    root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{}</loc></url></urlset>'
    (home / "public").mkdir()
    (home / "public" / "sitemap.xml").write_text(root.format("https://www.example.org/"))
    assert build(offer("a.txt", [BASE]), "public").code == 0


# exit code 2


def test_a_ledger_that_cannot_be_written_leaves_the_published_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, the set was published first, and the exit code was 2 all the same."""
    source = offer("a.txt", [f"{BASE}{number}" for number in range(10)])
    assert build(source, "public").code == 0
    before = files_in(home / "public")
    offer("a.txt", [f"{BASE}{number}" for number in range(12)])

    def full(*_: object, **__: object) -> None:
        raise StateError("the ledger cannot be used: database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "finish", full)
        ran = build(source, "public")
    assert (ran.code, files_in(home / "public")) == (2, before)
    assert "disk is full" in ran.err
    assert build(source, "public").code == 0
    assert len(listed_in(home / "public")) == 12


def test_a_base_url_that_needs_escapes(home: Path) -> None:
    """The set was published, and then robots.txt could not have such a line: exit code 2."""
    (home / "public").mkdir()
    (home / "public" / "robots.txt").write_text("User-agent: *\n")
    source = offer("a.txt", [f"{BASE}a b/ü", f"{BASE}a b/shop"])
    assert build(source, "public", f"{BASE}a b", "--section", "shop=*/shop").code == 0
    assert f"Sitemap: {BASE}a%20b/sitemap.xml\n" in (home / "public" / "robots.txt").read_text()
    assert f"<loc>{BASE}a%20b/sitemap-shop-1.xml</loc>" in (home / "public" / "sitemap.xml").read_text()


def test_robots_that_cannot_be_written_is_a_note(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = offer("a.txt", [BASE])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("urlset.building.robots_lines.write_atomically", full)
    ran = build(source, "public", BASE, "--write-robots")
    assert ran.code == 0
    assert "cannot write robots.txt: No space left on device" in ran.text
    assert len(listed_in(home / "public")) == 1


@pytest.fixture
def tiny_state(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "state-disk"
    folder.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount")
    command = ["mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_under_the_state(tmp_path: Path, tiny_state: Path) -> None:
    """With every amount of room that is left, 2 means as it was, and 0 that the new set is published."""
    site = ListedSite(tmp_path)
    site.state = tiny_state / "state"
    sets = [[f"{'abcd'[n % 4]}/{generation}-{n}" for n in range(400)] for generation in range(2)]
    sections = tuple(part for name in "abcd" for part in ("--section", f"{name}=/{name}/*"))
    site.offer(sets[0])
    assert site.build(*sections, "--force", "shrink").code == 0
    codes = set()
    for room in range(0, 400_000, 16_384):
        now = listed_in(site.out)
        other = sets[0] if now == sorted(sets[1]) else sets[1]
        site.offer(other)
        filler = tiny_state / "filler"
        _fill(filler, keep=room)
        published = _published(site.out)
        ran = site.build(*sections, "--force", "shrink", "--force", "section")
        filler.unlink()
        codes.add(ran.code)
        if ran.code == 2:
            assert _published(site.out) == published, (room, ran.err)
        else:
            assert ran.code == 0, ran.err
            assert listed_in(site.out) == sorted(other)
    assert codes == {0, 2}
    site.offer(sets[0])
    assert site.build(*sections, "--force", "shrink", "--force", "section").code == 0
    assert listed_in(site.out) == sorted(sets[0])


def _published(folder: Path) -> dict[str, bytes]:
    """The set; an earlier build that could not be finished may have left its staging folder beside it."""
    return {name: data for name, (data, _) in files_in(folder).items() if not name.startswith(".urlset-staging-")}


def _fill(path: Path, *, keep: int) -> None:
    free = os.statvfs(path.parent)
    path.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - keep)))


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from urlset.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("limit", [8_000, 40_000, 70_000, 120_000])
def test_files_that_may_not_grow(home: Path, limit: int) -> None:
    source = offer("a.txt", [f"{BASE}{number}" for number in range(100)])
    assert build(source, "public").code == 0
    before = listed_in(home / "public")
    offer("a.txt", [f"{BASE}{number}" for number in range(2_000)])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path])}
    command = [sys.executable, "-c", LIMITED, str(limit), "build", source, "--base-url", BASE, "--out", "public"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode == 2:
        assert listed_in(home / "public") == before, ran.stderr
    else:
        assert (ran.returncode, len(listed_in(home / "public"))) == (0, 2_000), ran.stderr


# the clock


def test_a_clock_that_was_set_back_is_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = f'{{"loc": "{BASE}", "lastmod": "2026-05-05"}}'
    source = offer("a.jsonl", [row])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")  # 2026-05-28
    assert "clock" not in build(source, "public").text
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # 2023-11-14
    ran = build(source, "public")
    assert (
        "note       the clock was set back: it is 2023-11-14T22:13:20Z, but the last build started at"
        " 2026-05-28T20:26:40Z; dates are judged by the later time"
    ) in ran.text
    assert "<lastmod>2026-05-05</lastmod>" in (home / "public" / "sitemap.xml").read_text(), "it is not in the future"


def test_an_older_ledger_that_is_locked_is_not_waited_for_long(home: Path) -> None:
    source = offer("a.txt", [BASE])
    assert build(source, "public", BASE, "--state", "state").code == 0
    with sqlite3.connect(home / "state" / "ledger.db") as other:
        other.execute("BEGIN EXCLUSIVE")
        before = files_in(home / "public")
        offer("a.txt", [BASE, f"{BASE}b"])
        ran = build(source, "public", BASE, "--state", "state")
        assert (ran.code, files_in(home / "public")) == (2, before)
        assert "another build with this state is running; wait for it" in ran.err
