"""The old file or the new one, never a mixture."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlset.writing.files import WORK, sweep, write_atomically


@pytest.mark.posix
def test_replaces_and_keeps_a_copy(tmp_path: Path) -> None:
    target = tmp_path / "sitemap.xml"
    target.write_bytes(b"old")
    target.chmod(0o640)
    write_atomically(target, [b"n", b"ew"], backup=True)
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "sitemap.xml.bak").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sitemap.xml", "sitemap.xml.bak"]


def test_a_backup_replaces_no_file_of_that_name(tmp_path: Path) -> None:
    target = tmp_path / "sitemap.xml"
    (tmp_path / "sitemap.xml.bak").write_bytes(b"somebody's")
    for number, content in enumerate((b"one", b"two", b"three")):
        target.write_bytes(content)
        write_atomically(target, [b"fixed"], backup=True)
        assert (tmp_path / f"sitemap.xml.bak.{number + 1}").read_bytes() == content
    target.write_bytes(b"two")
    write_atomically(target, [b"fixed"], backup=True)
    assert (tmp_path / "sitemap.xml.bak").read_bytes() == b"somebody's"
    assert len(list(tmp_path.iterdir())) == 5, "what is kept already is not kept twice"


def test_a_file_that_looks_like_an_unfinished_one_is_left_alone(tmp_path: Path) -> None:
    foreign = [tmp_path / f".sitemap.xml.{os.getpid()}.part", tmp_path / f".sitemap.xml.{os.getpid()}.bak.part"]
    for path in foreign:
        path.write_bytes(b"somebody's")
    target = tmp_path / "sitemap.xml"
    target.write_bytes(b"old")
    write_atomically(target, [b"new"], backup=True)
    assert [path.read_bytes() for path in foreign] == [b"somebody's"] * 2


def test_a_failure_leaves_the_old_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "sitemap.xml"
    target.write_bytes(b"old")

    def broken() -> Iterator[bytes]:
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_atomically(target, broken())
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.xml").write_bytes(b"old")
    link = tmp_path / "link.xml"
    link.symlink_to("real.xml")
    write_atomically(link, [b"new"])
    assert link.is_symlink()
    assert (tmp_path / "real.xml").read_bytes() == b"new"


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    target = tmp_path / "sitemap.xml"
    old, new = b"o" * 3_000_000, b"n" * 3_000_000
    program = (
        "import sys; from pathlib import Path; from urlset.writing.files import write_atomically\n"
        "print('go', flush=True)\n"
        "while True:\n"
        "    for letter in (b'n', b'o'):\n"
        "        write_atomically(Path(sys.argv[1]), (letter * 100_000 for _ in range(30)))\n"
    )
    target.write_bytes(old)
    for number in range(12):
        process = subprocess.Popen([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.003 * number)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert target.read_bytes() in (old, new)
    for left in tmp_path.glob(f".{WORK}*"):
        os.utime(left, (0, 0))  # one may not be marked yet, and is removed after an hour only
    sweep(tmp_path)  # as the next run does
    assert list(tmp_path.iterdir()) == [target]
