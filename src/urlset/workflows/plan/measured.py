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


RUNS: tuple[MeasuredRun, ...] = (
    MeasuredRun("check", 50_000, 1, 1.14, 35_741_696, 46_333_952),
    MeasuredRun("check", 200_000, 400, 3.76, 57_888_768, 30_519_296),
    MeasuredRun("check", 1_000_000, 20, 4.54, 130_695_168, 50_397_184),
    MeasuredRun("check", 3_000_000, 60, 10.90, 176_640_000, 51_122_176, held_out=True),
    MeasuredRun("check", 10_000_000, 200, 22.60, 137_797_632, 198_373_376),
    MeasuredRun("build", 50_000, 2, 1.82, 85_839_872, 79_667_200),
    MeasuredRun("build", 200_000, 5, 2.67, 126_427_136, 86_077_440),
    MeasuredRun("build", 1_000_000, 23, 6.94, 168_656_896, 148_914_176),
    MeasuredRun("build", 3_000_000, 67, 15.31, 242_737_152, 222_846_976, held_out=True),
    MeasuredRun("build", 10_000_000, 223, 49.31, 475_930_624, 410_923_008),
)
"""Other programs ran on the same cores, so times vary."""


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

    def cpu_seconds(self, urls: int, files: int) -> float:
        return self.start + self.per_file * files + self.per_url * urls

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
    model = CostModel(command, start, per_file, per_url, 0.0, None, driver, worker)
    wrong = {run: abs(model.cpu_seconds(run.urls, run.files) / run.cpu_seconds - 1) for run in mine}
    unseen = [error for run, error in wrong.items() if run.held_out]
    return model._replace(error=max(wrong.values()), held_out_error=max(unseen, default=None))


def _fitted(runs: Sequence[MeasuredRun], wanted: Sequence[float]) -> tuple[float, float, float]:
    """Coefficients of 1, files and URLs; one that would be negative is left out, as no work takes negative time."""
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
