"""Results of tasks → files that are complete or not there; a folder of them outlives its run."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.execution import parts
from urlset.execution.parts import PartsError, fingerprint_of, get_result, put_result, run_folder, write_part


def test_a_result_survives_the_disk(tmp_path: Path) -> None:
    put_result(tmp_path / "a", b"found")
    assert get_result(tmp_path / "a") == b"found"
    assert get_result(tmp_path / "b") is None
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("left", [b"", b"short", b"0" * 16])
def test_half_a_result_is_none(tmp_path: Path, left: bytes) -> None:
    put_result(tmp_path / "a", b"found")
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes()[:-1] if left == b"short" else left + b"x")
    assert get_result(tmp_path / "a") is None


def test_a_part_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    def chunks() -> list[bytes]:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_part(tmp_path / "a", chunks())
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_run_is_resumed_with_its_own_time(tmp_path: Path) -> None:
    with run_folder(tmp_path / "run", "x", "monday") as first:
        (first.parts / "a").touch()
    with run_folder(tmp_path / "run", "x", "tuesday") as second:
        assert (second.resumed, second.started) == (True, "monday")
        assert (second.parts / "a").exists()
        second.finish()
    with run_folder(tmp_path / "run", "x", "friday") as third:
        assert (third.resumed, third.started, list(third.parts.iterdir())) == (False, "friday", [])


def test_another_plan_starts_over(tmp_path: Path) -> None:
    with run_folder(tmp_path / "run", "x", "monday") as first:
        (first.parts / "a").touch()
    with run_folder(tmp_path / "run", "y", "tuesday") as second:
        assert (second.resumed, list(second.parts.iterdir())) == (False, [])


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(PartsError, match="holds other files"), run_folder(tmp_path, "x", "monday"):
        pass
    assert (tmp_path / "holiday.jpg").exists()


def test_one_run_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_PATIENCE", 0.0)
    with run_folder(tmp_path, "x", "monday"), pytest.raises(PartsError, match="in use"):
        run_folder(tmp_path, "x", "monday").__enter__()


def test_a_fingerprint_knows_values_apart() -> None:
    assert fingerprint_of("a", ["b"], {"c": 1}) == fingerprint_of("a", ["b"], {"c": 1})
    assert (
        len({fingerprint_of("a", "b"), fingerprint_of("ab"), fingerprint_of(["a", "b"]), fingerprint_of("b", "a")}) == 4
    )
