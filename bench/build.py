"""Lists of pages in every form → what a whole build costs, in times of the naive script for the same list.

python -m bench.build            measure, print, and keep .bench/results/build.json
python -m bench.build --check    the same; exit 1 if a promise is missed
python -m bench.build --quick    a quarter of the rows, one round

Both write the same number of addresses into files packed with gzip level 6; start-up is included. The naive scripts are
in bench/naive.py. `again` is a second build of the same rows, in times of the first.
"""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench import sources
from bench.measure import MEGABYTE, Run, WorkerFailedError, compete, finished, note
from bench.options import Options, parsed
from bench.peers import python
from bench.places import CACHE
from bench.report import Ratio, Result, Target
from bench.sources import MILLION_ROWS, SOURCES, Source

ROUNDS = 3
ENOUGH = 5.0
WITHIN = 90.0
LIMIT = 2.0
AGAIN_LIMIT = 1.0
MEMORY_MB = 200.0
OVER_COMPRESSION = 2.5
QUICK_SHARE = 0.25
"""enough rows for more than one file, as a set of one file is not packed"""
HOST = "https://www.example.com/"
BUILD, AGAIN = "build", "build again"


def prepared(source: Source, options: Options) -> Path:
    """Made by a process of its own, so that this one stays small."""
    count = int(source.rows * (QUICK_SHARE if options.quick else 1.0))
    if not sources.home(source, count).exists():
        finished([str(python()), "-m", "bench.sources", source.name, str(count)])
    return sources.home(source, count) / source.file


def build(source: Source, given: Path, out: Path) -> Run:
    place = [f"sqlite:///{given}"] if source.file == "rows.db" else [str(given)]
    options = ["--base-url", HOST, "--out", str(out), "--state", f"{out}.state", "--gzip", *source.options]
    return finished([str(python()), "-m", "urlset", "build", *place, *options], cwd=out.parent, within=WITHIN)


def anew(source: Source, given: Path, out: Path) -> Run:
    _remove(out)
    return build(source, given, out)


def naive(source: Source, given: Path, out: Path) -> Run:
    _remove(out)
    return finished([str(python()), "-m", "bench.naive", source.naive, str(given), str(out)])


def measure(source: Source, options: Options) -> Iterator[Ratio]:
    note(f"build: {source.text}")
    given = prepared(source, options)
    with _scratch() as folder:
        ours, theirs = folder / "ours", folder / "naive"
        runners = {"naive": partial(naive, source, given, theirs), "ours": partial(anew, source, given, ours)}
        runs = compete(runners, options.rounds, ENOUGH)
        stopped = any(run.stopped for run in runs["ours"])
        if not stopped:
            _same_number(source, ours, theirs)
        yield _ratio(BUILD, source, runs["ours"], runs["naive"], LIMIT, stopped=stopped)
        if not stopped:
            second = build(source, given, ours)
            yield _ratio(AGAIN, source, [second], runs["ours"], AGAIN_LIMIT, stopped=second.stopped)


def _ratio(table: str, source: Source, ours: list[Run], others: list[Run], limit: float, *, stopped: bool) -> Ratio:
    return Ratio(
        table,
        source.text,
        cpu=min(run.cpu for run in ours),
        reference_cpu=min(run.cpu for run in others),
        limit=limit,
        peak_mb=max(run.peak for run in ours) / MEGABYTE,
        listed=source.listed,
        stopped=stopped,
    )


def over_compression(options: Options) -> tuple[Ratio, ...]:
    """A large build beside the bare compression of the files that it writes; the best of some rounds of each."""
    note(f"build: {MILLION_ROWS.text}")
    given = prepared(MILLION_ROWS, options)
    with _scratch() as folder:
        bodies = folder / "bodies"
        bodies.mkdir()
        anew(MILLION_ROWS, given, folder / "ours")
        for path in (folder / "ours").glob("*.xml.gz"):
            with gzip.open(path, "rb") as packed, (bodies / path.stem).open("wb") as body:
                shutil.copyfileobj(packed, body)
        packing = [str(python()), "-m", "bench.builders", "gzip", str(bodies), str(folder / "packed")]
        build_anew = partial(anew, MILLION_ROWS, given, folder / "ours")
        runs = compete({"bare": partial(finished, packing), "ours": build_anew}, options.rounds, 2 * WITHIN)
    stopped = any(run.stopped for run in runs["ours"])
    table = "build, in times of bare compression"
    return (_ratio(table, MILLION_ROWS, runs["ours"], runs["bare"], OVER_COMPRESSION, stopped=stopped),)


def _same_number(source: Source, ours: Path, theirs: Path) -> None:
    """Whoever lists less does less."""
    listed, wanted = _entries(ours), _entries(theirs)
    if listed != wanted:
        raise WorkerFailedError(f"{source.text}: {listed:,} addresses, {wanted:,} by the naive script")


def _entries(out: Path) -> int:
    """Line by line: every process started from here would seem to need as much memory as this one."""
    found = 0
    for path in out.glob("*.xml*"):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            found += sum(line.count(b"<url>") for line in file)
    return found


@contextmanager
def _scratch() -> Iterator[Path]:
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as folder:
        yield Path(folder)


def _remove(out: Path) -> None:
    for path in (out, f"{out}.state"):
        shutil.rmtree(path, ignore_errors=True)


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "building, in times of a naive script", ROUNDS)
    ratios = tuple(ratio for source in SOURCES for ratio in measure(source, options)) + over_compression(options)
    peak = max(ratio.peak_mb or 0.0 for ratio in ratios)
    memory = Target("build: MB of memory, largest of all sources", MEMORY_MB, peak, at_most=True)
    return options.finish(Result("build", (), (memory,), options.rounds, quick=options.quick, ratios=ratios))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
