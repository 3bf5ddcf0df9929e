"""The same input → the same bytes, however many workers write the files, and whatever happens to them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from urlset.building import shards
from urlset.building.journal import PublishError
from urlset.execution.workers import Where, Workers
from urlset.settings.build import BuildSettings
from urlset.workflows.build import files
from urlset.workflows.build.build import build
from urlset.workflows.build.files import ShardResult, ShardTask, write_shard
from urlset.workflows.build.result import BuildReport, BuildRun

BASE = "https://www.example.com/"


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "LIMITS", shards.ShardLimits(fill_entries=20, most_entries=25))


def built(folder: Path, workers: Workers, pages: range = range(400)) -> BuildReport:
    folder.mkdir(exist_ok=True)
    source = folder / "urls.csv"
    source.write_text("loc,lastmod\n" + "".join(f"{BASE}p{page},2026-10-0{page % 9 + 1}\n" for page in pages))
    options = BuildSettings(
        sources=(str(source),), out=folder / "out", state=folder / "state", base_url=BASE, gzip=True
    )
    return build(options, BuildRun(workers=workers))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "out").iterdir()}


def die_once(task: ShardTask) -> ShardResult | str:
    died = Path(task.target).parent.parent.parent / "died"
    if task.name == "sitemap-pages-3.xml.gz" and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return write_shard(task)


def die(task: ShardTask) -> ShardResult | str:
    os.kill(os.getpid(), signal.SIGKILL)
    return write_shard(task)


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    for name, workers in (("here", Workers()), ("two", Workers(Where.PROCESS, 2)), ("five", Workers(Where.PROCESS, 5))):
        first = built(tmp_path / name, workers)
        again = built(tmp_path / name, workers, range(5, 410))
        assert (first.listed, again.listed, again.added, again.removed) == (400, 405, 10, 5)
    wanted = content(tmp_path / "here")
    assert len(wanted) == 22
    assert content(tmp_path / "two") == content(tmp_path / "five") == wanted


@pytest.mark.slow
def test_a_killed_worker_costs_time_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path / "here", Workers())
    monkeypatch.setattr(files, "write_shard", die_once)
    built(tmp_path / "killed", Workers(Where.PROCESS, 2))
    assert (tmp_path / "killed" / "died").exists()
    assert content(tmp_path / "killed") == content(tmp_path / "here")


@pytest.mark.slow
def test_a_file_that_kills_every_worker_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path / "a", Workers())
    before = content(tmp_path / "a")
    monkeypatch.setattr(files, "write_shard", die)
    with pytest.raises(PublishError, match=r"cannot write sitemap-pages-\d+.xml.gz: the worker process crashed"):
        built(tmp_path / "a", Workers(Where.PROCESS, 2), range(300, 700))
    assert content(tmp_path / "a") == before
