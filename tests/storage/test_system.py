"""Streams, locks and renames, as each system has them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from urlset.storage.system import Hold, is_running, open_for_lock, replace, try_lock
from urlset.writing.files import WorkFolder, abandoned, remove_folder

SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.shop.com/é&x=日本</loc><lastmod>2026-11-01</lastmod></url>
</urlset>
"""


@pytest.mark.parametrize(
    ("encoding", "arguments"),
    [
        *(("cp1252", [*words.split()]) for words in ("check", "check --format concise", "fix --diff", "info")),
        *((name, ["fix", "--diff"]) for name in ("cp437", "cp932", "utf-8", "")),
    ],
)
def test_any_code_page_gets_every_character(encoding: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} | (
        {"PYTHONIOENCODING": encoding} if encoding else {}
    )
    command = [sys.executable, "-m", "urlset", *arguments, "sitemap.xml"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    is_patch = arguments[0] == "fix"  # which has the bytes of the file
    said = ran.stdout.decode("utf-8" if is_patch else encoding or "utf-8")
    notes = ran.stderr.decode(encoding or "utf-8")
    assert ran.returncode in {0, 1}, notes
    assert "?" not in (said + notes).replace('<?xml version="1.0" encoding="UTF-8"?>', "")
    if is_patch:
        assert ("→" in notes) == (encoding in {"utf-8", "", "cp932"})
        assert ("->" in notes) == (encoding in {"cp1252", "cp437"})
    elif arguments[0] == "check":
        assert "日本" in said or "\\u65e5\\u672c" in said


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("ab") as one, (tmp_path / "lock").open("ab") as two:
        assert [try_lock(one.fileno()), try_lock(two.fileno())] == [Hold.HELD, Hold.BUSY]
    with (tmp_path / "lock").open("ab") as three:
        assert try_lock(three.fileno()) is Hold.HELD


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    one, two = open_for_lock(tmp_path), open_for_lock(tmp_path / ".." / tmp_path.name)
    assert [try_lock(one), try_lock(two)] == [Hold.HELD, Hold.BUSY]
    os.close(one)
    assert try_lock(two) is Hold.HELD
    os.close(two)


def test_what_is_locked_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as file:
        file.write(b"who holds it")
        file.flush()
        assert try_lock(file.fileno()) is Hold.HELD
        assert path.read_bytes() == b"who holds it"


def test_the_folder_of_a_killed_run_can_be_removed(tmp_path: Path) -> None:
    folder = WorkFolder(tmp_path, "work-")
    assert list(abandoned(tmp_path, "work-")) == []
    folder.close(remove=False)
    for path, _ in abandoned(tmp_path, "work-"):
        remove_folder(path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_read_is_replaced_when_it_is_closed(tmp_path: Path) -> None:
    """Windows refuses that for as long as it is open."""
    old, new = tmp_path / "sitemap.xml", tmp_path / "new"
    old.write_bytes(b"old")
    new.write_bytes(b"new")
    reader = old.open("rb")
    closing = threading.Timer(0.3, reader.close)
    closing.start()
    replace(new, old)
    closing.join()
    assert old.read_bytes() == b"new"


def test_processes() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert (is_running(os.getpid()), is_running(ended.pid)) == (True, False)
