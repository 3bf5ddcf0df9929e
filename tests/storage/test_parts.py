"""Parts of a check in a bucket: the same report, whole or not at all, resumed, guarded against a second run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.publish.stores import KEY
from urlset.execution import parts
from urlset.execution.parts import PartsError, run_folder
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.storage.files import StoredFile
from urlset.storage.guarded import LOCK
from urlset.storage.store import StorageError
from urlset.workflows import check_file

pytestmark = pytest.mark.network
NOW = "2026-11-16T00:00:00+00:00"


def names(folder: StoredFile) -> list[str]:
    return sorted(str(each).removeprefix(f"{folder}/") for each in folder.below())


def report(site: StoredFile, parts: object, *more: str) -> str:
    result = run("check", site / "sitemap.xml", "--format", "json", "--parts", parts, *more)
    assert result.code == 1, result.err
    return result.text


@pytest.mark.parametrize(
    "executor", ["local", pytest.param("process", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.slow)]
)
def test_the_report_does_not_depend_on_where_parts_are(
    site: StoredFile, tmp_path: Path, executor: str, request: pytest.FixtureRequest
) -> None:
    if executor == "ray":
        request.addfinalizer(pytest.importorskip("ray").shutdown)
    how = ["--executor", executor] + (["--jobs", "2"] if executor != "local" else [])
    home = site.parent / f"run-{site.name}-{executor}"
    assert report(site, home, *how) == report(site, tmp_path / "parts", "--executor", "local")
    assert names(home) == ["finished", "plan.json"]


def test_a_resumed_run_computes_only_what_is_missing(site: StoredFile, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = report(site, site / "run1")
    done: list[str] = []

    def counted(path: str, **how: Any) -> Document:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(path)
        return read(path, **how)

    monkeypatch.setattr(check_file, "read", counted)
    assert run("check", site / "sitemap.xml", "--parts", site / "run2").code == 130
    kept = names(site / "run2")
    assert sum(name.endswith(".result") for name in kept) == 3
    assert "finished" not in kept
    assert not any(KEY.encode() in (site / "run2" / name).read_bytes() for name in kept)
    done.append("the next call is none of the first three")
    (site / "maps/d.xml").write([(site / "maps/d.xml").read_bytes()])
    assert report(site, site / "run2") == whole
    assert done[4:] == [f"{site}/maps/c.xml", f"{site}/maps/d.xml"]


def test_a_part_that_is_damaged_is_not_used(bucket: StoredFile) -> None:
    parts.put_result(bucket / "x.result", b"packed")
    assert parts.get_result(bucket / "x.result") == b"packed"
    (bucket / "x.result").write([(bucket / "x.result").read_bytes()[:-1]])
    assert parts.get_result(bucket / "x.result") is None
    assert parts.get_result(bucket / "none") is None


def test_one_run_at_a_time(bucket: StoredFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_LOCK_SECONDS", 1.5)
    with run_folder(bucket, "a", NOW), pytest.raises(PartsError, match="in use by another run"):  # noqa: SIM117
        with run_folder(bucket, "a", NOW):
            pass
    assert names(bucket) == ["plan.json"]
    with run_folder(bucket, "a", NOW) as resumed:
        assert resumed.resumed


def test_the_lock_of_a_killed_run_ends(bucket: StoredFile) -> None:
    (bucket / LOCK).write([b'{"token": "dead", "seconds": 1}'])
    began = time.monotonic()
    with run_folder(bucket, "a", NOW):
        assert time.monotonic() - began < 10


def test_a_folder_with_other_objects_is_not_used(site: StoredFile) -> None:
    (site / "parts" / "own.parquet").write([b"1"])
    for folder in (site, site.parent):
        with pytest.raises(PartsError, match="holds other files"), run_folder(folder, "a", NOW):
            pass
    assert (site / "parts" / "own.parquet").exists()
    (site / "empty" / "parts" / "own.parquet").write([b"1"])
    with pytest.raises(PartsError, match="holds other files"), run_folder(site / "empty", "a", NOW):
        pass


def test_a_run_that_lost_its_lock_does_not_finish(bucket: StoredFile) -> None:
    with run_folder(bucket, "a", NOW) as late:
        assert late.lock is not None
        late.lock._lost = True  # as its thread finds out when another run has taken it
        with pytest.raises(StorageError, match="lost to another run"):
            late.finish()
    assert names(bucket) == [LOCK, "plan.json"]
