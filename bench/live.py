"""A site on nginx → CPU per page of urlset and of Scrapy at the same work, and memory over ten times the pages.

python -m bench.live audit            measure, print, and keep .bench/results/audit.json
python -m bench.live crawl --check    exit 1 if a promise is missed

Scrapy fetches pages and writes down what an audit needs to know of each, or follows links with its queue in memory.
urlset keeps every URL and answer on disk, compares the texts of pages, judges each page by every rule, and writes the
report.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.measure import MEGABYTE, Run, WorkerFailedError, finished, note, take_turns
from bench.peers import CACHE, python
from bench.report import Result, Row, Target, parsed
from bench.spiders import CONCURRENCY
from bench.stage import PAGES, NoStageError, Stage, stage

ROUNDS = 2
QUICK_PAGES = 500
GROWTH = 1.15
"""peak memory of ten times the pages, in times of the peak of the pages"""
OUR_OPTIONS = ("--allow-private", "--concurrency", str(CONCURRENCY), "--fresh")

Command = Callable[[str, Path], list[str]]
"""origin and an empty folder → what to run"""


class Task(NamedTuple):
    """One thing to do with a whole site."""

    name: str
    ours: Command
    out: str
    """what our command writes into the folder"""
    count: Callable[[Path], int]
    """pages in that file"""
    times_scrapy: float
    """the most CPU per page, in times of Scrapy's"""


def measure(task: Task, *, rounds: int, pages: int, growth: bool) -> Result:
    rows: list[Row] = []
    with stage(pages) as site:
        runs = _turns(task, site, rounds, fast=True)
        best = {name: min(run.cpu for run in found) for name, found in runs.items()}
        rows += [_row(f"{pages:,} pages", name, found, pages, best[task.name]) for name, found in runs.items()]
        targets = [_promise(task, best, "")]
        if growth:
            tenfold = _ours(task, site.tenfold, pages * 10)()
            rows.append(_row(f"{pages * 10:,} pages", task.name, [tenfold], pages * 10, best[task.name] * 10))
            once = max(run.peak for run in runs[task.name])
            said = f"peak memory over {pages * 10:,} pages in times of that over {pages:,}"
            targets.append(Target(said, GROWTH, tenfold.peak / once, at_most=True))
    with stage(pages, packed=True) as site:
        runs = _turns(task, site, rounds, fast=False)
        best = {name: min(run.cpu for run in found) for name, found in runs.items()}
        label = f"{pages:,} pages, gzip"
        rows += [_row(label, name, found, pages, best[task.name]) for name, found in runs.items()]
        targets.append(_promise(task, best, ", pages sent compressed"))
    return Result(task.name.removeprefix("urlset "), tuple(rows), tuple(targets), rounds, quick=not growth)


def _promise(task: Task, best: dict[str, float], where: str) -> Target:
    return Target(
        f"CPU a page in times of Scrapy's{where}", task.times_scrapy, best[task.name] / best["Scrapy"], at_most=True
    )


def _turns(task: Task, site: Stage, rounds: int, *, fast: bool) -> dict[str, list[Run]]:
    runners = {task.name: _ours(task, site.origin, site.pages), "Scrapy": _scrapy(task, site)}
    if fast:
        runners[f"{task.name} with uvloop"] = _ours(task, site.origin, site.pages, fast=True)
    return take_turns(runners, rounds, task.name)


def _ours(task: Task, origin: str, pages: int, *, fast: bool = False) -> Callable[[], Run]:
    def run() -> Run:
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="live-") as name:
            folder = Path(name)
            command = [str(python()), "-m", "urlset", *task.ours(origin, folder), *OUR_OPTIONS]
            note(f"{task.name}: {pages:,} pages")
            done = finished(command, fine=(0, 1), fast=fast, cwd=folder)
            _all_there(task.name, task.count(folder / task.out), pages)
            return done

    return run


def _scrapy(task: Task, site: Stage) -> Callable[[], Run]:
    def run() -> Run:
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="live-") as name:
            out = Path(name) / "pages.jsonl"
            spider = task.name.removeprefix("urlset ")
            done = finished([str(python()), "-m", "bench.spiders", spider, site.origin, str(out)], cwd=Path(name))
            _all_there("Scrapy", count_lines(out), site.pages)
            return done

    return run


def _all_there(name: str, found: int, pages: int) -> None:
    """Whoever saw less did less; a crawl sees some lists besides the articles."""
    if found < pages:
        raise WorkerFailedError(f"{name} saw {found:,} of {pages:,} pages")


def count_lines(path: Path) -> int:
    """Pages in JSON lines."""
    return _lines_with(path, rb'"status": ?200\b')


def count_pages(path: Path) -> int:
    """Pages in the report of an audit, which has each on a line of its own.

    It is not parsed as a whole: whoever is started by this process would seem to need as much memory.
    """
    return _lines_with(path, rb'"state": ?"ok"')


def _lines_with(path: Path, pattern: bytes) -> int:
    with path.open("rb") as file:
        return sum(map(bool, map(re.compile(pattern).search, file)))


def _row(label: str, name: str, runs: list[Run], pages: int, ours: float) -> Row:
    seconds = [run.cpu for run in runs]
    best = min(seconds)
    gave = f"{best / pages * 1000:.2f} ms a page, {min(run.wall for run in runs):.1f} s of wall time"
    peak = max(run.peak for run in runs) / MEGABYTE
    return Row(label, name, best, median(seconds), best / ours, peak, gave)


def _audit(origin: str, folder: Path) -> list[str]:
    out = folder / "audit.json"
    return ["audit", f"{origin}/sitemap.xml", "--state", str(folder), "--format", "json", "--output", str(out)]


def _crawl(origin: str, folder: Path) -> list[str]:
    return ["crawl", f"{origin}/", "--state", str(folder), "--out", str(folder / "pages.jsonl")]


TASKS = {
    "audit": Task("urlset audit", _audit, "audit.json", count_pages, times_scrapy=0.3),
    "crawl": Task("urlset crawl", _crawl, "pages.jsonl", count_lines, times_scrapy=0.25),
}


def main(name: str, *arguments: str) -> int:
    task = TASKS[name]
    options = parsed(arguments, f"{task.name}, beside Scrapy", ROUNDS)
    if shutil.which("nginx") is None and shutil.which("nginx", path="/usr/sbin:/usr/local/sbin") is None:
        print(f"{task.name} is left out: there is no nginx here", file=sys.stderr)
        return 0
    pages = QUICK_PAGES if options.quick else PAGES
    try:
        result = measure(task, rounds=options.rounds, pages=pages, growth=not options.quick)
    except NoStageError as error:
        print(f"{task.name} is left out: {error}", file=sys.stderr)
        return 0
    return options.finish(result)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
