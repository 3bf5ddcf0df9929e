"""The results of all benchmarks → docs/benchmarks.md, and the range that README.md quotes.

python -m bench.page    write both from what the last `make bench` left
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from bench.million import NPM
from bench.peers import FAST
from bench.places import RESULTS, ROOT
from bench.report import Ratio, Result, Row, Target, extremes, load, short, tables
from bench.stage import PAGES

PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
RANGE = re.compile(r"(?<=<!-- bench:range -->\n).*?(?=<!-- /bench:range -->)", re.DOTALL)
WIDTH = 120
TITLES = {
    "check": "Checking, by shape",
    "fix": "Fixing, by fault",
    "build": "Building, by source",
    "read": "Reading",
    "scale": "Checking many files",
    "million": "Building a million pages",
    "serving": "Serving a million pages",
    "audit": "Auditing",
    "crawl": "Crawling",
}
ABOUT = {
    "check": (
        "50,000 entries of one shape, `urlset check` with all default rules. The measure is ElementTree.iterparse over "
        "the same file. For a file that is not well-formed it parses the same file with the fault escaped, for a text "
        "list a sitemap of the same addresses. With URLSET_SCANNER=python the measure is that scanner's own plain "
        "file. CPU is net of start-up: what a file with one entry costs is taken off."
    ),
    "fix": (
        "The same files. A fix checks the file, makes the edits, reads the result and checks it again. No peer does "
        "that, so the measure is `urlset check` of the same file. CPU is net of start-up."
    ),
    "build": (
        "200,000 rows (a folder: 5,000 pages) become sitemaps packed with gzip, by a whole `urlset build`: it decides "
        "what to list, dates it, keeps a ledger, checks every file and publishes all in one step. The measure is the "
        "naive script for the same source (`bench/naive.py`): json.loads, csv.reader, sqlite3, pyarrow, iterparse or "
        "os.walk with selectolax (each page is parsed for its canonical, its robots directives and its date), then "
        "escape, an f-string and gzip level 6. Start-up is included. `again` is a second build of the "
        "same rows, in times of the first."
    ),
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
        "database server. The plan of the shards is made before; what that costs is a row of its own. Peak MB is the "
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
    "check, valid input": "`check` costs {best} to {worst} times a bare XML parse of the same file, for valid input",
    "check, a fault in each entry": "up to {worst} times with a fault in each entry",
    "check, four faults in each entry": "up to {worst} times with four",
    "fix": "`fix` costs {best} to {worst} times a check of the same file",
    "build": "`build` costs {best} to {worst} times a naive script for the same source",
}
"""tables whose range the README quotes; words that begin with a command begin a sentence"""


def page(results: Sequence[Result]) -> str:
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Sequence[Result]) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "Generated by `make bench`; do not edit. It makes its own environment with the peers, and its own files."
    yield ""
    newest = max(results, key=lambda result: result.date)
    versions = {**newest.peers, "npm sitemap": NPM[1]}
    yield f"- Machine: {newest.machine}"
    yield f"- Date: {' and '.join(sorted({result.date for result in results}))}"
    yield f"- Python {newest.python}; {', '.join(f'{name} {version}' for name, version in versions.items())}"
    fast = " and ".join(f"{name} {version}" for name, version in FAST.items())
    scanner = "its compiled scanner" if newest.compiled else "the Python scanner, as nothing could be compiled here"
    yield f"- urlset with {scanner} and without the `[fast]` extra ({fast}), unless a row says otherwise"
    yield ""
    yield (
        "Contenders take turns, and only ratios within one run are worth quoting: seconds say more about the machine. "
        "CPU is that of the contender's own process and its children. A ratio compares the fastest rounds. Shapes "
        "marked \\* were chosen beside the list of promises, and are held to the same limits."
    )
    yield ""
    yield quoted(results)
    for result in results:
        yield from _section(result)


def _section(result: Result) -> Iterator[str]:
    yield ""
    yield f"## {TITLES[result.benchmark]}"
    yield ""
    yield f"{ABOUT[result.benchmark]} Rounds: {result.rounds}."
    for name, ratios in tables(result.ratios).items():
        yield from _ratios(name, ratios)
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


def _ratios(name: str, ratios: Sequence[Ratio]) -> Iterator[str]:
    best, worst = extremes(ratios)
    yield ""
    yield f"### {name[0].upper()}{name[1:]}"
    yield ""
    if len(ratios) > 1:
        yield f"Best: {_times(best)} ({best.shape}). Worst: {_times(worst)} ({worst.shape})."
        yield ""
    yield "| Shape | urlset s | Measure s | Times | Limit | Peak MB | |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for each in ratios:
        format_number = f"{each.cpu:.2f} | {each.reference_cpu:.2f} | {_times(each)} | {short(each.limit)}"
        shape = each.shape.replace("|", "\\|") + ("" if each.listed else " \\*")
        yield f"| {shape} | {format_number} | {_figure(each.peak_mb, 0)} | {'met' if each.met else '**missed**'} |"


def _times(ratio: Ratio) -> str:
    return f"{'more than ' if ratio.stopped else ''}{ratio.times:.2f}"


def quoted(results: Sequence[Result]) -> str:
    """The range from best to worst, of every table that the README quotes."""
    found = tables(ratio for result in results for ratio in result.ratios)
    said = ""
    for name, words in QUOTED.items():
        if name in found:
            best, worst = extremes(found[name])
            said += ". " if words.startswith("`") else ", "
            said += words.format(best=f"{best.times:.1f}", worst=_upper(worst))
    shapes = sum(len(each) for name, each in found.items() if name in QUOTED)
    return f"Measured over {shapes} kinds of input, from the best to the worst{said}."


def _upper(ratio: Ratio) -> str:
    return f"{'more than ' if ratio.stopped else ''}{ratio.times:.1f}"


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
    PAGE.write_text(page(results), encoding="utf-8")
    README.write_text(with_range(README.read_text(encoding="utf-8"), results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
