"""A number of URLs and their shape → files, CPU, memory, disk, and what search engines accept of the set.

Sizes are those of entries as `urlset build` writes them. CPU and memory come from a linear model fitted to measured
runs, whose largest error is part of the result; docs/scale.md describes the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import NamedTuple

import msgspec

from urlset.building.shards import LIMITS, index_name
from urlset.checking.shared_urls import PARTS as HASH_PARTS
from urlset.checking.shared_urls import ROWS_AT_ONCE, WORDS
from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media
from urlset.settings.plan import PlanSettings
from urlset.spec.protocol import INDEXNOW_MAX_URLS, MAX_BYTES, MAX_INDEX_ENTRIES, MAX_INDEX_FILES_PER_PROPERTY
from urlset.writing.urlset import CLOSING, INDEX_CLOSING, INDEX_OPENING, child_bytes, entry_bytes, opening

GZIP_SHARE = 0.124
"""of the XML: measured on a million generated URLs of words and numbers; repetitive URLs pack better"""
HASH_BYTES = 8 * WORDS
"""of parts on disk per URL, while duplicates are looked for"""
INSPECTIONS_A_DAY = 2_000
_DAY = "2026-11-16"


class PlanStep(msgspec.Struct, frozen=True):
    """One command over the whole set."""

    command: str
    tasks: int
    cpu_seconds: float
    hours: float
    """with all workers, if the network is fast enough; the driver of a build reads the sources alone"""
    error_percent: float
    """largest error of the cost model over measured runs"""


class EngineNote(msgspec.Struct, frozen=True):
    engine: str
    text: str


class SetPlan(msgspec.Struct, frozen=True):
    urls: int
    files: int
    indexes: int
    bytes: int
    gzip_bytes: int
    memory_bytes: int
    cpu_seconds: float
    per_file: int
    url_bytes: int
    workers: int
    driver_bytes: int
    worker_bytes: int
    disk_bytes: int
    partitions: int
    index_names: tuple[str, ...]
    robots_lines: tuple[str, ...]
    steps: tuple[PlanStep, ...]
    engines: tuple[EngineNote, ...]
    notes: tuple[str, ...]


def plan(settings: PlanSettings) -> SetPlan:
    urls = settings.count
    size = url_bytes(settings)
    frame = len(opening(("xhtml", "image"))) + len(CLOSING)
    per_file = max(1, min(settings.per_file, (MAX_BYTES - frame) // size))
    files = ceil(urls / per_file)
    names = index_names(files)
    total = urls * size + files * frame + index_bytes(files, settings.base_url)
    packed = round(total * GZIP_SHARE)
    partitions = max(1, min(HASH_PARTS, ceil(urls / ROWS_AT_ONCE)))
    steps = _steps(settings, urls, files, partitions)
    models = [cost_model(step.command) for step in steps]
    driver = max(model.driver_bytes(urls, files) for model in models)
    compared = ceil(urls / partitions) * (HASH_BYTES + 32)  # hashes of one task, and its table
    worker = max(*(model.worker_bytes for model in models), size * per_file * 3, compared)
    return SetPlan(
        urls=urls,
        files=files,
        indexes=len(names),
        bytes=total,
        gzip_bytes=packed,
        memory_bytes=driver + worker * settings.workers,
        cpu_seconds=round(sum(step.cpu_seconds for step in steps), 1),
        per_file=per_file,
        url_bytes=size,
        workers=settings.workers,
        driver_bytes=driver,
        worker_bytes=worker,
        disk_bytes=packed + urls * HASH_BYTES,
        partitions=partitions,
        index_names=names,
        robots_lines=tuple(f"Sitemap: {_joined(settings.base_url, name)}" for name in names),
        steps=steps,
        engines=tuple(_engines(urls, len(names))),
        notes=tuple(_notes(settings, urls, files, per_file)),
    )


def url_bytes(settings: PlanSettings) -> int:
    """Of one entry with a date, written as `urlset build` writes it."""
    loc = "https://www.example.com/".ljust(settings.url_length, "x")[: max(settings.url_length, 10)]
    links = tuple(Alternate(hreflang="en-GB", href=loc) for _ in range(settings.languages))
    images = tuple(Image(loc=loc) for _ in range(settings.images))
    return len(entry_bytes(Entry(loc, _DAY, media=Media(images=images, alternates=links))))


def index_bytes(files: int, base_url: str) -> int:
    """Of all indexes: names differ only in the number of their digits."""
    child = len(child_bytes(IndexEntry(_joined(base_url, "sitemap-pages-.xml.gz"), _DAY)))
    frame = len(INDEX_OPENING) + len(INDEX_CLOSING)
    return files * child + shard_digits(files) + frame * len(index_names(files))


def index_names(files: int) -> tuple[str, ...]:
    """One index lists at most 50,000 files; further ones are next to it, never in it."""
    return tuple(index_name(number) for number in range(1, -(-files // MAX_INDEX_ENTRIES) + 1))


def shard_digits(files: int) -> int:
    """Digits of all numbers from 1 to `files`."""
    total, low, digits = 0, 1, 1
    while low <= files:
        total += (min(files, 10 * low - 1) - low + 1) * digits
        low, digits = 10 * low, digits + 1
    return total


def _joined(base_url: str, name: str) -> str:
    return f"{base_url.rstrip('/')}/{name}"


def _steps(settings: PlanSettings, urls: int, files: int, partitions: int) -> tuple[PlanStep, ...]:
    """Build; check with exact duplicates."""
    found = []
    for command, tasks in (("build", files), ("check", files + partitions)):
        model = cost_model(command)
        cpu = model.cpu_seconds(urls, files)
        wall = model.wall_seconds(urls, files, settings.workers)
        found.append(PlanStep(command, tasks, round(cpu, 1), round(wall / 3600, 4), round(100 * model.error, 1)))
    return tuple(found)


def _engines(urls: int, indexes: int) -> list[EngineNote]:
    properties = ceil(indexes / MAX_INDEX_FILES_PER_PROPERTY)
    days = ceil(urls / INSPECTIONS_A_DAY)
    return [
        EngineNote(
            "google",
            f"accepts {MAX_INDEX_FILES_PER_PROPERTY} sitemap indexes per Search Console property: "
            f"{indexes:,} {'index needs' if indexes == 1 else 'indexes need'} {properties:,} "
            f"{'property' if properties == 1 else 'properties'}",
        ),
        EngineNote(
            "google",
            f"inspects {INSPECTIONS_A_DAY:,} URLs per day and property: all of them would take {days:,} days in one "
            "property, so use a sample (`urlset engines index`)",
        ),
        EngineNote(
            "google",
            "does not follow an index listed in an index: name every index in robots.txt or submit each one",
        ),
        EngineNote(
            "bing",
            f"IndexNow takes {INDEXNOW_MAX_URLS:,} URLs per request: {ceil(urls / INDEXNOW_MAX_URLS):,} requests for "
            "all URLs; submit only what changed",
        ),
        EngineNote("all", "a listed URL is a hint: no engine crawls or indexes everything that is listed"),
    ]


def _notes(settings: PlanSettings, urls: int, files: int, per_file: int) -> list[str]:
    notes = [
        f"XML is estimated for URLs of {settings.url_length} characters; gzip_bytes assumes {GZIP_SHARE:.0%} of it",
    ]
    if per_file < settings.per_file:
        notes.append(f"{per_file:,} URLs per file: more would exceed {MAX_BYTES:,} bytes")
    elif per_file > LIMITS.fill_entries and files > 1:
        more = ceil(urls / LIMITS.fill_entries)
        notes.append(
            f"`urlset build` leaves room for growth: it fills new files to {LIMITS.fill_entries:,} URLs, "
            f"which makes {more:,} files (plan with --per-file {LIMITS.fill_entries})"
        )
    if files == 1:
        notes.append("one file needs no index; `urlset build` writes none")
    return notes


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
