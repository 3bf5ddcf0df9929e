"""The results of all benchmarks → docs/benchmarks.md, and the range that README.md quotes.

python -m bench.page    write both from what the last `make bench` left
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from bench.matrix import LIMITS, MEMORY_MB
from bench.million import NPM
from bench.peers import FAST, RESULTS, ROOT
from bench.report import Ratio, Result, Row, Target, load, short, spread, tables
from bench.stage import PAGES

PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
RANGE = re.compile(r"(?<=<!-- bench:range -->\n).*?(?=<!-- /bench:range -->)", re.DOTALL)
WIDTH = 120
TITLES = {
    "matrix": "Every kind of input",
    "read": "Reading",
    "scale": "Checking many files",
    "million": "Building a million pages",
    "serving": "Serving a million pages",
    "audit": "Auditing",
    "crawl": "Crawling",
}
MATRIX = """\
Pairwise combinations of all axes in `bench/cases.py`: 12 sources, 10 spellings of URLs, absolute and relative, 7
kinds of media and 4 states for `build`; the same spellings and media for `render`, for one request of each framework,
and for `check` in 11 forms of a sitemap, with files that mix ten shapes at random. The seed is another for each run;
`make bench ARGS="matrix --seed N"` repeats one. Rows with news or 30 hreflang links are a tenth of the number below,
pages of a folder a fortieth. CPU is net of start-up: what the same command costs for one entry is taken off. A file
counts as valid if the check finds nothing in most of its entries; some shapes that are legal, such as image captions,
which Google withdrew, have a finding in each entry.

What each is compared with:

- `build`: the plainest correct script for the same source and shape (`bench/naive.py`). It reads with json.loads,
  csv.reader, sqlite3, psycopg, pyarrow, iterparse, or os.walk with selectolax, completes relative URLs with the host,
  percent-encodes where the shape needs it, escapes, and writes f-strings with gzip level 6 of zlib (urlset uses level 5
  of zlib-ng, whose files are 3 % smaller to 10 % larger). The script does not decide what to list, find duplicates,
  keep a ledger, check what it wrote or publish all at once, as `urlset build` does.
- `build again`, `1 % changed` and `shuffled`: the first build of the same rows. `shuffled` is a second build from the
  same rows in another order.
- `render` and `served` (one request of an ASGI, WSGI, FastAPI, Flask, SQLAlchemy or Django application): the same
  f-strings joined in memory, from the same list or the same query.
- `check`: ElementTree.iterparse of the same file, without the fault if it has one; for a text list, of a sitemap with
  the same URLs.
- `fix`: `urlset check` of the same file.
- `tables` (`to_arrow`, `to_polars`, `to_pandas` of a file, read included): reading all entries of the file.

"""
ABOUT = {
    "matrix": MATRIX,
    "read": (
        "`plain` is a file of 50,000 URLs with four fields each (11 MB), `hreflang` one of nearly 50 MB with 15 "
        "alternates for each page, `illustrated` one with three images and a video for each page. `urlset` reads all "
        "fields with their offsets; `all entries` makes a value of every entry too, media included. Peak memory is "
        "what reading adds to what importing cost."
    ),
    "scale": (
        "All default rules. `gz files` hold 50,000 URLs each and are checked by the command, start-up included. Peers "
        "only read."
    ),
    "million": (
        "A million rows of JSON become sitemaps with an index. Peers read and write; `urlset build` does all that is "
        "listed above."
    ),
    "serving": (
        "1,000,000 rows in PostgreSQL, requested in-process through the WSGI or ASGI interface of each framework: the "
        "index, and one sitemap of 50,000 URLs in the middle. CPU is that of the application's process, without the "
        "database server. The plan of the shards is made before; its cost has its own row. Peak MB is the "
        "whole process, framework included."
    ),
    "audit": (
        f"{PAGES:,} pages of 30 to 100 KB that a sitemap lists, on an nginx on the same machine, whose CPU is not "
        "counted. Scrapy fetches them and writes down status, redirects, canonical, robots directives, title, dates, "
        "hreflang and the number of words. urlset does that, keeps it on disk as it comes, compares the texts of "
        "pages, judges every page by every rule and writes the report. Eight requests at a time, robots.txt obeyed by "
        "both."
    ),
    "crawl": (
        "The same site from its front page on. Both stay on the host, obey robots.txt, ask for every page once and "
        "write JSON lines. Scrapy keeps its queue in memory; urlset keeps every address and answer on disk."
    ),
}
QUOTED = {
    "check, valid": "`check` of a valid file costs {median} times a bare XML parse of it ({best} to {worst})",
    "check, ten shapes mixed": "of one that mixes ten shapes {median} ({best} to {worst})",
    "check, a fault in each entry": "with a fault in each entry {median} ({best} to {worst})",
    "fix": "`fix` costs {median} checks of the same file ({best} to {worst})",
    "build": "`build` costs {median} times a naive script for the same source and shape ({best} to {worst})",
    "build again": "and again without changes {median} times the first build ({best} to {worst})",
    "render": "`render` costs {median} times a naive script ({best} to {worst})",
    "served": "a served file {median} ({best} to {worst})",
}
"""tables whose range the README quotes; words that begin with a command begin a sentence"""


def page(results: Sequence[Result], before: str = "") -> str:
    """`before`: the page as it is, from which sections are kept that were not measured again."""
    return "\n".join(_lines(results, before)) + "\n"


def _lines(results: Sequence[Result], before: str) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "Generated by `make bench`; do not edit. It makes its own environment with the peers, and its own files."
    yield ""
    newest = max(results, key=lambda result: result.date)
    versions = {**newest.peers, "npm sitemap": NPM[1]}
    yield f"- Machine: {newest.machine}"
    yield f"- Python {newest.python}; {', '.join(f'{name} {version}' for name, version in versions.items())}"
    fast = " and ".join(f"{name} {version}" for name, version in FAST.items())
    scanner = "its compiled scanner" if newest.compiled else "the reference reader, as nothing could be compiled here"
    said = f"- urlset with {scanner} and without {fast}, unless a row says otherwise"
    yield f"{said}; `[fast]` in tables from before 2026-11-19 is uvloop and zlib-ng, which was an extra"
    yield ""
    yield (
        "Contenders take turns, and only ratios within one run are worth quoting: seconds say more about the machine. "
        "CPU is that of the contender's own process and its children. A ratio compares the fastest rounds."
    )
    yield ""
    yield quoted(results)
    measured = {result.benchmark: result for result in results}
    kept = {each.partition("\n")[0]: each for each in before.split("\n## ")[1:]}
    for name, title in TITLES.items():
        if name in measured:
            yield from _section(measured[name])
        elif title in kept:
            yield from ("", f"## {kept[title].rstrip()}")


def _section(result: Result) -> Iterator[str]:
    yield ""
    yield f"## {TITLES[result.benchmark]}"
    yield ""
    note = f" {result.note[0].upper()}{result.note[1:]}." if result.note else ""
    about = ABOUT[result.benchmark]
    yield f"{about}{'' if about.endswith(chr(10)) else ' '}Measured on {result.date}. Rounds: {result.rounds}.{note}"
    if result.ratios:
        yield from _matrix(result.ratios)
    for failure in result.failures:
        yield from ("", f"Not measured: {failure}")
    if result.rows:
        yield ""
        yield "| Task | Contender | CPU min s | median s | Times ours | Peak MB | |"
        yield "|---|---|---:|---:|---:|---:|---|"
        yield from map(_row, result.rows)
    if result.targets:
        yield ""
        yield "| Promise | Wanted | Measured | |"
        yield "|---|---:|---:|---|"
        yield from map(_target, result.targets)


def _matrix(ratios: Sequence[Ratio]) -> Iterator[str]:
    """The spread of each table, and every case over its limit."""
    yield ""
    yield "| Work | Seed | Cases | Best | Median | p95 | Worst | Limits (median, worst) | Over | Peak MB | Worst case |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---|"
    runs = {(name, seed): [each for each in some if each.seed == seed]
            for name, some in tables(ratios).items() for seed in dict.fromkeys(each.seed for each in some)}  # fmt: skip
    for (name, seed), found in runs.items():
        figures = " | ".join(map(_times, spread(found)))
        limits = ", ".join("none" if each is None else short(each) for each in LIMITS[name])
        over, peak = sum(not each.met for each in found), max(each.peak_mb or 0.0 for each in found)
        worst = spread(found)[-1].shape
        yield f"| {name} | {seed} | {len(found)} | {figures} | {limits} | {over} | {peak:.0f} | {worst} |"
    if missed := [each for each in ratios if not each.met]:
        yield ""
        yield from REASONS.splitlines()
        yield ""
        yield f"Over the limit, {len(missed)} of {len(ratios)}:"
        yield ""
        yield "| Work | Case | urlset s | Measure s | Times | Limit |"
        yield "|---|---|---:|---:|---:|---:|"
        for each in sorted(missed, key=lambda each: (each.table, -each.times / each.limit)):
            seconds = f"{each.cpu:.2f} | {each.reference_cpu:.2f}"
            yield f"| {each.table} | {each.shape} | {seconds} | {_times(each)} | {short(each.limit)} |"
    if heavy := [each for each in ratios if (each.peak_mb or 0.0) > MEMORY_MB]:
        yield ""
        yield f"More than {MEMORY_MB:.0f} MB of memory, {len(heavy)} of {len(ratios)}:"
        yield ""
        yield "| Work | Case | Peak MB |"
        yield "|---|---|---:|"
        for each in sorted(heavy, key=lambda each: (each.table, -(each.peak_mb or 0.0))):
            yield f"| {each.table} | {each.shape} | {each.peak_mb:.0f} |"


REASONS = """\
What is behind most of them:

- `build, 1 % changed`: the changed rows are spread over all files, so each file is put together, checked around what
  changed, and packed again. A row that says what it said is not read again, but it has to be found again and its page
  looked up.
  - Text lists: a first build takes little more than packing, which is needed again.
  - Rows from a server, a Python program or Parquet: most of what is left is to get the rows from there, and to hash
    them. Rows with 30 links are few and long, so packing and unpacking their files is most of both builds.
- `build` of a folder: each page is also read for its text, its dates and its directives, which tell changed pages.
  Again, each file is looked at, and its page is dated and compared as before.
- `build` of 20,000 rows with news: a sitemap may have 1,000 recent articles, so what is written about 19,000 is taken
  out again, which the naive script does not do.
- `fix` of fields out of order, of uppercase hosts, and of entries with several faults: a check counts or reports such a
  fault once and costs little. A fix finds the bytes of each, moves or rewrites them in 50,000 entries, and proves the
  result.
- Memory: rows of a Python program are counted with the build that they are given to; a fix holds the original, the
  result, and what the rules about links compare.
- `tables`: `to_pandas` makes a dictionary of 25 fields for each video, and one for each link."""

LEAST = 0.1
"""what is left of a ratio below it, net of start-up, is less than the start-up varies"""


def _times(ratio: Ratio, digits: int = 2) -> str:
    if ratio.times < LEAST:
        return f"under {LEAST}"
    return f"{'more than ' if ratio.stopped else ''}{ratio.times:.{digits}f}"


def quoted(results: Sequence[Result]) -> str:
    """The range from best to worst, of every table that the README quotes."""
    found = tables(ratio for result in results for ratio in result.ratios)
    said = ""
    for name, words in QUOTED.items():
        if name in found:
            best, median, _, worst = (_times(each, 1) for each in spread(found[name]))
            said += ". " if words.startswith("`") else ", "
            said += words.format(best=best, median=median, worst=worst)
    shapes = sum(len(each) for name, each in found.items() if name in QUOTED)
    return f"Measured over {shapes} combinations of source, spelling, media and state, median (best to worst){said}."


def _row(row: Row) -> str:
    format_number = (
        _figure(row.cpu_min, 3),
        _figure(row.cpu_median, 3),
        _figure(row.times_ours, 2),
        _figure(row.peak_mb, 0),
    )
    return f"| {row.task} | {row.contender} | {' | '.join(format_number)} | {row.gave} |"


def _figure(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _target(target: Target) -> str:
    wanted = f"{'≤' if target.at_most else '≥'} {short(target.wanted)}"
    return f"| {target.promise} | {wanted} | {short(target.got)} | {'met' if target.met else '**missed**'} |"


def with_range(readme: str, results: Sequence[Result]) -> str:
    """The README with the measured range between its marks, wrapped like the rest of it."""
    words = f"{quoted(results)} All figures: [benchmarks](docs/benchmarks.md).".split(" ")
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) >= WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return RANGE.sub(lambda _: "\n".join(lines) + "\n", readme)


def finished() -> list[Result]:
    """Those on record."""
    return [load(RESULTS / f"{name}.json") for name in TITLES if (RESULTS / f"{name}.json").exists()]


def main() -> int:
    results = finished()
    if not results:
        print("there are no results; run make bench first", file=sys.stderr)
        return 1
    PAGE.write_text(page(results, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    README.write_text(with_range(README.read_text(encoding="utf-8"), results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
