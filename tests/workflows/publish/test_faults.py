"""Kills and dropped connections at chosen requests of a publish; `sweep.py` runs all of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.workflows.publish.stores import STORES, Served, command
from tests.workflows.publish.sweep import sweep

pytestmark = [pytest.mark.network, pytest.mark.slow]


@pytest.mark.parametrize(("mode", "steps"), [("kill after", (36,)), ("drop after", (30, 35))])
def test_a_reader_never_sees_a_torn_set(place: Served, tmp_path: Path, mode: str, steps: Iterable[int]) -> None:
    endpoint, to = place
    tally = sweep(endpoint, tmp_path / "site", (mode,), steps, to)
    assert tally.faults[mode]
    assert tally.reads
    assert tally.wrong == []


@pytest.mark.parametrize(("name", "program"), [("rclone", "rclone"), ("azurite", "azurite-blob")])
def test_other_stores(name: str, program: str, tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    if command(program) is None:
        pytest.skip(f"{program} is not installed")
    with STORES[name](tmp_path) as (endpoint, to):
        tally = sweep(endpoint, tmp_path / "site", ("drop after",), (34,), to)
    assert tally.wrong == []
