"""Measured runs → a linear cost model and its error; docs/scale.md describes the runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class MeasuredRun(NamedTuple):
    """One command over generated sitemaps: 2 cores of AMD EPYC, Python 3.11, compiled scanner, 2026-11-16."""

    command: str
    urls: int
    files: int
    cpu_seconds: float
    """of all its processes"""
    driver_bytes: int
    worker_bytes: int
    """peak resident memory of the largest"""
    held_out: bool = False
    """not used to fit the model: it tests it"""
    driver_seconds: float = 0.0
    """of these, CPU of the process that hands out the tasks: more workers do not shorten it"""


RUNS: tuple[MeasuredRun, ...] = (
    MeasuredRun("check", 51_000, 2, 1.34, 52_318_208, 47_964_160, driver_seconds=0.82),
    MeasuredRun("check", 200_500, 401, 4.95, 58_011_648, 31_334_400, driver_seconds=1.89),
    MeasuredRun("check", 1_001_000, 21, 3.81, 77_303_808, 54_198_272, driver_seconds=1.48),
    MeasuredRun("check", 10_001_000, 201, 19.25, 74_829_824, 198_496_256, driver_seconds=2.53),
    MeasuredRun("check", 100_001_000, 2_001, 202.06, 142_249_984, 264_953_856, held_out=True, driver_seconds=8.42),
    MeasuredRun("build", 51_000, 2, 1.88, 92_942_336, 80_580_608, driver_seconds=1.1),
    MeasuredRun("build", 200_500, 5, 3.24, 117_096_448, 81_203_200, driver_seconds=2.01),
    MeasuredRun("build", 1_001_000, 23, 6.93, 182_886_400, 138_481_664, driver_seconds=3.66),
    MeasuredRun("build", 10_001_000, 223, 51.43, 200_024_064, 128_061_440, driver_seconds=29.89),
    MeasuredRun("build", 100_001_000, 2_223, 530.03, 340_414_464, 88_014_848, held_out=True, driver_seconds=313.96),
)
"""`python -m bench.large` measures them. Other programs ran on the same cores, so times vary."""


class CostModel(NamedTuple):
    """cpu_seconds = start + per_file × files + per_url × URLs"""

    command: str
    start: float
    per_file: float
    per_url: float
    error: float
    """largest relative error over all measured runs, held-out ones included"""
    held_out_error: float | None
    """over the runs that the model has not seen"""
    driver: tuple[float, float, float]
    """bytes: start, per file, per URL"""
    worker_bytes: int
    serial: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """CPU seconds of the driver: start, per file, per URL"""

    def cpu_seconds(self, urls: int, files: int) -> float:
        return self.start + self.per_file * files + self.per_url * urls

    def wall_seconds(self, urls: int, files: int, workers: int) -> float:
        """With a core for the driver and each worker: the busiest of them decides."""
        start, per_file, per_url = self.serial
        cpu = self.cpu_seconds(urls, files)
        driver = min(cpu, start + per_file * files + per_url * urls)
        return max(driver, (cpu - driver) / workers)

    def driver_bytes(self, urls: int, files: int) -> int:
        start, per_file, per_url = self.driver
        return round(start + per_file * files + per_url * urls)


@cache
def cost_model(command: str, runs: tuple[MeasuredRun, ...] = RUNS) -> CostModel:
    """Least squares on relative errors: small runs count as much as large ones."""
    mine = [run for run in runs if run.command == command]
    seen = [run for run in mine if not run.held_out]
    start, per_file, per_url = _fitted(seen, [run.cpu_seconds for run in seen])
    driver = _fitted(mine, [run.driver_bytes for run in mine])
    worker = max(run.worker_bytes for run in mine)
    serial = _fitted(seen, [run.driver_seconds for run in seen])
    model = CostModel(command, start, per_file, per_url, 0.0, None, driver, worker, serial)
    wrong = {run: abs(model.cpu_seconds(run.urls, run.files) / run.cpu_seconds - 1) for run in mine}
    unseen = [error for run, error in wrong.items() if run.held_out]
    return model._replace(error=max(wrong.values()), held_out_error=max(unseen, default=None))


def _fitted(runs: Sequence[MeasuredRun], wanted: Sequence[float]) -> tuple[float, float, float]:
    """Coefficients of 1, files and URLs; one that would be negative is left out, as no work takes negative time."""
    if not all(wanted):
        return 0.0, 0.0, 0.0
    used = [0, 1, 2]
    while True:
        rows = [[_terms(run)[at] / value for at in used] for run, value in zip(runs, wanted, strict=True)]
        found = dict(zip(used, _least_squares(rows), strict=True))
        negative = [at for at, value in found.items() if value < 0]
        if not negative:
            return found.get(0, 0.0), found.get(1, 0.0), found.get(2, 0.0)
        used.remove(min(negative, key=lambda at: found[at]))


def _terms(run: MeasuredRun) -> tuple[float, float, float]:
    return 1.0, float(run.files), float(run.urls)


def _least_squares(rows: list[list[float]]) -> list[float]:
    """Coefficients that bring every row closest to 1."""
    width = len(rows[0])
    system = [
        [*(sum(row[i] * row[j] for row in rows) for j in range(width)), sum(row[i] for row in rows)]
        for i in range(width)
    ]
    for i in range(width):
        pivot = max(range(i, width), key=lambda at: abs(system[at][i]))
        system[i], system[pivot] = system[pivot], system[i]
        if not system[i][i]:
            continue
        for other in range(width):
            if other != i:
                times = system[other][i] / system[i][i]
                system[other] = [a - times * b for a, b in zip(system[other], system[i], strict=True)]
    return [system[i][width] / system[i][i] if system[i][i] else 0.0 for i in range(width)]
