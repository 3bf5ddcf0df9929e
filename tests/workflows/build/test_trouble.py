"""Sources, disks and ledgers that fail → one clear line, the right exit code, and everything published intact."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.listed_sites import BASE, ListedSite
from urlset.building import pages

PAGES = [f"p/{number}" for number in range(10)]


@pytest.fixture
def site(tmp_path: Path) -> ListedSite:
    site = ListedSite(tmp_path)
    site.offer(PAGES)
    assert site.build().code == 0
    return site


# sources


def test_wrong_rows_are_told_with_their_line_and_skipped(site: ListedSite) -> None:
    rows: list[dict[str, object] | str] = [
        *[f'{{"loc": "{BASE}{path}"}}' for path in PAGES],
        "{broken",
        {"title": "no address"},
        {"loc": "mailto:me@example.com"},
        {"loc": f"{BASE}dated", "lastmod": "05/06/2024"},
    ]
    site.rows(rows)
    ran = site.build()
    assert ran.code == 0
    assert "trouble    4 rows or files used in part or skipped" in ran.text
    assert "urls.jsonl:11: not JSON" in ran.text
    assert "urls.jsonl:12: no loc or url in the object; found 'title'" in ran.text
    assert "urls.jsonl:13: 'mailto:me@example.com' is not an http or https URL" in ran.text
    assert "urls.jsonl:14: lastmod: '05/06/2024' is an ambiguous date" in ran.text
    assert site.listed() == sorted([*PAGES, "dated"])


def test_with_strict_the_first_wrong_row_stops_the_build(site: ListedSite) -> None:
    before = site.published()
    site.rows([{"loc": f"{BASE}new"}, "{broken"])
    ran = site.build("--strict")
    assert ran.code == 2
    assert "urls.jsonl:2: not JSON" in ran.err
    assert "--strict" in ran.err
    assert site.published() == before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "table.csv",
            "name;colour\nlamp;red\n",
            "table.csv has no column loc or url; its columns are 'name', 'colour'",
        ),
        ("empty.txt", "", "empty.txt is empty"),
        ("packed.txt.gz", b"\x1f\x8b\x08\x00broken", "packed.txt.gz"),
    ],
)
def test_sources_that_cannot_be_read(site: ListedSite, name: str, content: str | bytes, message: str) -> None:
    before = site.published()
    source = site.home / name
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    more = ("--source-kind", "csv") if name.endswith(".csv") else ()
    ran = run("build", source, "--base-url", BASE, "--out", site.out, "--state", site.state, *more)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert site.published() == before


def test_a_source_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    ran = run(
        "build", tmp_path / "no.csv", "--base-url", BASE, "--out", tmp_path / "out", "--state", tmp_path / "state"
    )
    assert ran.code == 2
    assert "no.csv: no such file" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_breaks_off_takes_nothing_for_gone(site: ListedSite) -> None:
    import gzip

    before = site.published()
    packed = gzip.compress("".join(f"{BASE}p/{number}\n" for number in range(50_000)).encode())
    source = site.home / "urls.txt.gz"
    source.write_bytes(packed[: len(packed) // 2])
    ran = run("build", source, "--base-url", BASE, "--out", site.out, "--state", site.state)
    assert ran.code == 2
    assert "urls.txt.gz broke off" in ran.err
    assert site.published() == before


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_an_unreadable_source(site: ListedSite) -> None:
    site.source.chmod(0)
    code, said = as_nobody(site)
    assert code == 2
    assert "urls.jsonl: Permission denied" in said


def test_a_page_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Home</title>")
    (folder / "lost.html").symlink_to("/nowhere/at/all.html")
    ran = run("build", folder, "--base-url", BASE, "--state", tmp_path / "state")
    assert ran.code == 0
    assert "lost.html: is a symlink that is broken or points outside the folder" in ran.text


# the output


def test_an_output_folder_that_is_a_file(site: ListedSite) -> None:
    target = site.home / "file"
    target.write_text("mine")
    ran = run("build", site.source, "--base-url", BASE, "--out", target, "--state", site.state)
    assert ran.code == 2
    assert target.read_text() == "mine"


def test_a_folder_in_the_way_of_a_file(site: ListedSite) -> None:
    before = site.published()
    (site.out / "sitemap-news-1.xml").mkdir()
    site.offer([*PAGES, "news/a"])
    ran = site.build("--section", "news=/news/*")
    assert ran.code == 2
    assert "sitemap-news-1.xml is a folder; the published set is unchanged" in ran.err
    assert site.published() == before


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_an_output_folder_that_cannot_be_written(site: ListedSite) -> None:
    """As an ordinary user: root may write everywhere."""
    before = site.published()
    site.offer([*PAGES, "new"])
    site.out.chmod(0o555)
    try:
        code, said = as_nobody(site)
        assert code == 2
        assert "ermission denied" in said
        assert len(said.splitlines()) == 1
    finally:
        site.out.chmod(0o755)
    assert site.published() == before


def as_nobody(site: ListedSite) -> tuple[int, str]:
    program = (
        "import ada_url, locale, os, sys\n"  # that user may not be able to read the standard library
        "from urlset.cli.main import main\n"
        "import urlset.workflows.build.build\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    for path in (site.home, *site.home.parents):
        if path.owner() == "root" and path.is_relative_to(Path("/tmp")) and path != Path("/tmp"):
            path.chmod(path.stat().st_mode | 0o755)
    for path in (site.state, *site.state.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    done = subprocess.run(
        [sys.executable, "-c", program, "build", str(site.source), "--base-url", BASE,
         "--out", str(site.out), "--state", str(site.state)],
        capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(site.home.parent)},
    )  # fmt: skip
    return done.returncode, done.stderr


# a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = shutil.which("mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is impossible here: {done.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("full", ["out", "state"])
def test_a_full_disk(tmp_path: Path, small_disk: Path, full: str) -> None:
    site = ListedSite(tmp_path)
    if full == "out":
        site.out = small_disk / "out"
    else:
        site.state = small_disk / "state"
    site.offer(PAGES)
    assert site.build().code == 0
    before = site.published()
    site.offer([*PAGES, *(f"products/a-rather-long-name-for-a-page-{number}" for number in range(40_000))])
    ran = site.build()
    assert ran.code == 2
    assert "no space" in ran.err.lower() or "full" in ran.err.lower()
    assert len(ran.err.splitlines()) == 1
    assert site.published() == before
    site.offer([*PAGES, "one-more"])
    again = site.build()
    assert again.code == 0, again.err
    assert site.listed() == sorted([*PAGES, "one-more"])


# the ledger


def test_a_busy_ledger(site: ListedSite) -> None:
    before = site.published()
    with closing(sqlite3.connect(site.state / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ran = site.build()
        other.execute("ROLLBACK")
    assert ran.code == 2
    assert "another build with this state is running" in ran.err
    assert site.published() == before
    assert site.build().code == 0


def test_a_damaged_ledger(site: ListedSite) -> None:
    before = site.published()
    ledger = site.state / "ledger.db"
    ledger.write_bytes(b"this is not a database at all" * 100)
    ran = site.build()
    assert ran.code == 2
    assert "ledger.db: damaged (file is not a database)" in ran.err
    assert site.published() == before
    ledger.unlink()
    assert site.build().code == 0
    assert site.published() == before, "without its memory it writes the same"


def test_a_damaged_manifest(site: ListedSite) -> None:
    before = site.published()
    (site.state / "manifest.json").write_text("{")
    ran = site.build()
    assert ran.code == 2
    assert "manifest.json is not a manifest" in ran.err
    assert site.published() == before


def test_files_that_somebody_changed_are_written_again(site: ListedSite) -> None:
    before = site.published()["sitemap.xml"][0]
    (site.out / "sitemap.xml").write_text("<oops/>")
    ran = site.build()
    assert ran.code == 0
    assert site.published()["sitemap.xml"][0] == before


# history


def git(folder: Path, *arguments: str) -> None:
    names = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
             "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "2024-02-03T04:05:06Z",
             "GIT_COMMITTER_DATE": "2024-02-03T04:05:06Z", "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **names})


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_dates_pages_but_a_shallow_clone_does_not(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    for number in range(2):
        (origin / "index.html").write_text(f"<title>Home</title><p>Welcome, for the {number}. time.</p>")
        git(origin, "add", ".")
        git(origin, "commit", "-q", "-m", str(number))
    git(tmp_path, "clone", "-q", f"file://{origin}", "whole")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", "shallow")
    ran = run("build", tmp_path / "whole", "--base-url", BASE, "--state", tmp_path / "a")
    assert "1 from git" in ran.text
    assert b"<lastmod>2024-02-03T04:05:06Z</lastmod>" in (tmp_path / "whole" / "sitemap.xml").read_bytes()
    ran = run("build", tmp_path / "shallow", "--base-url", BASE, "--state", tmp_path / "b")
    assert ran.code == 0
    assert "1 without a date" in ran.text
    assert "no dates from git" in ran.text
    assert "shallow" in ran.text
    assert "--unshallow" in ran.text
    assert b"lastmod" not in (tmp_path / "shallow" / "sitemap.xml").read_bytes()


def test_a_long_list_of_troubles_says_how_many_more_there_are(site: ListedSite) -> None:
    site.rows([f'{{"loc": "{BASE}{path}"}}' for path in PAGES] + ["{broken"] * 7)
    ran = site.build()
    assert ran.text.count("not JSON") == 5
    assert "and 2 more (--format json lists all)" in ran.text


def test_a_long_list_of_findings_says_how_many_more_there_are(site: ListedSite) -> None:
    site.rows({"loc": BASE + path, "alternates": {"iw": BASE + path}} for path in PAGES)
    report = site.report("--dry-run")
    assert report["finding_count"] == len(report["findings"]) == 10
    text = site.build("--dry-run").text
    assert text.count("warning[H027]") == 5
    assert "and 5 more (--format json lists all)" in text


@pytest.mark.parametrize("compiled", [True, False])
def test_a_given_date_in_the_future_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, compiled: bool
) -> None:
    if not compiled:
        monkeypatch.setattr(pages, "compiled_pages", lambda: None)
    site = ListedSite(tmp_path)
    site.rows([{"loc": f"{BASE}a", "lastmod": "2999-01-01"}, {"loc": f"{BASE}b", "lastmod": "2025-05-05"}])
    report = site.report()
    assert report["published"]
    assert (report["dated"], report["trouble_count"]) == ({"none": 1, "given": 1}, 1)
    reason = "lastmod: '2999-01-01' is in the future; omitted"
    assert report["troubles"] == [{"origin": "urls.jsonl:1", "reason": reason}]
    assert f"urls.jsonl:1: {reason}" in site.build().text
    assert reason in run("explain", f"{BASE}a", "--state", site.state).text
    assert "future" not in run("explain", f"{BASE}b", "--state", site.state).text


def test_articles_beyond_a_thousand_are_reported(site: ListedSite) -> None:
    today = datetime.now(UTC).isoformat()
    said = {"name": "Post", "language": "en", "publication_date": today, "title": "Story"}
    site.rows([{"loc": f"{BASE}n/{number}", "news": said} for number in range(1001)])
    ran = site.build("--force", "shrink")
    assert "more than 1,000 recent articles in sitemap.xml: only the newest are listed as news" in ran.text
    assert (site.out / "sitemap.xml").read_text().count("<news:news>") == 1000
