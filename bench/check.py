"""Clean, faulty and many sitemaps → what the full check costs beside reading them.

python -m bench.check            measure, print, and keep .bench/results/check.json
python -m bench.check --check    the same; exit 1 if a promise is missed
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bench import samples
from bench.measure import MEGABYTE, Contender, command, memory, race
from bench.report import Result, Row, Target, promises, table

READ = Contender("urlset read", "bench.readers:urlset_read")
CHECK = Contender("urlset check", "bench.checkers:urlset_check")
USP = Contender("ultimate-sitemap-parser, parsing only", "bench.readers:usp_pages")
FEWEST_ROUNDS = 5
OVER_READING = 1.2
SECONDS_OVER_READING = 0.15
TIMES_FASTER_THAN_USP = 4.0
FAULTY_SECONDS = 10.0
FAULTY_MB = 500.0
MILLION_MB = 300.0


def clean(rounds: int) -> tuple[list[Row], list[Target]]:
    file = samples.sample("plain")
    timings = race((READ, CHECK, USP), file, rounds)
    read, check, usp = (timings[one.name].best for one in (READ, CHECK, USP))
    rows = [
        Row("plain", name, timing.best, timing.middle, timing.best / check, gave=_gave(timing.counts))
        for name, timing in timings.items()
    ]
    allowed = OVER_READING * read + SECONDS_OVER_READING
    return rows, [
        Target("plain: CPU of checking in times of 1.2 reads and 0.15 s", 1.0, check / allowed, at_most=True),
        Target("plain: CPU of ultimate-sitemap-parser in times of checking", TIMES_FASTER_THAN_USP, usp / check),
    ]


def faulty() -> tuple[list[Row], list[Target]]:
    """Every one of the 50,000 entries is wrong."""
    file = samples.sample("faulty")
    timing = race((CHECK,), file, 1)[CHECK.name]
    used = memory(CHECK, file)
    row = Row("faulty", CHECK.name, timing.best, peak_mb=used.added / MEGABYTE, gave=_gave(timing.counts))
    return [row], [
        Target("faulty: seconds of CPU", FAULTY_SECONDS, timing.best, at_most=True),
        Target("faulty: MB of memory over base", FAULTY_MB, used.added / MEGABYTE, at_most=True),
    ]


def million() -> tuple[list[Row], list[Target]]:
    """A million URLs in twenty gz files, with one worker and with two."""
    files = [str(path) for path in samples.shards("million")]
    runs = {jobs: command(["check", "--jobs", str(jobs), "--format", "concise", *files]) for jobs in (1, 2)}
    rows = [
        Row(
            "check 20 gz",
            f"urlset check --jobs {jobs}",
            run.cpu,
            peak_mb=run.peak / MEGABYTE,
            gave=f"{run.wall:.1f} s of wall time",
        )
        for jobs, run in runs.items()
    ]
    return rows, [
        Target("20 gz files: MB of memory", MILLION_MB, max(run.peak for run in runs.values()) / MEGABYTE, at_most=True)
    ]


def _gave(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="checking, beside reading")
    parser.add_argument("--rounds", type=int, default=FEWEST_ROUNDS)
    parser.add_argument("--check", action="store_true", help="exit 1 if a promise is missed")
    parser.add_argument("--quiet", action="store_true", help="write the JSON only")
    chosen = parser.parse_args(arguments)
    rounds = max(chosen.rounds, FEWEST_ROUNDS)
    parts = (clean(rounds), faulty(), million())
    promised = [target for _, targets in parts for target in targets]
    result = Result("check", tuple(row for rows, _ in parts for row in rows), tuple(promised), rounds)
    result.save()
    if not chosen.quiet:
        print(table([result]), promises(promised), sep="\n\n")
    return int(chosen.check and not result.met)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
