"""Sitemaps of every shape → what a check costs in times of a bare parse, from the best shape to the worst.

python -m bench.check            measure, print, and keep .bench/results/check.json
python -m bench.check --check    the same; exit 1 if a promise is missed
python -m bench.check --quick    a tenth of the entries, one round

CPU is net of start-up: what the same command needs for a file with one entry is taken off. The measure is
ElementTree.iterparse over the same file, or, where that is not well-formed, over the same file with the fault escaped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import shapes
from bench.measure import MEGABYTE, Run, compete, finished, least, note
from bench.options import Options, parsed
from bench.peers import python
from bench.report import Ratio, Result, Target
from bench.shapes import BY_NAME, SHAPES, Group, Shape

ROUNDS = 3
ENOUGH = 6.0
"""seconds of CPU after which no further round of a shape is run"""
WITHIN = 60.0
"""seconds that one command may take before its row becomes a lower bound"""
LEAST = 0.001
QUICK_ENTRIES = 5_000
LS_LIMIT = 4.0
ONE_ENTRY_SECONDS = 0.150
HELP_SECONDS = 0.150
LISTING = "ls"
TABLES = {
    Group.VALID: "check, valid input",
    Group.FAULT: "check, a fault in each entry",
    Group.FOUR_FAULTS: "check, four faults in each entry",
}


class Tool(NamedTuple):
    """A command on a file, and what it costs to start."""

    run: Callable[[Path], Run]
    start: float

    @classmethod
    def of(cls, run: Callable[[Path], Run]) -> Tool:
        one = shapes.sitemap(BY_NAME["plain"], 1)
        return cls(run, least([run(one) for _ in range(ROUNDS)]))

    def net(self, runs: Sequence[Run]) -> float:
        return max(least(runs) - self.start, LEAST)


def parse(file: Path) -> Run:
    return finished([str(python()), "-m", "bench.parse", str(file)])


def urlset(*arguments: str, file: Path) -> Run:
    command = [str(python()), "-m", "urlset", *arguments, str(file)]
    return finished(command, fine=(0, 1), cwd=file.parent, within=WITHIN)


def tool(*arguments: str) -> Tool:
    return Tool.of(lambda file: urlset(*arguments, file=file))


def against_parse(table: str, ours: Tool, bare: Tool, shape: Shape, limit: float, options: Options) -> Ratio:
    """One shape: ours and the bare parse in turns."""
    count = QUICK_ENTRIES if options.quick else shapes.ENTRIES
    note(f"{table}: {shape.text}")
    file = shapes.sitemap(shape, count)
    parsed_file = shapes.sitemap(BY_NAME[shape.twin], count) if shape.twin else file
    runners = {"parse": partial(bare.run, parsed_file), "ours": partial(ours.run, file)}
    runs = compete(runners, options.rounds, ENOUGH)
    return Ratio(
        table,
        shape.text,
        cpu=ours.net(runs["ours"]),
        reference_cpu=bare.net(runs["parse"]),
        limit=limit,
        peak_mb=max(run.peak for run in runs["ours"]) / MEGABYTE,
        listed=shape.listed,
        stopped=any(run.stopped for run in runs["ours"]),
    )


def compiled(options: Options) -> Iterator[Ratio]:
    bare, check = Tool.of(parse), tool("check")
    for shape in SHAPES:
        yield against_parse(TABLES[shape.group], check, bare, shape, shape.group.limit, options)
    yield against_parse(LISTING, tool("ls"), bare, BY_NAME["ampersand"], LS_LIMIT, options)


def starting() -> Iterator[Target]:
    """What the smallest runs cost: nearly all of it is start-up."""
    one = tool("check").start
    shown = least([finished([str(python()), "-m", "urlset", "--help"]) for _ in range(ROUNDS)])
    yield Target("check of a file with one entry: seconds of CPU", ONE_ENTRY_SECONDS, one, at_most=True)
    yield Target("--help: seconds of CPU", HELP_SECONDS, shown, at_most=True)


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "checking, in times of a bare parse", ROUNDS)
    ratios = tuple(compiled(options))
    result = Result("check", (), tuple(starting()), options.rounds, quick=options.quick, ratios=ratios)
    return options.finish(result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
