"""A number of URLs → a set of sitemaps and its cost; numbers agree with each other for any count."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from operator import mul
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.settings.plan import PlanSettings
from urlset.spec.protocol import MAX_BYTES
from urlset.workflows.plan import COSTS, Line, SetPlan, index_names, on_line, plan, shard_digits


def planned(urls: int | str, **more: int) -> SetPlan:
    return plan(PlanSettings(urls=str(urls), **more))  # type: ignore[arg-type]  # numbers only


@given(urls=st.integers(1, 10**13))
def test_numbers_agree(urls: int) -> None:
    found = planned(urls)
    assert (found.urls, found.files) == (urls, ceil(urls / 50_000))
    assert found.indexes == len(found.robots_lines) == ceil(found.files / 50_000)
    assert found.bytes > urls * found.url_bytes
    assert 0 < found.gzip_bytes < found.bytes
    assert found.memory_bytes >= found.worker_bytes * found.workers
    assert found.cpu_seconds > 0


@given(urls=st.integers(1, 10**12), more=st.integers(1, 10**12))
def test_more_urls_never_cost_less(urls: int, more: int) -> None:
    less, most = planned(urls), planned(urls + more)
    for name in ("files", "indexes", "bytes", "gzip_bytes", "memory_bytes", "cpu_seconds", "disk_bytes"):
        assert getattr(less, name) <= getattr(most, name), name


@pytest.mark.parametrize(
    ("text", "urls"),
    [("2.5e9", 2_500_000_000), ("26M", 26_000_000), ("1_000", 1000), ("50,001", 50_001), ("2b", 2 * 10**9)],
)
def test_counts_are_read_as_people_write_them(text: str, urls: int) -> None:
    assert planned(text).urls == urls


def test_large_entries_need_more_files() -> None:
    found = planned(1_000_000, languages=40)
    assert found.per_file < 50_000
    assert found.per_file * found.url_bytes <= MAX_BYTES
    assert found.files == ceil(1_000_000 / found.per_file)


def test_the_ceiling_of_one_index() -> None:
    assert planned("2.5e9").indexes == 1
    found = planned(2_500_000_001)
    assert found.index_names == ("sitemap.xml", "sitemap.2.xml")
    assert index_names(150_000)[-1] == "sitemap.3.xml"


@given(files=st.integers(1, 5000))
def test_digits_are_counted(files: int) -> None:
    assert shard_digits(files) == sum(len(str(number)) for number in range(1, files + 1))


class Run(NamedTuple):
    """One command over generated sitemaps: 2 cores of AMD EPYC, Python 3.11, compiled scanner, 2026-11-16."""

    urls: int
    files: int
    cpu_seconds: float
    """of all its processes"""
    driver_bytes: int
    worker_bytes: int
    """peak resident memory of the largest"""
    driver_seconds: float
    """of these, CPU of the process that hands out the tasks"""


RUNS = {
    "check": (
        Run(51_000, 2, 1.34, 52_318_208, 47_964_160, 0.82),
        Run(200_500, 401, 4.95, 58_011_648, 31_334_400, 1.89),
        Run(1_001_000, 21, 3.81, 77_303_808, 54_198_272, 1.48),
        Run(10_001_000, 201, 19.25, 74_829_824, 198_496_256, 2.53),
        Run(100_001_000, 2_001, 202.06, 142_249_984, 264_953_856, 8.42),
    ),
    "build": (
        Run(51_000, 2, 1.88, 92_942_336, 80_580_608, 1.1),
        Run(200_500, 5, 3.24, 117_096_448, 81_203_200, 2.01),
        Run(1_001_000, 23, 6.93, 182_886_400, 138_481_664, 3.66),
        Run(10_001_000, 223, 51.43, 200_024_064, 128_061_440, 29.89),
        Run(100_001_000, 2_223, 530.03, 340_414_464, 88_014_848, 313.96),
    ),
}
"""`python -m bench.large` measures them. Other programs ran on the same cores, so times vary."""


def slopes(line: Line, runs: Sequence[Run], measured: Sequence[float]) -> list[float]:
    """How the squares of relative errors fall along start, files and URLs: all zero where they are least."""
    rows = [(1 / value, run.files / value, run.urls / value) for run, value in zip(runs, measured, strict=True)]
    errors = [1 - sum(map(mul, line, row)) for row in rows]
    scales = [sum(row[at] ** 2 for row in rows) ** 0.5 for at in range(3)]
    return [sum(error * row[at] for error, row in zip(errors, rows, strict=True)) / scales[at] for at in range(3)]


@pytest.mark.parametrize("command", RUNS)
def test_the_constants_are_the_least_squares_of_the_measured_runs(command: str) -> None:
    model, runs = COSTS[command], RUNS[command]
    seen = runs[:-1]  # times of the largest run test the model
    lines = (
        (model.cpu_seconds, seen, [run.cpu_seconds for run in seen]),
        (model.driver_seconds, seen, [run.driver_seconds for run in seen]),
        (model.driver_bytes, runs, [run.driver_bytes for run in runs]),
    )
    for line, used, measured in lines:
        for value, slope in zip(line, slopes(line, used, measured), strict=True):
            # no work takes negative time, so what would be below zero is zero
            assert slope == pytest.approx(0, abs=1e-6) if value else slope < 1e-6
    assert model.worker_bytes == max(run.worker_bytes for run in runs)
    errors = [abs(on_line(model.cpu_seconds, run.urls, run.files) / run.cpu_seconds - 1) for run in runs]
    assert model.error_percent == round(100 * max(errors), 1) < 20
    assert errors[-1] < 0.2
    assert on_line(model.driver_bytes, runs[-1].urls, runs[-1].files) < 400_000_000


def test_the_driver_limits_what_more_workers_can_do() -> None:
    model = COSTS["build"]
    few, many, more = (model.wall_seconds(10**8, 2_223, workers) for workers in (1, 10, 1_000))
    assert few <= on_line(model.cpu_seconds, 10**8, 2_223)
    assert many == more > 0
