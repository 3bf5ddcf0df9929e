"""Contenders and a file → CPU seconds from interleaved rounds, and peak memory from fresh processes.

Absolute seconds say more about the machine than about the code, and drift while other things run on it. So
the contenders take turns (A, B, C, A, B, C …) and only ratios within one run are worth quoting.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Any, NamedTuple

from bench.peers import LOGS, environment, python

MEGABYTE = 1_000_000


class Contender(NamedTuple):
    name: str
    factory: str
    """MODULE:FUNCTION, called in the worker; gives something with `read` and `count`"""


class Timing(NamedTuple):
    seconds: tuple[float, ...]
    counts: dict[str, int]

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def middle(self) -> float:
        return median(self.seconds)


class Memory(NamedTuple):
    base: int
    peak: int

    @property
    def added(self) -> int:
        return self.peak - self.base


class Run(NamedTuple):
    """A command run to its end."""

    cpu: float
    peak: int
    lines: int
    first_line: float
    """seconds until the first output"""
    wall: float
    stopped: bool = False
    """it was not finished within its time, so all figures are lower bounds"""


class WorkerFailedError(Exception):
    """A contender's process ended without an answer."""


class Worker:
    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.log = log

    def one_round(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has died; the answer says of what
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            said = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise WorkerFailedError(f"{self.log.stem} ended with {self.process.wait()}:\n{said}")
        found: dict[str, Any] = json.loads(line)
        return found


@contextmanager
def worker(mode: str, contender: Contender, file: Path) -> Iterator[Worker]:
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{contender.factory.rpartition(':')[2]}.log"
    command = [str(python()), "-m", "bench.worker", mode, contender.factory, str(file)]
    pipe = subprocess.PIPE
    with (
        log.open("w", encoding="utf-8") as said,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=said, text=True, encoding="utf-8", env=environment()
        ) as process,
    ):
        try:
            yield Worker(process, log)
        finally:
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()  # the worker's loop ends with its input


def race(contenders: Sequence[Contender], file: Path, rounds: int) -> dict[str, Timing]:
    """CPU seconds of each contender, by name; they take turns so that a slow minute hits all alike."""
    seconds: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    counts: dict[str, dict[str, int]] = {}
    with ExitStack() as stack:
        workers = {one.name: stack.enter_context(worker("rounds", one, file)) for one in contenders}
        for turn in range(rounds):
            note(f"{file.parent.name}: round {turn + 1} of {rounds}")
            for name, one in workers.items():
                answer = one.one_round()
                seconds[name].append(answer["cpu"])
                counts[name] = answer["counts"]
    return {name: Timing(tuple(seconds[name]), counts[name]) for name in workers}


def memory(contender: Contender, file: Path) -> Memory:
    note(f"{file.parent.name}: memory of {contender.name}")
    with worker("memory", contender, file) as one:
        answer = one.answer()
    return Memory(answer["base"], answer["peak"])


def command(arguments: Sequence[str]) -> Run:
    """`python -m urlset ARGUMENTS` with its output counted and thrown away."""
    return finished([str(python()), "-m", "urlset", *arguments])


def finished(
    command: Sequence[str],
    *,
    fine: Sequence[int] = (0,),
    fast: bool = False,
    cwd: Path | None = None,
    within: float | None = None,
) -> Run:
    """A command run to its end, output counted and thrown away; CPU includes the children it waited for.

    `fine` are the exit codes that are no failure, `fast` adds uvloop.
    A command that is not finished `within` so many seconds is stopped.
    """
    start = time.perf_counter()
    variables = environment(fast=fast)
    quiet = subprocess.DEVNULL if within is not None else None
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, env=variables, bufsize=0, cwd=cwd)
    assert process.stdout is not None
    timer = Timer(within or 0, process.kill)
    if within is not None:
        timer.start()
    lines, first_line = 0, 0.0
    while piece := process.stdout.read(1 << 18):
        first_line = first_line or time.perf_counter() - start
        lines += piece.count(b"\n")
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    stopped = process.returncode == -signal.SIGKILL and within is not None
    if process.returncode not in fine and not stopped:
        raise WorkerFailedError(f"{' '.join(command[1:5])} … ended with {process.returncode}")
    # ru_maxrss is the largest single process of the command, and never less than this one (some 25 MB)
    scale = 1 if sys.platform == "darwin" else 1024
    wall = time.perf_counter() - start
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale, lines, first_line, wall, stopped)


def least(runs: Sequence[Run]) -> float:
    return min(run.cpu for run in runs)


def compete(runners: Mapping[str, Callable[[], Run]], rounds: int, enough: float) -> dict[str, list[Run]]:
    """In turns; no further round after `enough` seconds of CPU, as a long run is hardly disturbed by others."""
    runs: dict[str, list[Run]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, runner in runners.items():
            runs[name].append(runner())
        if sum(run.cpu for found in runs.values() for run in found) > enough:
            break
    return runs


def take_turns(runners: Mapping[str, Callable[[], Run]], rounds: int, task: str = "") -> dict[str, list[Run]]:
    """Whole commands, in turns like the workers of `race`."""
    runs: dict[str, list[Run]] = {name: [] for name in runners}
    for turn in range(rounds):
        for name, runner in runners.items():
            note(f"{task}: round {turn + 1} of {rounds}, {name}")
            runs[name].append(runner())
    return runs


def note(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
