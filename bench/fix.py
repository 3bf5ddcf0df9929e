"""Sitemaps with no, some and nothing but faults → what mending them costs, beside checking them.

python -m bench.fix            measure, print, and keep .bench/results/fix.json
python -m bench.fix --check    the same; exit 1 if a promise is missed

No neighbour mends sitemaps, so the measure is our own check: a fix checks the file, makes the edits, reads the result
again, and checks it again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench import samples
from bench.measure import MEGABYTE, Run, finished, take_turns
from bench.peers import python
from bench.places import CACHE
from bench.report import Result, Row, Target, promises, table

FEWEST_ROUNDS, QUICK_ROUNDS = 5, 1
TIMES_CHECK = {"plain": 2.0, "spotted": 4.0, "faulty": 4.0}
"""CPU of the fix in times of that of the check, by file"""
FAULTS = {"plain": "no fault", "spotted": "faults in 500 of 50,000 entries", "faulty": "faults in all 50,000 entries"}


def measure(name: str, rounds: int) -> tuple[list[Row], Target]:
    file = samples.sample(name)
    runs = take_turns({"urlset check": partial(_check, file), "urlset fix": _fix(file)}, rounds, name)
    least = {who: min(run.cpu for run in found) for who, found in runs.items()}
    rows = [_row(name, who, found, least["urlset fix"]) for who, found in runs.items()]
    ratio = least["urlset fix"] / least["urlset check"]
    return rows, Target(f"{name}: CPU of fixing in times of checking", TIMES_CHECK[name], ratio, at_most=True)


def _check(file: Path) -> Run:
    return finished([str(python()), "-m", "urlset", "check", "--format", "concise", str(file)], fine=(0, 1))


def _fix(file: Path) -> Callable[[], Run]:
    def run() -> Run:
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="fix-") as folder:
            copy = Path(shutil.copy(file, folder))
            return finished([str(python()), "-m", "urlset", "fix", str(copy)])

    return run


def _row(name: str, who: str, runs: list[Run], ours: float) -> Row:
    seconds = [run.cpu for run in runs]
    peak = max(run.peak for run in runs) / MEGABYTE
    return Row(name, who, min(seconds), median(seconds), min(seconds) / ours, peak, FAULTS[name])


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="fixing, beside checking")
    parser.add_argument("--rounds", type=int, default=FEWEST_ROUNDS)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--quiet", action="store_true", help="write the JSON only")
    parser.add_argument("--quick", action="store_true", help="one round, and without the file of nothing but faults")
    chosen = parser.parse_args(arguments)
    rounds = QUICK_ROUNDS if chosen.quick else max(chosen.rounds, FEWEST_ROUNDS)
    parts = [measure(name, rounds) for name in FAULTS if not (chosen.quick and name == "faulty")]
    rows = tuple(row for found, _ in parts for row in found)
    result = Result("fix", rows, tuple(target for _, target in parts), rounds, quick=chosen.quick)
    result.save()
    if not chosen.quiet:
        print(table([result]), promises(result.targets), sep="\n\n")
    return int(chosen.check and not result.met)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
