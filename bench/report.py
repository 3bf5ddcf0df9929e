"""Rows and targets of a benchmark → its JSON result and the one table for people.

python -m bench.report FILE…    the table of results written before
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench.peers import COMPARED, RESULTS, is_compiled, machine

COLUMNS = ("benchmark", "task", "contender", "CPU min s", "median s", "times ours", "peak MB", "what it gave")


@dataclass(frozen=True)
class Row:
    """One contender at one task; None where it was not measured."""

    task: str
    contender: str
    cpu_min: float | None = None
    cpu_median: float | None = None
    times_ours: float | None = None
    peak_mb: float | None = None
    gave: str = ""


@dataclass(frozen=True)
class Target:
    """A promise: what is measured, how much was promised, how much it is."""

    promise: str
    wanted: float
    got: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.got <= self.wanted if self.at_most else self.got >= self.wanted


@dataclass(frozen=True)
class Ratio:
    """One shape of input: what it cost us, in times of a measure that does as little as can be done with it."""

    table: str
    shape: str
    cpu: float
    reference_cpu: float
    limit: float
    peak_mb: float | None = None
    stopped: bool = False
    """not finished in its time: the ratio is a lower bound"""
    seed: int = 0
    """of the run"""

    @property
    def times(self) -> float:
        return self.cpu / self.reference_cpu

    @property
    def met(self) -> bool:
        return self.times <= self.limit and not self.stopped


@dataclass(frozen=True)
class Result:
    benchmark: str
    rows: tuple[Row, ...]
    targets: tuple[Target, ...]
    rounds: int
    quick: bool = False
    """figures for a first look, not for the record"""
    ratios: tuple[Ratio, ...] = ()
    failures: tuple[str, ...] = ()
    """cases that could not be measured, or gave other results than their measure"""
    note: str = ""
    compiled: bool = field(default_factory=is_compiled)
    python: str = platform.python_version()
    machine: str = field(default_factory=machine)
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    peers: dict[str, str] = field(default_factory=lambda: dict(COMPARED))

    @property
    def met(self) -> bool:
        kept = all(target.met for target in self.targets) and all(ratio.met for ratio in self.ratios)
        return kept and not self.failures

    def save(self) -> Path:
        """A first look never takes the place of what is on record."""
        folder = RESULTS / "quick" if self.quick else RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.benchmark}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def load(path: Path) -> Result:
    found = json.loads(path.read_text(encoding="utf-8"))
    rows = tuple(Row(**row) for row in found.pop("rows"))
    targets = tuple(Target(**target) for target in found.pop("targets"))
    ratios = tuple(Ratio(**ratio) for ratio in found.pop("ratios", ()))
    return Result(rows=rows, targets=targets, ratios=ratios, **found | {"failures": tuple(found.pop("failures", ()))})


def table(results: Iterable[Result]) -> str:
    cells = [COLUMNS] + [_cells(result.benchmark, row) for result in results for row in result.rows]
    if len(cells) == 1:
        return ""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_line(line, widths) for line in cells)


def promises(targets: Sequence[Target]) -> str:
    return "\n".join(
        f"{'met   ' if target.met else 'MISSED'}  {target.promise}: {short(target.got)}, "
        f"wanted at {'most' if target.at_most else 'least'} {short(target.wanted)}"
        for target in targets
    )


def tables(ratios: Iterable[Ratio]) -> dict[str, list[Ratio]]:
    """By table, in the order measured."""
    found: dict[str, list[Ratio]] = {}
    for ratio in ratios:
        found.setdefault(ratio.table, []).append(ratio)
    return found


def spread(ratios: Sequence[Ratio]) -> tuple[Ratio, Ratio, Ratio, Ratio]:
    """The best, the median, the 95th of a hundred, and the worst."""
    found = sorted(ratios, key=lambda ratio: ratio.times)
    return found[0], found[len(found) // 2], found[(len(found) - 1) * 19 // 20], found[-1]


def summary(ratios: Sequence[Ratio]) -> str:
    """Of each table the spread, its worst case by name, and how many miss the limit."""
    lines = []
    for name, found in tables(ratios).items():
        best, middle, high, worst = (f"{each.times:.2f}" for each in spread(found))
        missed = sum(not each.met for each in found)
        peak = max(each.peak_mb or 0.0 for each in found)
        lines.append(
            f"{name}: {len(found)} cases, best {best}, median {middle}, p95 {high}, worst {worst} "
            f"({spread(found)[-1].shape}); {missed} over {short(found[0].limit)}; at most {peak:.0f} MB"
        )
    return "\n".join(lines)


def short(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00")


def _cells(benchmark: str, row: Row) -> tuple[str, ...]:
    return (
        benchmark,
        row.task,
        row.contender,
        _number(row.cpu_min, 3),
        _number(row.cpu_median, 3),
        _number(row.times_ours, 2),
        _number(row.peak_mb, 1),
        row.gave,
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = range(3, 7)
    aligned = (
        cell.rjust(width) if column in numbers else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(aligned).rstrip()


def main(paths: Sequence[str]) -> None:
    results = [load(Path(path)) for path in paths]
    print(table(results))
    print()
    print(promises([target for result in results for target in result.targets]))
    print()
    print(summary([ratio for result in results for ratio in result.ratios]))


class Options(NamedTuple):
    rounds: int
    quick: bool
    check: bool
    quiet: bool

    def finish(self, result: Result) -> int:
        """Keep the result, print it, and give the exit code."""
        result.save()
        if not self.quiet:
            print(*filter(None, (table([result]), promises(result.targets), summary(result.ratios))), sep="\n\n")
        return int(self.check and not result.met)


def parsed(arguments: Sequence[str], description: str, rounds: int, quick_rounds: int = 1) -> Options:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--quiet", action="store_true", help="write the JSON only")
    parser.add_argument("--quick", action="store_true", help="few rounds on little data: figures for a first look")
    chosen = parser.parse_args(arguments)
    return Options(quick_rounds if chosen.quick else max(chosen.rounds, 1), chosen.quick, chosen.check, chosen.quiet)


if __name__ == "__main__":
    main(sys.argv[1:])
