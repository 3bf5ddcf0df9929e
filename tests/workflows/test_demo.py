"""A folder → the samples of the demo, and nothing of the user's overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

import urlset
from urlset.workflows.demo import STEPS, write_samples


def test_the_samples_are_the_same_every_time(tmp_path: Path) -> None:
    first = {path: path.read_bytes() for path in write_samples(tmp_path)}
    assert {path: path.read_bytes() for path in write_samples(tmp_path)} == first
    assert len(first) == 4


def test_good_is_good_and_broken_is_broken(tmp_path: Path) -> None:
    for path in write_samples(tmp_path):
        assert bool(urlset.read(path).troubles) is (path.name == "broken.xml")


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "broken.xml").write_text("mine")
    with pytest.raises(FileExistsError, match=r"broken\.xml is already there"):
        write_samples(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["broken.xml"]


def test_the_tour_names_files_that_are_written(tmp_path: Path) -> None:
    written = {str(path.relative_to(tmp_path)) for path in write_samples(tmp_path)}
    named = {step.arguments[1] for step in STEPS if step.arguments[0] != "explain"}
    assert named <= written | {str(Path(name).parent) for name in written}
