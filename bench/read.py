"""Three sitemaps and two hundred → how fast and in how much memory urlset reads them, beside its peers.

python -m bench.read            measure, print, and keep .bench/results/read.json
python -m bench.read --check    the same; exit 1 if a promise is missed
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from bench import samples
from bench.measure import MEGABYTE, Contender, Memory, Run, Timing, command, memory, race
from bench.report import Result, Row, Target, parsed

OURS = Contender("urlset", "bench.readers:urlset_read")
OUR_ENTRIES = Contender("urlset, all entries", "bench.readers:urlset_entries")
SCRAPY = Contender("Scrapy", "bench.readers:scrapy_dicts")
USP = Contender("ultimate-sitemap-parser", "bench.readers:usp_pages")
ADVERTOOLS = Contender("advertools", "bench.readers:advertools_frame")
TRAFILATURA = Contender("trafilatura", "bench.readers:trafilatura_links")
LXML = Contender("lxml iterparse", "bench.readers:lxml_dicts")
CONTENDERS = (OURS, OUR_ENTRIES, SCRAPY, USP, ADVERTOOLS, TRAFILATURA, LXML)
PEERS = (SCRAPY, USP, ADVERTOOLS, TRAFILATURA, LXML)

ROUNDS = 3
TIMES_FASTER_ON_PLAIN = {
    OURS: {SCRAPY: 30.0, USP: 80.0, ADVERTOOLS: 30.0},
    OUR_ENTRIES: {SCRAPY: 2.3, USP: 6.0, ADVERTOOLS: 3.0},
}
"""with the compiled scanner; all fields and offsets, and then besides every entry as a value"""
TIMES_FASTER_ON_HREFLANG = 15.0
TIMES_FASTER_ON_MEDIA = 3.0
"""every entry as a value, with all its images, videos and alternates; Scrapy gives no images and no videos"""
MEMORY_FOR_PLAIN_MB = 60.0
MEMORY_FOR_LS_MB = 150.0
LS_MAY_GROW_MB = 30.0
"""What one document costs. The peak wobbles by half of that with where the allocator puts the bodies, so less
would be noise; with 180 more files it still shows a leak of 170 kB a file."""

Measured = dict[str, tuple[Timing, Memory]]


def measure(name: str, rounds: int) -> Measured:
    file = samples.sample(name)
    timings = race(CONTENDERS, file, rounds)
    return {one.name: (timings[one.name], memory(one, file)) for one in CONTENDERS}


def rows(task: str, measured: Measured) -> Iterator[Row]:
    ours = measured[OURS.name][0].best
    for name, (timing, used) in measured.items():
        gave = ", ".join(f"{count:,} {what}" for what, count in timing.counts.items() if count)
        yield Row(task, name, timing.best, timing.middle, timing.best / ours, used.added / MEGABYTE, gave)


def targets(measured: dict[str, Measured]) -> Iterator[Target]:
    plain = measured["plain"]
    yield faster("hreflang", measured["hreflang"], OURS, SCRAPY, TIMES_FASTER_ON_HREFLANG)
    for ours, all_wanted in TIMES_FASTER_ON_PLAIN.items():
        for peer, wanted in all_wanted.items():
            yield faster("plain", plain, ours, peer, wanted)
    for task in ("hreflang", "illustrated"):
        yield faster(task, measured[task], OURS, quickest_rival(measured[task], OURS), 1.0)
        for peer in (SCRAPY, LXML):
            yield faster(task, measured[task], OUR_ENTRIES, peer, TIMES_FASTER_ON_MEDIA)
    added = plain[OURS.name][1].added / MEGABYTE
    yield Target("plain: MB of memory over base", MEMORY_FOR_PLAIN_MB, added, at_most=True)


def faster(task: str, measured: Measured, ours: Contender, peer: Contender, wanted: float) -> Target:
    ratio = measured[peer.name][0].best / measured[ours.name][0].best
    return Target(f"{task}: CPU of {peer.name} in times of {ours.name}", wanted, ratio)


def quickest_rival(measured: Measured, ours: Contender) -> Contender:
    """The quickest peer that gave no less: one that drops images is no measure for reading images."""
    given = measured[ours.name][0].counts
    rivals = [peer for peer in PEERS if _no_less(measured[peer.name][0].counts, given)]
    return min(rivals, key=lambda peer: measured[peer.name][0].best)


def _no_less(theirs: dict[str, int], ours: dict[str, int]) -> bool:
    return all(theirs.get(what, 0) >= count for what, count in ours.items())


def listing() -> tuple[list[Row], list[Target]]:
    """`urlset ls` over 20 and over 200 compressed files: the second must not need more memory."""
    runs = {name: command(["ls", *map(str, samples.shards(name))]) for name in samples.SHARDED}
    few, many = runs["million"], runs["ten-million"]
    grown = (many.peak - few.peak) / MEGABYTE
    listed = samples.ENTRIES_PER_FILE * samples.SHARDED["ten-million"]
    return [_listing_row(name, run) for name, run in runs.items()], [
        Target("ls, 200 files: MB of memory", MEMORY_FOR_LS_MB, many.peak / MEGABYTE, at_most=True),
        Target("ls, 200 files: MB more than 20 files", LS_MAY_GROW_MB, grown, at_most=True),
        Target("ls, 200 files: lines", listed, many.lines),
    ]


def _listing_row(name: str, run: Run) -> Row:
    gave = f"{run.lines:,} lines, the first after {run.first_line:.2f} s"
    return Row(f"ls {samples.SHARDED[name]} gz", "urlset ls", run.cpu, peak_mb=run.peak / MEGABYTE, gave=gave)


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "reading, beside peers", ROUNDS)
    measured = {name: measure(name, options.rounds) for name in samples.FILES}
    found = [row for name, one in measured.items() for row in rows(name, one)]
    promised = list(targets(measured))
    if not options.quick:
        listed, more = listing()
        found += listed
        promised += more
    return options.finish(Result("read", tuple(found), tuple(promised), options.rounds, quick=options.quick))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
