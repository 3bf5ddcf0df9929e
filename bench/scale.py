"""One and many sitemaps → what a full check costs beside the reading of peers, and how it grows with their number.

python -m bench.scale            measure, print, and keep .bench/results/scale.json
python -m bench.scale --check    the same; exit 1 if a promise is missed
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench import samples
from bench.measure import MEGABYTE, Contender, Run, command, memory, race, take_turns
from bench.peers import CACHE
from bench.report import Result, Row, Target, parsed
from bench.worker import TINY

READ = Contender("urlset read", "bench.readers:urlset_read")
CHECK = Contender("urlset check", "bench.readers:urlset_check")
SCRAPY = Contender("Scrapy, reading only", "bench.readers:scrapy_dicts")
USP = Contender("ultimate-sitemap-parser, reading only", "bench.readers:usp_pages")
ROUNDS = 3
TIMES_FASTER = {SCRAPY: 12.0, USP: 30.0}
MILLION_MB = 300.0
MILLION_SECONDS = 4.0
TWO_WORKERS = 1.6
GROWTH = 1.15
"""CPU per URL of ten million in times of that of fifty thousand"""

Part = tuple[list[Row], list[Target]]


def clean(rounds: int) -> Part:
    file = samples.sample("plain")
    timings = race((READ, CHECK, SCRAPY, USP), file, rounds)
    check = timings[CHECK.name].best
    used = memory(CHECK, file).added / MEGABYTE
    rows = [
        Row(
            "plain",
            name,
            timing.best,
            timing.middle,
            timing.best / check,
            peak_mb=used if name == CHECK.name else None,
            gave=_gave(timing.counts),
        )
        for name, timing in timings.items()
    ]
    return rows, [
        Target(f"plain: CPU of {peer.name} in times of checking", wanted, timings[peer.name].best / check)
        for peer, wanted in TIMES_FASTER.items()
    ]


def million(rounds: int) -> Part:
    """A million URLs in twenty gz files, with one worker and with two."""
    files = samples.shards("million")
    runs = take_turns({f"urlset check --jobs {jobs}": _check(files, jobs) for jobs in (1, 2)}, rounds, "million")
    rows = [_row("20 gz files", name, found, samples.MILLION) for name, found in runs.items()]
    one, two = runs.values()
    peak = max(run.peak for run in (*one, *two)) / MEGABYTE
    faster = min(run.wall for run in one) / min(run.wall for run in two)
    cpu = min(run.cpu for run in one)
    return rows, [
        Target("20 gz files: seconds of CPU in all", MILLION_SECONDS, cpu, at_most=True),
        Target("20 gz files: wall time with one worker in times of that with two", TWO_WORKERS, faster),
        Target("20 gz files: MB of memory", MILLION_MB, peak, at_most=True),
    ]


def growth(rounds: int) -> Part:
    """One file of 50,000 URLs, and two hundred; what starting the command costs is taken off both."""
    tiny = CACHE / "tiny.xml"
    tiny.write_bytes(TINY)
    many = samples.shards("ten-million")
    few = many[:1]
    runs = take_turns({"none": _check([tiny], 1), "few": _check(few, 1)}, rounds, "growth")
    runs["many"] = take_turns({"many": _check(many, 1)}, 1, "growth")["many"]
    least = {name: min(run.cpu for run in found) for name, found in runs.items()}
    urls = {"few": samples.ENTRIES_PER_FILE, "many": samples.ENTRIES_PER_FILE * len(many)}
    each = {name: (least[name] - least["none"]) / count for name, count in urls.items()}
    rows = [
        _row("1 gz file", "urlset check --jobs 1", runs["few"], urls["few"]),
        _row("200 gz files", "urlset check --jobs 1", runs["many"], urls["many"]),
    ]
    said = "CPU per URL of ten million in times of that of 50,000"
    return rows, [
        Target(said, GROWTH, each["many"] / each["few"], at_most=True),
        Target("200 gz files: MB of memory", MILLION_MB, runs["many"][0].peak / MEGABYTE, at_most=True),
    ]


def _check(files: Sequence[Path], jobs: int) -> Callable[[], Run]:
    return partial(command, ["check", "--jobs", str(jobs), "--format", "concise", *map(str, files)])


def _row(task: str, name: str, runs: list[Run], urls: int) -> Row:
    seconds = [run.cpu for run in runs]
    peak = max(run.peak for run in runs) / MEGABYTE
    gave = f"{min(seconds) / urls * 1e6:.2f} µs a URL, {min(run.wall for run in runs):.1f} s of wall time"
    return Row(task, name, min(seconds), median(seconds), peak_mb=peak, gave=gave)


def _gave(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "checking many files, and beside peers", ROUNDS)
    parts = [clean(options.rounds), million(options.rounds)]
    if not options.quick:
        parts.append(growth(options.rounds))
    promised = tuple(target for _, targets in parts for target in targets)
    rows = tuple(row for found, _ in parts for row in found)
    return options.finish(Result("scale", rows, promised, options.rounds, quick=options.quick))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
