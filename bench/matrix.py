"""Every source, spelling, medium and state → what build, render, check and fix cost, from the best case to the worst.

python -m bench.matrix                     measure, print, and keep .bench/results/matrix.json
python -m bench.matrix --only build        some of build, render, check, fix, tables
python -m bench.matrix --like "CSV, space" only cases whose name has these words
python -m bench.matrix --seed 7 8          the cases of earlier runs; without it there are two, others each time
python -m bench.matrix --rows 20000        a first look: fewer rows for a build, a quarter of that for the others
python -m bench.matrix --minutes 20        as many cases of each table as fit, in random order
python -m bench.matrix --join FILE…        runs that were measured apart, as one result

Cases are pairwise combinations of all axes of bench/cases.py. The measure of a build and of a rendered or served file
is the naive script for the same source and shape (bench/naive.py), that of a check a bare iterparse of the same file
(without the fault, if it has one), that of a fix a check of the same file, that of a table reading all entries of the
file. CPU is net of start-up: what the same command needs for one entry with such media is taken off. A file is valid if
a check finds nothing in most of its entries.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from math import inf
from pathlib import Path
from random import Random, randrange
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any

from bench import cases
from bench.cases import FAULTS, FORMS, MEDIA, Case, pairwise
from bench.inputs import FAULTY, VALID, base_of, count_of
from bench.measure import MEGABYTE, Run, WorkerFailedError, compete, finished
from bench.peers import CACHE, python
from bench.report import Ratio, Result, Target, load, promises, summary, tables

ROUNDS = 2
ENOUGH = 2.0
"""seconds of CPU after which there is no further round"""
WITHIN = 180.0
LEAST = 0.005
ROWS = 200_000
MIXED_FILES = 8
MEMORY_MB = 200.0
ONE_ENTRY_SECONDS = 0.2
HELP_SECONDS = 0.1
COMMANDS = ("build", "render", "check", "fix", "tables")
VALID_TABLE, MIXED_TABLE, FAULT_TABLE = "check, valid", "check, ten shapes mixed", "check, a fault in each entry"
AGAIN = {"unchanged": "build again", "1 % changed": "build, 1 % changed", "shuffled": "build, shuffled"}
LIMITS: dict[str, tuple[float | None, float]] = {
    VALID_TABLE: (0.8, 2.0),
    MIXED_TABLE: (None, 2.0),
    FAULT_TABLE: (None, 25.0),
    "build": (1.5, 3.0),
    "build again": (None, 0.5),
    "build, 1 % changed": (None, 0.6),
    "build, shuffled": (None, 1.5),
    "render": (1.5, 3.0),
    "served": (1.5, 3.0),
    "fix": (2.0, 5.0),
    "tables": (None, 2.0),
}
"""of the median and the worst case of a table"""
FILES = {
    "JSONL": "rows.jsonl", "CSV": "rows.csv", "TSV": "rows.csv", "text": "rows.txt", "Parquet": "rows.parquet",
    "folder": "site", "feed": "feed.xml", "existing sitemap": "sitemap.xml",
}  # fmt: skip
REPORTED = (*FAULTY, "uppercase")
"""spellings that a check reports in each entry, some of them as one finding about all"""
Found = list[Ratio | str]
"""ratios, and what went wrong"""


class Bench:
    def __init__(self, options: argparse.Namespace, home: Path) -> None:
        self.options = options
        self.home = home
        self.database = ""
        """the address of a PostgreSQL server, if one is needed"""
        self.lock = Lock()
        self.tables = len(options.only) + ("check" in options.only)
        """that share the time; files with mixed shapes are one more"""

    @property
    def entries(self) -> int:
        found: int = self.options.entries or self.options.rows // 4
        return found

    def run(
        self, cases_: Iterable[Case | int], make: Callable[..., None], measure: Callable[..., Found]
    ) -> Iterator[Found]:
        """The inputs of the next case are made while one is measured."""
        ahead = BoundedSemaphore(self.options.jobs + 1)

        def one(folder: Path, case: Case | int, made: Any) -> Found:
            try:
                made.result()
                return measure(folder, case)
            except (WorkerFailedError, OSError) as error:
                return [f"{case if isinstance(case, int) else case.named(Case._fields)}: {error}"]
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                ahead.release()

        with ThreadPoolExecutor(1) as making, ThreadPoolExecutor(self.options.jobs) as measuring:
            waiting = []
            stop = monotonic() + (self.options.minutes * 60 / max(self.tables, 1) if self.options.minutes else inf)
            for number, case in enumerate(cases_):
                ahead.acquire()
                if monotonic() > stop:
                    break
                folder = self.home / f"case-{number}"
                folder.mkdir()
                made = making.submit(make, folder, case)
                waiting.append(measuring.submit(one, folder, case, made))
                while waiting and waiting[0].done():
                    yield self.told(waiting.pop(0).result())
            for each in waiting:
                yield self.told(each.result())

    def told(self, found: Found) -> Found:
        found = list(map(measurable, found))
        for each in found if not self.options.quiet else ():
            print(each if isinstance(each, str) else line(each), flush=True)
        return found

    def wanted(self, found: Iterable[Case], axes: Iterable[str]) -> list[Case]:
        words = self.options.like.split(", ") if self.options.like else []
        fitting = [case for case in found if all(f", {word}," in f", {case.named(axes)}," for word in words)]
        return fitting[: self.options.cases or None]

    # Builds.

    def make_source(self, folder: Path, case: Case) -> None:
        count = str(count_of(case, self.options.rows))
        finished([str(python()), "-m", "bench.inputs", str(folder / "source"), count, self.database, *case])

    def ours(self, case: Case, source: Path, out: Path, *, only_rows: bool = False) -> Run:
        base = f"{base_of(case)}/"
        if case.source.startswith("Python"):
            wanted = "only-rows" if only_rows else "build"
            command = ["bench.inputs", wanted, str(source), str(out), base]
        else:
            place = [str(source / FILES.get(case.source, ""))]
            if case.source == "SQLite":
                place = [f"sqlite:///{source}/rows.db", "--sql", "select * from pages"]
            elif case.source == "PostgreSQL":
                place = [self.database, "--sql", (source / "rows.sql").read_text(encoding="utf-8")]
            media = (
                {"images": ["--images"], "video": ["--videos"]}.get(case.media, []) if case.source == "folder" else []
            )
            where = ["--base-url", base, "--out", str(out), "--state", f"{out}.state", "--gzip"]
            command = ["urlset", "build", *place, *where, *media]
        return finished([str(python()), "-m", *command], cwd=source, within=WITHIN)

    def naive(self, case: Case, source: Path, out: Path) -> Run:
        shutil.rmtree(out, ignore_errors=True)
        return finished([str(python()), "-m", "bench.naive", str(source), str(out), self.database, *case])

    def first(self, case: Case, source: Path, out: Path) -> Run:
        for path in (out, Path(f"{out}.state")):
            shutil.rmtree(path, ignore_errors=True)
        return self.ours(case, source, out)

    @cache  # noqa: B019 - one object for the whole run
    def starts(self, source: str) -> tuple[float, float]:
        """Of a build and of a naive script, with one row."""
        case, folder = Case(source=source), self.home / f"one-{source.replace(' ', '-')}"
        finished([str(python()), "-m", "bench.inputs", str(folder), "1", self.database, *case])
        runs = [
            (self.first(case, folder, folder / "out"), self.naive(case, folder, folder / "naive")) for _ in range(3)
        ]
        return min(run.cpu for run, _ in runs), min(run.cpu for _, run in runs)

    def start(self, case: Case, source: Path) -> tuple[float, float]:
        """Rows of a Python program cost something to make, which is part of the start."""
        if not case.source.startswith("Python"):
            with self.lock:
                return self.starts(case.source)
        rows = finished([str(python()), "-m", "bench.naive", "iterate", str(source)])
        return self.ours(case, source, source / "one", only_rows=True).cpu, rows.cpu

    def build(self, folder: Path, case: Case) -> Found:
        source, out, theirs = folder / "source", folder / "ours", folder / "naive"
        our_start, naive_start = self.start(case, source)
        runners = {"naive": partial(self.naive, case, source, theirs), "ours": partial(self.first, case, source, out)}
        runs = compete(runners, self.options.rounds, ENOUGH)
        first = net(runs["ours"], our_start)
        name = case.named(axis for axis in cases.BUILD if axis != "state")
        found: Found = [ratio("build", name, first, net(runs["naive"], naive_start), runs["ours"])]
        if not any(run.stopped for run in runs["ours"]) and entries(out) != entries(theirs):
            found.append(f"{name}: {entries(out):,} URLs, {entries(theirs):,} by the naive script")
        if case.state in AGAIN:
            if case.state != "unchanged":
                finished([str(python()), "-m", "bench.inputs", "next", str(source), self.database, *case])
            again = [self.ours(case, source, out)]
            found.append(ratio(AGAIN[case.state], name, net(again, our_start), first, again))
        return found

    # Files in memory.

    def render(self, _folder: Path, case: Case) -> Found:
        command = [str(python()), "-m", "bench.served", "case", str(self.entries), str(self.options.rounds), *case]
        ran = json.loads(output(command))
        table = "render" if case.way in ("dicts", "tuples", "entries") else "served"
        return [made(table, case.named(cases.RENDER), ran["cpu"], ran["naive"], ran["peak"] / MEGABYTE)]

    # Checks and fixes.

    def make_sitemap(self, folder: Path, case: Case | int) -> None:
        if isinstance(case, int):
            finished(
                [
                    str(python()),
                    "-m",
                    "bench.inputs",
                    "mixed",
                    str(folder / "sitemap.xml"),
                    str(self.entries),
                    str(case),
                ]
            )
            return
        twin = case._replace(fault="", form="indented" if case.form == "text" else case.form)
        for path, each in {sitemap(folder, case): case, folder / "twin.xml": twin}.items():
            if each != case or path.name != "twin.xml":
                finished([str(python()), "-m", "bench.inputs", "sitemap", str(path), str(self.entries), *each])

    @cache  # noqa: B019 - one object for the whole run
    def start_of(self, command: str, case: Case) -> float:
        folder = self.home / "one-entry"
        folder.mkdir(exist_ok=True)
        file = sitemap(folder, case)
        finished([str(python()), "-m", "bench.inputs", "sitemap", str(file), "1", *case])
        runner = {"parse": parse, "check": check, "fix": fix}[command]
        return min(runner(file).cpu for _ in range(2))

    def check(self, folder: Path, case: Case | int) -> Found:
        """Of one shape, or of a file with ten."""
        file = sitemap(folder, case)
        measured = folder / "twin.xml" if (folder / "twin.xml").exists() else file
        runners = {"parse": partial(parse, measured), "check": partial(check, file)}
        fixes = not isinstance(case, int) and case.fault and "fix" in self.options.only
        if fixes:
            runners["fix"] = partial(fix, file)
        one = Case(media="video" if isinstance(case, int) else case.media)
        with self.lock:
            starts = {name: self.start_of(name, one) for name in runners}
        runs = compete(runners, self.options.rounds, ENOUGH)
        if isinstance(case, int):
            table, name = MIXED_TABLE, f"seed {case}"
        else:
            reported = case.spelling in REPORTED or findings(file) > 0.5
            table = FAULT_TABLE if case.fault or reported else VALID_TABLE
            name = case.named((*(("fault",) if case.fault else ()), *cases.CHECK))
        checked, bare = net(runs["check"], starts["check"]), net(runs["parse"], starts["parse"])
        found: Found = [ratio(table, name, checked, bare, runs["check"])]
        if fixes:
            found.append(ratio("fix", name, net(runs["fix"], starts["fix"]), checked, runs["fix"]))
        return found

    def table(self, folder: Path, case: Case) -> Found:
        command = [
            str(python()),
            "-m",
            "bench.served",
            "table",
            str(sitemap(folder, case)),
            case.way,
            str(self.options.rounds),
        ]
        ran = json.loads(output(command))
        return [made("tables", case.named(cases.TABLE), ran["cpu"], ran["entries"], ran["peak"] / MEGABYTE)]


def findings(file: Path) -> float:
    """How many an entry has, on average."""
    said = json.loads(
        output([str(python()), "-m", "urlset", "check", "--format", "json", str(file)], fine=(0, 1), all_lines=True)
    )
    summary = said["summary"]
    return float(sum(summary[each] for each in ("error", "warning", "info")) / max(summary["entries"], 1))


def sitemap(folder: Path, case: Case | int) -> Path:
    return folder / ("sitemap.txt" if not isinstance(case, int) and case.form == "text" else "sitemap.xml")


def parse(file: Path) -> Run:
    return finished([str(python()), "-m", "bench.naive", "parse", str(file)])


def check(file: Path) -> Run:
    return finished([str(python()), "-m", "urlset", "check", str(file)], fine=(0, 1), cwd=file.parent, within=WITHIN)


def fix(file: Path) -> Run:
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="fix-") as folder:
        copied = shutil.copy(file, folder)
        return finished([str(python()), "-m", "urlset", "fix", copied], fine=(0, 1), cwd=Path(folder), within=WITHIN)


def output(command: Sequence[str], *, fine: Sequence[int] = (0,), all_lines: bool = False) -> str:
    import subprocess

    from bench.peers import environment

    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    if ran.returncode not in fine:
        raise WorkerFailedError(ran.stderr.strip().rpartition("\n")[2][-300:])  # without places on this machine
    return ran.stdout if all_lines else ran.stdout.splitlines()[-1]


def measurable(each: Ratio | str) -> Ratio | str:
    """A measure that is lost in the start-up measures nothing."""
    if isinstance(each, str) or each.reference_cpu > LEAST:
        return each
    return f"{each.table}: {each.shape}: too few rows, the measure takes less than the start-up varies"


def net(runs: Sequence[Run], start: float) -> float:
    return max(min(run.cpu for run in runs) - start, LEAST)


def ratio(table: str, name: str, cpu: float, reference: float, runs: Sequence[Run]) -> Ratio:
    peak = max(run.peak for run in runs) / MEGABYTE
    return made(table, name, cpu, reference, peak, stopped=any(run.stopped for run in runs))


def made(table: str, name: str, cpu: float, reference: float, peak: float, *, stopped: bool = False) -> Ratio:
    return Ratio(table, name, cpu, reference, limit=LIMITS[table][1], peak_mb=peak, stopped=stopped)


def entries(out: Path) -> int:
    """Line by line: every process started from here would seem to need as much memory as this one."""
    found = 0
    for path in out.glob("*.xml*"):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            found += sum(each.count(b"<url>") for each in file)
    return found


def line(each: Ratio) -> str:
    said = "met   " if each.met else "MISSED"
    return (
        f"{said} {each.times:6.2f}{'+' if each.stopped else ' '} {each.cpu:6.2f} s of {each.reference_cpu:6.2f}  "
        f"{each.peak_mb or 0:4.0f} MB  {each.table}: {each.shape}"
    )


def measure(options: argparse.Namespace) -> Iterator[Found]:
    """Every table, in order."""
    with ExitStack() as stack:
        CACHE.mkdir(exist_ok=True)
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=CACHE, prefix="matrix-")))
        chosen = pairwise(cases.BUILD, options.seed) if "build" in options.only else []
        bench = Bench(options, home)
        chosen = bench.wanted(chosen, cases.BUILD)
        if any(case.source == "PostgreSQL" for case in chosen):
            from tests.workflows.postgresql import server

            bench.database = stack.enter_context(server())
        if "check" in options.only:
            yield from bench.run(
                bench.wanted(pairwise(cases.CHECK, options.seed), cases.CHECK), bench.make_sitemap, bench.check
            )
            mixed = range(options.seed, options.seed + MIXED_FILES) if not options.like else ()
            yield from bench.run(mixed, bench.make_sitemap, bench.check)
        if {"check", "fix"} & set(options.only):
            faults = bench.wanted(faulty(options.seed), ("fault", *cases.CHECK))
            yield from bench.run(faults, bench.make_sitemap, bench.check)
        if "tables" in options.only:
            tabled = bench.wanted(pairwise(cases.TABLE, options.seed), cases.TABLE)
            yield from bench.run(tabled, bench.make_sitemap, bench.table)
        if "render" in options.only:
            rendered = bench.wanted(pairwise(cases.RENDER, options.seed), cases.RENDER)
            yield from bench.run(rendered, lambda *_: None, bench.render)
        yield from bench.run(chosen, bench.make_source, bench.build)


def faulty(seed: int) -> list[Case]:
    """Each fault once, in an entry of any shape."""
    random = Random(seed)
    return [
        Case(
            fault=fault,
            spelling=random.choice(VALID),
            media=random.choice(MEDIA[:-1]),
            form=random.choice([form for form in FORMS[:8] if form != "CDATA"]),
        )
        for fault in FAULTS
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="build, render, check and fix, by shape of input")
    parser.add_argument("--seed", type=int, nargs="+", default=[randrange(1_000_000), randrange(1_000_000)])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--entries", type=int, default=0, help="of a file; without it a quarter of the rows")
    parser.add_argument("--join", type=Path, nargs="+", default=[], help="results of earlier runs")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--jobs", type=int, default=1, help="cases measured at a time")
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=COMMANDS)
    parser.add_argument("--like", default="", help="values of a case, separated by a comma and a space")
    parser.add_argument("--cases", type=int, default=0, help="at most so many of each table")
    parser.add_argument("--minutes", type=float, default=0, help="measure as many cases as fit, in random order")
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args(arguments)
    options.rows = ROWS // 10 if options.quick and options.rows == ROWS else options.rows
    if options.join:
        result = joined([load(path) for path in options.join])
    else:
        found: list[Ratio | str] = []
        for seed in options.seed:
            print(f"seed {seed}, {options.rows:,} rows", flush=True)
            run = argparse.Namespace(**vars(options) | {"seed": seed})
            found += [
                replace(each, seed=seed) if isinstance(each, Ratio) else each for some in measure(run) for each in some
            ]
        ratios = tuple(each for each in found if isinstance(each, Ratio))
        failures = tuple(each for each in found if isinstance(each, str))
        is_partial = options.rows != ROWS or bool(options.like or options.cases) or tuple(options.only) != COMMANDS
        entries_said = options.entries or options.rows // 4
        result = Result(
            "matrix", (), (*targets(ratios), *starting()), options.rounds, quick=is_partial, ratios=ratios,
            failures=failures, note=f"{options.rows:,} rows for a build, {entries_said:,} entries for the others",
        )  # fmt: skip
    path = result.save()
    if result.quick:
        path.rename(path.with_stem(f"matrix-{'-'.join(map(str, options.seed))}"))
    ratios, failures = result.ratios, result.failures
    print(summary(ratios), promises(result.targets), *failures, sep="\n")
    return int(options.check and not result.met)


def joined(results: Sequence[Result]) -> Result:
    """For the record."""
    found = [measurable(ratio) for result in results for ratio in result.ratios]
    ratios = tuple(each for each in found if isinstance(each, Ratio))
    starts = [target for target in results[0].targets if "seconds of CPU" in target.promise]
    failures = (
        *(failure for result in results for failure in result.failures),
        *(each for each in found if isinstance(each, str)),
    )
    return replace(results[0], quick=False, ratios=ratios, failures=failures, targets=(*targets(ratios), *starts))


def starting() -> Iterator[Target]:
    """What the smallest runs cost: nearly all of it is start-up."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="one-") as folder:
        file = Path(folder, "sitemap.xml")
        finished([str(python()), "-m", "bench.inputs", "sitemap", str(file), "1", *Case()])
        one = min(check(file).cpu for _ in range(5))
    shown = min(finished([str(python()), "-m", "urlset", "--help"]).cpu for _ in range(5))
    yield Target("check of a file with one entry: seconds of CPU", ONE_ENTRY_SECONDS, one, at_most=True)
    yield Target("--help: seconds of CPU", HELP_SECONDS, shown, at_most=True)


def targets(ratios: Sequence[Ratio]) -> Iterator[Target]:
    for table, some in tables(ratios).items():
        median, worst = LIMITS[table]
        times = sorted(each.times for each in some)
        if median is not None:
            yield Target(f"{table}: median", median, times[len(times) // 2], at_most=True)
        yield Target(f"{table}: worst", worst, times[-1], at_most=True)
    peaks = [each.peak_mb for each in ratios if each.peak_mb is not None]
    yield Target("MB of memory, largest of all cases", MEMORY_MB, max(peaks, default=0.0), at_most=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
