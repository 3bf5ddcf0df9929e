"""The command line of one benchmark → how it runs, and what it leaves behind."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from bench.report import Result, promises, ranges, table


class Options(NamedTuple):
    rounds: int
    quick: bool
    check: bool
    quiet: bool

    def finish(self, result: Result) -> int:
        """Keep the result, print it, and give the exit code."""
        result.save()
        if not self.quiet:
            print(*filter(None, (table([result]), promises(result.targets), ranges(result.ratios))), sep="\n\n")
        return int(self.check and not result.met)


def parsed(arguments: Sequence[str], description: str, rounds: int, quick_rounds: int = 1) -> Options:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--quiet", action="store_true", help="write the JSON only")
    parser.add_argument("--quick", action="store_true", help="few rounds on little data: figures for a first look")
    chosen = parser.parse_args(arguments)
    return Options(quick_rounds if chosen.quick else max(chosen.rounds, 1), chosen.quick, chosen.check, chosen.quiet)
