"""Publishing removes and replaces only what is its own, and finishes a build only where it was begun."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.building.published import BASE, NEW, OLD, ONE, follow, listed, names, publish, stage
from urlset.building.journal import DECIDED, JOURNAL, STAGING_PREFIX, PublishError, bridge_name
from urlset.building.manifest import load
from urlset.building.staging import Staging, recover, rollback

LOOKALIKES = [
    "sitemap-products.202401011200.xml",
    "sitemap-a-1.0123456789ab.xml",
    ".sitemap-a-1.xml.4711.part",
    ".sitemap-old.part",
    ".robots.txt.12.part",
    ".manifest.json.9.part",
    "sitemap-a-9.xml",
]


class Killed(BaseException):
    """Stands for the kill: nothing may catch it."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def build_and_die(monkeypatch: pytest.MonkeyPatch, out: Path, state: Path, *, renames: int = 99) -> None:
    """A build of NEW, killed when the journal is written and so many files have been renamed."""
    real = os.replace
    left = [renames]

    def counted(source: str | Path, target: str | Path) -> None:
        if Path(target).parent == out:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", counted)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Killed):
            publish(out, state, NEW)
    assert (state / JOURNAL).exists()


def test_files_that_merely_look_like_ours_stay(tmp_path: Path, state: Path) -> None:
    out = tmp_path / "public"
    publish(out, state, OLD)
    for folder in (out, state, state / "kept"):
        for name in LOOKALIKES:
            (folder / name).write_text("somebody's")
    (out / f"{STAGING_PREFIX}theirs").mkdir()
    (out / f"{STAGING_PREFIX}theirs" / "photo.jpg").write_text("somebody's")
    for pages in (NEW, OLD, ONE, NEW):
        publish(out, state, pages)
    rollback(state, out)
    recover(state, out)
    for folder in (out, state, state / "kept"):
        assert {name: (folder / name).read_text() for name in LOOKALIKES} == dict.fromkeys(LOOKALIKES, "somebody's")
    assert (out / f"{STAGING_PREFIX}theirs" / "photo.jpg").exists()
    assert any("urlset did not create it" in note for note in recover(state, out))


def test_a_state_folder_named_by_mistake_keeps_its_other_files(tmp_path: Path) -> None:
    """`--state .` in a folder that has a `kept` of its own."""
    out, state = tmp_path / "public", tmp_path
    (state / "kept").mkdir()
    (state / "kept" / "photo.jpg").write_text("mine")
    (state / "kept" / ("ab" * 32)).write_text("mine, and called like a hash")
    publish(out, state, OLD)
    publish(out, state, NEW)
    publish(out, state, ONE)
    assert (state / "kept" / "photo.jpg").read_text() == "mine"
    assert (state / "kept" / ("ab" * 32)).exists()


def test_a_file_in_the_way_of_the_bridge(tmp_path: Path, state: Path) -> None:
    """Its name is that of a bridge, and its content is never listed, replaced or removed."""
    other, out = tmp_path / "other", tmp_path / "public"
    build = publish(other, tmp_path / "other-state", NEW).manifest.build
    publish(out, state, OLD)
    foreign = [out / bridge_name(name, build) for name in NEW]
    for path in foreign:
        path.write_text("somebody's")
    publish(out, state, NEW)
    assert follow(out) == listed(NEW)
    assert [path.read_text() for path in foreign] == ["somebody's"] * len(foreign)
    assert set(names(out)) == {*NEW, "sitemap.xml", *(path.name for path in foreign)}


def test_a_foreign_file_that_a_later_build_replaces_can_be_put_back(tmp_path: Path, state: Path) -> None:
    out = tmp_path / "public"
    publish(out, state, OLD)
    (out / "sitemap-d-1.xml").write_text("by hand")
    publish(out, state, NEW)
    assert follow(out) == listed(NEW)
    rollback(state, out)
    assert follow(out) == listed(OLD)
    assert (out / "sitemap-d-1.xml").read_text() == "by hand"
    publish(out, state, ONE)
    assert (out / "sitemap-d-1.xml").read_text() == "by hand", "it was put back, and so it is not ours to remove"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_pipe_in_the_place_of_a_file(tmp_path: Path, state: Path) -> None:
    out = tmp_path / "public"
    out.mkdir()
    os.mkfifo(out / "sitemap-b-1.xml")
    with pytest.raises(PublishError, match="is not a regular file; the published set is unchanged"):
        publish(out, state, OLD)
    assert names(out) == ["sitemap-b-1.xml"]


# a killed build into A, and then a build into B


@pytest.mark.parametrize("renames", range(5))
def test_a_killed_build_into_a_is_finished_in_a(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    publish(a, state, OLD)
    build_and_die(monkeypatch, a, state, renames=renames)
    with Staging(b, state, BASE) as staging:
        assert f"finished an interrupted build to {a}" in staging.notes
        stage(staging, ONE)
        staging.publish()
    assert follow(a) == listed(NEW)
    assert names(a) == sorted({*NEW, "sitemap.xml"})
    assert follow(b) == listed(ONE)
    assert names(b) == ["sitemap.xml"]


@pytest.mark.parametrize("renames", [0, 2, 4])
def test_it_is_finished_with_its_own_state_by_a_build_with_another(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    out = tmp_path / "public"
    publish(out, state, OLD)
    build_and_die(monkeypatch, out, state, renames=renames)
    assert recover(tmp_path / "other-state", out)[0] == f"finished an interrupted build to {out}"
    assert follow(out) == listed(NEW)
    assert names(out) == sorted({*NEW, "sitemap.xml"})
    assert not (state / JOURNAL).exists()
    known = load(state)
    assert known is not None
    assert known.entries == 9


@pytest.mark.parametrize("renames", [0, 2, 4])
def test_it_is_finished_where_its_state_was_lost(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    out = tmp_path / "public"
    publish(out, state, OLD)
    build_and_die(monkeypatch, out, state, renames=renames)
    shutil.rmtree(state)
    recover(state, out)
    assert follow(out) == listed(NEW)
    assert names(out) == sorted({*NEW, "sitemap.xml"})


def moved(a: Path, b: Path) -> None:
    a.rename(b)


def copied(a: Path, b: Path) -> None:
    shutil.copytree(a, b)


@pytest.mark.parametrize("how", [moved, copied])
@pytest.mark.parametrize("renames", [0, 2, 4])
def test_a_folder_that_was_moved_or_copied_in_between(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, renames: int, how: Callable[[Path, Path], None]
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    publish(a, state, OLD)
    build_and_die(monkeypatch, a, state, renames=renames)
    how(a, b)
    recover(state, b)
    for folder in (a, b):
        if folder.exists():
            assert follow(folder) == listed(NEW)
            assert names(folder) == sorted({*NEW, "sitemap.xml"})
    assert not (state / JOURNAL).exists()


def test_a_folder_that_is_gone(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, away = tmp_path / "a", tmp_path / "b", tmp_path / "away"
    publish(a, state, OLD)
    build_and_die(monkeypatch, a, state, renames=4)
    a.rename(away)
    assert f"dropped an interrupted build to {a}: the folder no longer exists" in recover(state, b)
    assert names(b) == []
    away.rename(a)  # it was only not mounted
    assert (a / next(name for name in names(a) if name.startswith(STAGING_PREFIX)) / DECIDED).exists()
    recover(state, a)
    assert follow(a) == listed(NEW)
    assert names(a) == sorted({*NEW, "sitemap.xml"})


def test_a_journal_that_names_no_output(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a = tmp_path / "a"
    publish(a, state, OLD)
    build_and_die(monkeypatch, a, state, renames=2)
    old = msgspec.json.decode((state / JOURNAL).read_bytes())
    del old["output"]
    (state / JOURNAL).write_bytes(msgspec.json.encode(old))
    with pytest.raises(PublishError, match=r"is not a urlset journal: .*`output`"):
        publish(a, state, ONE)


# two at once

HOLDER = """
import sys
from pathlib import Path
from tests.building.published import BASE, NEW, stage
from urlset.building.staging import Staging
with Staging(Path(sys.argv[1]), Path(sys.argv[2]), BASE) as staging:
    stage(staging, NEW)
    print("go", flush=True)
    sys.stdin.readline()
    staging.publish()
"""


@pytest.mark.parametrize("other_state", [False, True])
@pytest.mark.parametrize("by_link", [False, pytest.param(True, marks=pytest.mark.posix)])
def test_two_builds_into_one_output(tmp_path: Path, state: Path, other_state: bool, by_link: bool) -> None:
    """The second is refused, and what the first has staged is not swept."""
    out, link = tmp_path / "public", tmp_path / "link"
    publish(out, state, OLD)
    if by_link:
        link.symlink_to("public")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLDER, str(out), str(state)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as first:
        assert first.stdout is not None
        assert first.stdin is not None
        first.stdout.readline()
        with pytest.raises(PublishError, match=r"another build is (publishing to|using the state folder)"):
            publish(link if by_link else out, tmp_path / "state-2" if other_state else state, ONE)
        assert follow(out) == listed(OLD)
        first.stdin.write(b"on\n")
        first.stdin.close()
        assert first.wait(timeout=60) == 0
    assert follow(out) == listed(NEW)
    publish(link if by_link else out, state, ONE)
    assert follow(out) == listed(ONE)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_a_folder_whose_name_is_not_utf_8(tmp_path: Path, state: Path) -> None:
    """The journal and the state could not name it."""
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    for out, home in ((odd, state), (tmp_path / "out", odd)):
        with pytest.raises(PublishError, match=r"caf\\udce9: the path is not UTF-8"), Staging(out, home, BASE):
            pass
        assert not odd.exists()
