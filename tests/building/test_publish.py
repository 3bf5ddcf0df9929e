"""A set is published whole or not at all, whatever happens on the way, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building.published import BASE, NEW, OLD, ONE, Pages, follow, listed, names, publish, stage
from urlset.building import manifest as manifests
from urlset.building.journal import PublishError
from urlset.building.manifest import FileRole, ManifestError, UnsafeNameError, load
from urlset.building.staging import Staging, rollback


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "public", tmp_path / "state"


def test_first_publishing(folders: tuple[Path, Path]) -> None:
    out, state = folders
    outcome = publish(out, state, OLD, "2024-05-01")
    assert names(out) == sorted([*OLD, "sitemap.xml"])
    assert follow(out) == listed(OLD)
    assert set(outcome.changes.added) == {*OLD, "sitemap.xml"}
    saved = load(state)
    assert saved == outcome.manifest
    assert saved is not None
    assert saved.host == "www.example.com"
    assert saved.entries == 8
    assert saved.sections == {"a": 6, "b": 1, "c": 1}
    assert saved.entry_point is not None
    assert saved.entry_point.name == "sitemap.xml"
    for file in saved.files:
        assert manifests.sha256_of(out / file.name) == file.sha256
        assert (out / file.name).stat().st_size == file.bytes
        assert file.newest == (None if file.role is FileRole.INDEX else "2024-05-01")


def test_the_same_set_again_touches_nothing(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, ONE)
    publish(out, state, OLD)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in (*out.iterdir(), *state.glob("*.json"))}
    outcome = publish(out, state, OLD)
    assert outcome.changes.touched == ()
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in before} == before
    assert follow(out) == listed(OLD)
    rollback(state, out)
    assert follow(out) == listed(ONE)


def test_only_changed_files_are_replaced(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    before = {name: (out / name).stat().st_ino for name in names(out)}
    outcome = publish(out, state, {**OLD, "sitemap-b-1.xml": ["b1", "b2"]})
    assert outcome.changes.touched == ("sitemap-b-1.xml",)
    after = {name: (out / name).stat().st_ino for name in names(out)}
    assert {name for name in before if before[name] != after[name]} == {"sitemap-b-1.xml"}


def test_what_is_no_longer_listed_is_removed(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    (out / "index.html").write_text("hello")
    (out / "sitemap-c-1.xml").write_text("somebody else's now")
    outcome = publish(out, state, {"sitemap-a-1.xml": ["a"]})
    assert set(outcome.changes.removed) == {"sitemap-a-2.xml", "sitemap-b-1.xml", "sitemap-c-1.xml"}
    assert names(out) == ["index.html", "sitemap-a-1.xml", "sitemap-c-1.xml", "sitemap.xml"]


@pytest.mark.parametrize(
    ("first", "second"), [(ONE, OLD), (OLD, ONE), (OLD, NEW), (NEW, OLD), (OLD, {"sitemap.xml": []})]
)
def test_from_any_set_to_any_other_and_back(folders: tuple[Path, Path], first: Pages, second: Pages) -> None:
    out, state = folders
    publish(out, state, first)
    before = {name: (out / name).read_bytes() for name in names(out)}
    publish(out, state, second)
    assert follow(out) == listed(second)
    rollback(state, out)
    assert {name: (out / name).read_bytes() for name in names(out)} == before
    rollback(state, out)
    assert follow(out) == listed(second)
    assert names(state) == ["kept", "lock", "manifest.json", "manifest.previous.json", "output.json"]


def test_rollback_works_when_the_output_folder_was_wiped(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    publish(out, state, NEW)
    for path in out.iterdir():
        path.unlink()
    publish(out, state, NEW)
    assert follow(out) == listed(NEW)
    for path in out.iterdir():
        path.unlink()
    rollback(state, out)
    assert follow(out) == listed(OLD)


def test_a_sitemap_of_somebody_else_can_be_had_back(folders: tuple[Path, Path]) -> None:
    out, state = folders
    out.mkdir()
    (out / "sitemap.xml").write_text("by hand")
    publish(out, state, OLD)
    rollback(state, out)
    assert (out / "sitemap.xml").read_text() == "by hand"
    assert names(out) == ["sitemap.xml"]


def test_nothing_to_go_back_to(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    with pytest.raises(PublishError, match="no earlier set"):
        rollback(state, out)


def test_a_damaged_earlier_set_is_not_published(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, ONE)
    publish(out, state, OLD)
    previous = load(state, manifests.PREVIOUS)
    assert previous is not None
    (state / "kept" / previous.files[0].sha256).write_bytes(b"damaged")
    with pytest.raises(PublishError, match=r"incomplete: sitemap\.xml"):
        rollback(state, out)
    assert follow(out) == listed(OLD)


def test_leaving_without_publishing_leaves_no_trace(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    before = names(out)
    with Staging(out, state, BASE) as staging:
        stage(staging, NEW)
        assert staging.path("sitemap-d-1.xml").read_bytes().startswith(b"<?xml")
        assert staging.path("sitemap-b-1.xml") == out / "sitemap-b-1.xml"
        assert staging.proposed().entries == 9
    assert names(out) == before
    assert follow(out) == listed(OLD)


def test_a_dry_run_touches_neither_folder(folders: tuple[Path, Path]) -> None:
    out, state = folders
    with Staging(out, state, BASE, dry_run=True) as staging:
        stage(staging, OLD)
        assert set(staging.changes().added) == {*OLD, "sitemap.xml"}
        with pytest.raises(PublishError, match="dry run"):
            staging.publish()
    assert not out.exists()
    assert not state.exists()


def test_an_untouched_file_can_be_kept_without_writing_it(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    with Staging(out, state, BASE) as staging:
        assert staging.keep("sitemap-unknown-1.xml") is None
        for name in OLD:
            assert staging.keep(name) is not None
        staging.add_indexes()
        assert staging.changes().touched == ()
        staging.publish()
    assert follow(out) == listed(OLD)
    (out / "sitemap-a-1.xml").write_text("changed by hand")
    with Staging(out, state, BASE) as staging:
        assert staging.keep("sitemap-a-1.xml") is None


@pytest.mark.parametrize(
    "name",
    [
        "../sitemap.xml",
        "/tmp/x.xml",
        "a/b.xml",
        "..",
        ".",
        "",
        ".hidden.xml",
        "a\\b.xml",
        "a\0.xml",
        "a b.xml",
        "é.xml",
    ],
)
def test_a_name_never_leaves_the_folder(folders: tuple[Path, Path], name: str) -> None:
    out, state = folders
    with Staging(out, state, BASE) as staging, pytest.raises(UnsafeNameError):
        staging.add(name, [b"x"])
    assert names(out) == []


def test_a_forged_manifest_removes_nothing_outside(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    path = state / "manifest.json"
    path.write_text(path.read_text().replace('"sitemap-c-1.xml"', '"../victim.xml"'))
    with pytest.raises(ManifestError, match="victim"):
        publish(out, state, NEW)


@pytest.mark.parametrize("text", ["", "{}", "[", '{"schema": 9, "base_url": "", "host": "", "build": ""}'])
def test_a_manifest_that_is_none(folders: tuple[Path, Path], text: str) -> None:
    out, state = folders
    publish(out, state, OLD)
    (state / "manifest.json").write_text(text)
    with pytest.raises(ManifestError, match=r"manifest\.json"):
        publish(out, state, NEW)
    assert follow(out) == listed(OLD)


def test_a_link_in_the_folder_is_replaced_not_followed(folders: tuple[Path, Path], tmp_path: Path) -> None:
    out, state = folders
    out.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (out / "sitemap.xml").symlink_to(victim)
    publish(out, state, OLD)
    assert victim.read_text() == "precious"
    assert not (out / "sitemap.xml").is_symlink()


def test_a_folder_in_the_way(folders: tuple[Path, Path]) -> None:
    out, state = folders
    (out / "sitemap-b-1.xml").mkdir(parents=True)
    with pytest.raises(PublishError, match="is a folder"):
        publish(out, state, OLD)
    assert names(out) == ["sitemap-b-1.xml"]


def test_one_build_at_a_time(folders: tuple[Path, Path]) -> None:
    out, state = folders
    with Staging(out, state, BASE), pytest.raises(PublishError, match="another build"):
        publish(out, state, OLD)
    publish(out, state, OLD)


@pytest.mark.posix
def test_the_mode_of_a_file_is_kept(folders: tuple[Path, Path]) -> None:
    out, state = folders
    publish(out, state, OLD)
    for name in ("sitemap-a-1.xml", "sitemap.xml"):
        (out / name).chmod(0o640)
    publish(out, state, NEW)
    assert {(out / name).stat().st_mode & 0o777 for name in ("sitemap-a-1.xml", "sitemap.xml")} == {0o640}
