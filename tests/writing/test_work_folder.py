"""Work folders of killed runs are removed by the next; those of others, or of runs that live, never."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from urlset.storage.system import Hold, try_lock
from urlset.writing.files import (
    MARKER,
    WORK,
    LockBusy,
    WorkFolder,
    locked_file,
    locked_folder,
    sweep,
    work_folder,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs flock and SIGKILL")

PROGRAM = """
import sys
from pathlib import Path
from urlset.writing.files import work_folder
with work_folder(Path(sys.argv[1])) as folder:
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("unfinished")
    print("go", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_run(parent: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAM, str(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_it_is_gone_after_the_block(tmp_path: Path) -> None:
    with work_folder(tmp_path) as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(f".{WORK}")
    assert list(tmp_path.iterdir()) == []


def test_that_of_a_killed_run_is_removed(tmp_path: Path) -> None:
    with another_run(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(list(tmp_path.iterdir())) == 1
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_that_of_a_run_that_lives_is_not(tmp_path: Path) -> None:
    with another_run(tmp_path):
        sweep(tmp_path)
        assert [path.name for path in tmp_path.glob(f".{WORK}*/deep/*")] == ["file"]


@pytest.mark.parametrize("marker", [None, "", "{}", '{"folder": "another", "pid": 1, "boot": "", "host": ""}'])
def test_a_folder_that_merely_looks_like_one_is_left_alone(tmp_path: Path, marker: str | None) -> None:
    folder = tmp_path / f".{WORK}abcdefgh"
    folder.mkdir()
    (folder / "precious").write_text("mine")
    if marker is not None:
        (folder / MARKER).write_text(marker)
    os.utime(folder, (0, 0))
    sweep(tmp_path)
    assert (folder / "precious").read_text() == "mine"


def test_one_that_was_killed_before_it_was_marked_goes_after_a_while(tmp_path: Path) -> None:
    old, young = tmp_path / f".{WORK}old", tmp_path / f".{WORK}young"
    for folder in (old, young):
        folder.mkdir()
        (folder / MARKER).write_bytes(b"")
    os.utime(old, (0, 0))
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [young]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = WorkFolder(elsewhere, f".{WORK}")
    real.close(remove=False)
    (tmp_path / real.path.name).symlink_to(real.path)
    sweep(tmp_path)
    assert (real.path / MARKER).exists()


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    with locked_file(tmp_path / "lock"), pytest.raises(LockBusy), locked_file(tmp_path / "lock"):
        pass
    with locked_file(tmp_path / "lock"), (tmp_path / "lock").open("ab") as file:
        assert try_lock(file.fileno()) is Hold.BUSY


def test_a_folder_is_locked_under_every_name_it_has(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with locked_folder(tmp_path / "real"), pytest.raises(LockBusy), locked_folder(tmp_path / "link"):
        pass
    with locked_folder(tmp_path / "link"):
        assert list((tmp_path / "real").iterdir()) == []
