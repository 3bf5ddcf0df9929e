"""State is for its user alone, whatever the umask: the helpers, and everything that the commands leave behind."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlset.testing import Site
from urlset.writing.files import locked_file, make_state_folder, private_file, write_atomically
from urlset.writing.sqlite_store import Migration, StateFile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
KIND = StateFile(holder="another test", application_id=7, migrations=(Migration(1, ("CREATE TABLE meta (a, b)",)),))


@pytest.fixture(autouse=True, params=[0o000, 0o022])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """Everything below a folder that others may read."""
    found = {path: path.stat().st_mode & 0o777 for path in folder.rglob("*")}
    return {str(path.relative_to(folder)): oct(mode) for path, mode in found.items() if mode & 0o077}


def test_new_folders_and_files_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "a" / ".urlset" / "sets"
    make_state_folder(folder)
    write_atomically(folder / "x.json", [b"{}"], private=True)
    with locked_file(folder / "lock"):
        pass
    connection = KIND.connect(folder / "x.sqlite")
    connection.execute("INSERT INTO meta VALUES (1, 2)")
    assert {path.name for path in folder.iterdir()} >= {"x.json", "lock", "x.sqlite", "x.sqlite-wal"}
    assert modes(tmp_path) == {}
    connection.close()


def test_what_older_versions_left_open_is_closed(tmp_path: Path) -> None:
    home = tmp_path / ".urlset"
    home.mkdir()
    KIND.connect(home / "x.sqlite").close()
    (home / "x.json").write_bytes(b"old")
    for path in (home, home / "x.sqlite", home / "x.json"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    KIND.connect(home / "x.sqlite").close()
    write_atomically(home / "x.json", [b"new"], private=True)
    assert modes(tmp_path) == {}
    assert (home / "x.json").read_bytes() == b"new"


def test_a_folder_that_the_user_made_is_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    make_state_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(OSError, match="x"):
        make_state_folder(tmp_path / "x")


def test_an_open_database_keeps_its_lock(tmp_path: Path) -> None:
    """POSIX drops the locks of a process on a file when it closes any descriptor of it."""
    path = private_file(tmp_path / "x.sqlite")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t (a)")
    holder.execute("BEGIN EXCLUSIVE")
    private_file(path)
    code = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN EXCLUSIVE')"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr
    holder.close()


COMMANDS = [
    ["audit", "{site}/sitemap.xml", "--allow-private"],
    ["snapshot", "{site}/sitemap.xml", "--allow-private"],
    ["crawl", "{site}/", "--allow-private", "--max-pages", "3"],
    ["build", "urls.txt", "--base-url", "https://www.example.com/", "--out", "public"],
    ["check", "{site}/sitemap.xml", "--allow-private", "--record", ".urlset/tape.jsonl"],
]


@pytest.mark.network
@pytest.mark.slow
def test_no_command_leaves_state_that_others_can_read(tmp_path: Path, umask: int) -> None:
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    (tmp_path / "urls.txt").write_text("https://www.example.com/a\nhttps://www.example.com/b\n")
    with Site({"/*": "<title>x</title><main>some text</main>"}) as site:
        locs = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in ("/a", "/b"))
        site.routes["/sitemap.xml"] = f'<urlset xmlns="{namespace}">{locs}</urlset>'
        for command in COMMANDS:
            arguments = [part.format(site=site.origin) for part in command]
            ran = subprocess.run(
                [sys.executable, "-m", "urlset", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert ran.returncode in (0, 1), ran.stderr
    state = tmp_path / ".urlset"
    names = {path.suffix for path in state.rglob("*") if path.is_file()}
    assert {".parquet", ".db", ".jsonl", ".kept", ".json"} <= names
    kept = {f"{each.relative_to(state)}" for each in state.glob("sets/*/kept/*")}
    assert modes(state).keys() <= kept  # second names of the published files, in a closed folder
    assert state.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "public" / "sitemap.xml").stat().st_mode & 0o777 == 0o666 & ~umask
