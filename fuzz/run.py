"""Seeds and seconds → how many mutated files both scanners read alike, and the first one that they do not.

python -m fuzz.run --seconds 60             our own mutations, both scanners compared
python -m fuzz.run wellformed --seconds 60  expat and the rules of family X compared
python -m fuzz.run fixing --seconds 60      what `fix` makes of files, judged by expat and by a second run
python -m fuzz.run --seconds 60 --atheris   atheris (libFuzzer) chooses the bytes, where it is installed
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from random import Random

from fuzz.crossing import crossed
from fuzz.fixing import judge_fixing
from fuzz.judge import judge_reading, judge_report
from fuzz.mutate import edited, mutated
from fuzz.seeds import AROUND, SEEDS, corpus, examples
from fuzz.wellformed import judge_wellformed

FOUND = Path("build") / "fuzz-found.xml"
REPORT_EVERY = 25
"""a full check costs as much as many readings"""


def by_chance(seconds: float, seed: int) -> int:
    """Run our own mutations until the time is up; how many were run."""
    chance = Random(seed)
    seeds = (*SEEDS, *corpus())
    for data in seeds:
        _judged(data, report=True)
    runs = len(seeds)
    end = time.monotonic() + seconds
    pool = list(seeds)
    while time.monotonic() < end:
        data = mutated(chance.choice(pool), seeds, chance)
        _judged(data, report=runs % REPORT_EVERY == 0)
        runs += 1
        if chance.random() < 0.01:  # go on from some of the results, so that changes add up
            pool[chance.randrange(len(pool))] = data if chance.random() < 0.7 else chance.choice(seeds)
    return runs


def by_judge(seconds: float, seed: int, judge: Callable[[bytes], None]) -> int:
    """Small changes of small documents, each judged by itself; how many were run."""
    chance = Random(seed)
    seeds = (*SEEDS, *AROUND, *corpus(), *examples())
    runs = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for data in chance.sample(seeds, len(seeds)):
            changed = data if chance.random() < 0.5 else crossed(data, seeds, chance)
            for _ in range(chance.choice((1, 1, 1, 1, 2, 3) if changed is data else (0, 0, 1))):
                changed = edited(changed, chance)
            with _kept(changed):
                judge(changed)
            runs += 1
    return runs


def by_atheris(seconds: float, seed: int) -> None:
    """libFuzzer's loop; it ends the process itself and says how many it ran."""
    atheris = import_module("atheris")
    folder = Path("build") / "fuzz-corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate((*SEEDS, *corpus())):
        (folder / f"seed-{number}").write_bytes(data)
    atheris.instrument_all()  # the reference reader's branches guide it; the compiled code has none to show
    judged: Callable[[bytes], None] = _judged
    options = [f"-max_total_time={int(seconds)}", f"-seed={seed}", "-max_len=65536", "-close_fd_mask=0"]
    atheris.Setup(["fuzz", *options, str(folder)], judged)
    atheris.Fuzz()


def _judged(data: bytes, *, report: bool = False) -> None:
    with _kept(data):
        judge_reading(data)
        if report:
            judge_report(data)


@contextmanager
def _kept(data: bytes) -> Iterator[None]:
    """Whatever fails leaves its file behind."""
    try:
        yield
    except BaseException:
        FOUND.parent.mkdir(exist_ok=True)
        FOUND.write_bytes(data)
        raise


JUDGES: dict[str, Callable[[bytes], None]] = {"wellformed": judge_wellformed, "fixing": judge_fixing}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="compiled scanner against reference, on mutated sitemaps")
    parser.add_argument("judge", nargs="?", default="scanners", choices=("scanners", *JUDGES))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--atheris", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.atheris:
        by_atheris(chosen.seconds, chosen.seed)
        return 0
    try:
        judge = JUDGES.get(chosen.judge)
        runs = by_judge(chosen.seconds, chosen.seed, judge) if judge else by_chance(chosen.seconds, chosen.seed)
    except AssertionError as difference:
        print(f"{difference}\n\nthe file is kept as {FOUND}", file=sys.stderr)
        return 1
    print(f"{runs:,} files, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
