"""Which state folder belongs to an output: by any of its names, after moves and copies, and with older versions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.building.published import NEW, OLD, follow, listed, publish
from urlset.building.manifest import load
from urlset.building.state_home import OUTPUT, Home, claim, state_for, states_below
from urlset.writing.files import STATE_ROOT


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project


def found(out: str | Path) -> Home:
    return state_for(Path(out), Path(STATE_ROOT))


def built(out: str | Path, *, pages: dict[str, list[str]] | None = None) -> Path:
    state = found(out).state
    publish(Path(out), state, pages or OLD)
    return state


def test_each_output_has_its_own() -> None:
    first, second = built("public"), built("dist/public")
    assert first != second
    assert first.parent == second.parent == Path(STATE_ROOT) / "sets"
    assert found("public") == Home(first)
    assert found("dist/public") == Home(second)


@pytest.mark.posix
def test_by_whatever_path_it_is_reached(home: Path) -> None:
    state = built("public")
    (home / "link").symlink_to("public")
    for name in ("./public", "public/", "dist/../public", home / "public", "link", home / "link"):
        assert found(name) == Home(state), name


@pytest.mark.posix
def test_a_link_that_is_switched_to_another_folder_keeps_its_state(home: Path) -> None:
    for name in ("releases/1", "releases/2"):
        (home / name).mkdir(parents=True)
    (home / "current").symlink_to("releases/1")
    state = built("current")
    assert found("releases/1") == Home(state), "it is the same folder"
    (home / "current").unlink()
    (home / "current").symlink_to("releases/2")
    assert built("current") == state
    assert follow(home / "releases" / "2") == listed(OLD)


def test_a_project_that_is_moved_or_copied_with_its_state(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = built("public")
    shutil.copytree(home, home.parent / "copy")
    monkeypatch.chdir(home.parent / "copy")
    assert found("public") == Home(state)
    assert load(found("public").state) is not None
    home.rename(home.parent / "elsewhere")
    monkeypatch.chdir(home.parent / "elsewhere")
    assert found("public") == Home(state)


def test_an_output_outside_the_project(home: Path) -> None:
    state = built(home.parent / "srv")
    assert found(home.parent / "srv") == Home(state)
    assert found("../srv") == Home(state)
    assert found("srv").state != state


def test_a_moved_output_keeps_its_state(home: Path) -> None:
    state = built("public")
    (home / "public").rename(home / "site")
    assert found("site") == Home(state, "using the state of public, now at site")
    publish(Path("site"), state, NEW)
    assert found("site") == Home(state), "and this is said once"


def test_a_copied_output_starts_over(home: Path) -> None:
    state = built("public")
    shutil.copytree(home / "public", home / "copy")
    assert found("copy").state != state


def test_an_output_moved_to_another_disk_is_known_by_its_files(home: Path) -> None:
    state = built("public")
    shutil.copytree(home / "public", home / "site")
    shutil.rmtree(home / "public")
    assert found("site").state == state
    (home / "site" / "sitemap-a-1.xml").write_text("changed")
    assert found("site").state != state


def test_the_state_of_an_earlier_version_is_left_alone() -> None:
    """One state in `.urlset` itself, which does not say what its output is."""
    publish(Path("public"), Path(STATE_ROOT), OLD)
    (Path(STATE_ROOT) / OUTPUT).unlink()
    home = found("public")
    assert home.state.parent == Path(STATE_ROOT) / "sets"
    assert home.note == f"ignored the state of an earlier version in {STATE_ROOT}"
    publish(Path("public"), home.state, NEW)
    assert found("public") == Home(home.state), "and this is said once"
    assert states_below(Path(STATE_ROOT)) == [Path(STATE_ROOT), home.state]


def test_a_state_folder_that_is_named_for_two_outputs(home: Path) -> None:
    publish(Path("a"), Path("state"), OLD)
    (home / "b").mkdir()
    assert list(claim(Path("state"), Path("b"))) == [
        "the state in state belongs to a; use a separate --state per output"
    ]
    assert list(claim(Path("state"), Path("b"))) == []
