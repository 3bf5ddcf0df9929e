"""Seeds and seconds → how many mutated files were judged, and those that failed.

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
from traceback import print_exception

from fuzz.crossing import crossed
from fuzz.fixing import held, judge_fixing
from fuzz.judge import judge_reading, judge_report
from fuzz.mutate import behind_a_batch, edited, mutated
from fuzz.seeds import AROUND, DOCTYPES, SEEDS, corpus, examples
from fuzz.structure import structured
from fuzz.wellformed import judge_wellformed

FOUND = Path("build") / "fuzz-found"
REPORT_EVERY = 25
"""a full check costs as much as many readings"""
LONG = 0.02
"""of the files have so many entries that their faults lie behind a full batch"""
ENOUGH = 20
"""failures after which a run stops: more of them are most often the same fault again"""


class Failures:
    """Each failing file is kept, its reason is printed at once, and the run goes on."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.count = 0
        self.held = 0

    @contextmanager
    def kept(self, data: bytes) -> Iterator[None]:
        try:
            yield
        except Exception as failure:  # noqa: BLE001 - a crash is a failure like any other
            self.count += 1
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / f"{self.seed}-{self.count}.xml"
            path.write_bytes(data)
            if not isinstance(failure, AssertionError):
                print_exception(failure)
            print(f"{path}: {failure}", file=sys.stderr, flush=True)

    def keep_held(self, data: bytes) -> None:
        """No failure, as nothing was written; but worth a look."""
        self.held += 1
        if self.held <= ENOUGH:
            FOUND.mkdir(parents=True, exist_ok=True)
            (FOUND / f"held-{self.seed}-{self.held}.xml").write_bytes(data)

    @property
    def are_enough(self) -> bool:
        return self.count >= ENOUGH


def by_chance(seconds: float, seed: int, failures: Failures) -> int:
    """Run our own mutations until the time is up; how many were run."""
    chance = Random(seed)
    seeds = (*SEEDS, *DOCTYPES, *corpus())
    for data in seeds:
        with failures.kept(data):
            _judged(data, report=True)
    runs = len(seeds)
    end = time.monotonic() + seconds
    pool = list(seeds)
    while time.monotonic() < end and not failures.are_enough:
        data = chance.choice((mutated, mutated, structured))(chance.choice(pool), seeds, chance)
        if chance.random() < LONG:
            data = behind_a_batch(data)
        with failures.kept(data):
            _judged(data, report=runs % REPORT_EVERY == 0)
        runs += 1
        if chance.random() < 0.01:  # go on from some of the results, so that changes add up
            pool[chance.randrange(len(pool))] = data if chance.random() < 0.7 else chance.choice(seeds)
    return runs


def by_judge(seconds: float, seed: int, judge: Callable[[bytes], None], failures: Failures) -> int:
    """Small changes of small documents, each judged by itself; how many were run."""
    chance = Random(seed)
    seeds = (*SEEDS, *AROUND, *DOCTYPES, *corpus(), *examples())
    runs = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and not failures.are_enough:
        for data in chance.sample(seeds, len(seeds)):
            if time.monotonic() >= end:
                break
            changed = chance.choice((_as_it_is, crossed, structured, structured))(data, seeds, chance)
            for _ in range(chance.choice((1, 1, 1, 1, 2, 3) if changed is data else (0, 0, 1))):
                changed = edited(changed, chance)
            if chance.random() < LONG:
                changed = behind_a_batch(changed)
            before = len(held)
            with failures.kept(changed):
                judge(changed)
            if len(held) > before:
                failures.keep_held(changed)
            runs += 1
    return runs


def _as_it_is(data: bytes, _others: tuple[bytes, ...], _chance: Random) -> bytes:
    return data


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
    judge_reading(data)
    if report:
        judge_report(data)


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
    failures = Failures(chosen.seed)
    judge = JUDGES.get(chosen.judge)
    if judge:
        runs = by_judge(chosen.seconds, chosen.seed, judge, failures)
    else:
        runs = by_chance(chosen.seconds, chosen.seed, failures)
    if failures.held:
        print(f"in {failures.held:,} files, `fix` held back its own result")
    print(f"{runs:,} files, {failures.count} failures" + (f", kept in {FOUND}" if failures.count else ""))
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
