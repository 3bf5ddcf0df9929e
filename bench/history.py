"""Three generations of a large site → CPU and memory of snapshot, diff and history, held to exact numbers.

python -m bench.history                 1,000,000 URLs
python -m bench.history --stored        10,000,000 URLs in snapshots that were made for it: diff and history only
python -m bench.history --quick         20,000 URLs
python -m bench.history --honesty       intervals of 1,000 simulated sites instead

Each command runs in a process of its own with the interpreter that runs this; figures are of that process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from urlset.snapshots.parquet import FACTS, FIELDS
from urlset.snapshots.series import FileInfo, SnapshotInfo

ROOT = Path(__file__).resolve().parents[1]
PER_FILE = 50_000
SECTIONS = ("products", "guides", "news", "brands", "help")
WORDS = tuple(
    word
    for line in (
        "anchor apron basket beacon birch bolt bottle canvas cedar chair copper cotton desk ember fabric feather",
        "garnet glass granite harbor hazel iron ivory jacket kettle lamp leather linen maple marble mirror nickel",
        "oak onyx opal paper pearl pine quartz ribbon river sable saddle silver slate spruce steel stone table teak",
        "thread timber tin velvet walnut willow wool zinc",
    )
    for word in line.split()
)
HOME = "https://www.example.com"
GENERATIONS = 3


class Expected(NamedTuple):
    """Between two generations."""

    added: int
    removed: int
    changed: int
    renamed: int
    moved: int
    unchanged: int


class Cost(NamedTuple):
    cpu: float
    megabytes: float
    output: bytes


def url_of(number: int) -> str:
    mixed = _mixed(number)
    slug = "-".join(WORDS[(mixed >> shift) % len(WORDS)] for shift in (0, 8, 16))
    return f"{HOME}/{SECTIONS[number % len(SECTIONS)]}/{slug}-{number}"


def date_of(number: int) -> str:
    mixed = _mixed(number ^ 0x5EED)
    month, day, hour, minute = mixed % 10 + 1, (mixed >> 8) % 28 + 1, (mixed >> 16) % 24, (mixed >> 24) % 60
    return f"2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00+00:00"


def _mixed(number: int) -> int:
    """Numbers in a row → numbers in no order, the same every time."""
    return (number * 0x9E3779B97F4A7C15 + 0x7F4A7C15) >> 13 & 0xFFFFFFFF


def rows(generation: int, total: int) -> Iterator[tuple[str, str, int]]:
    """Every 100th page is removed in each generation and as many are added; every 50th changes its date.

    In the last generation every 200th loses its number: a rename that only the path shows.
    """
    for number in range(total):
        if any(number % 100 == gone for gone in range(1, generation + 1)):
            continue
        date = f"2026-11-{10 + generation:02}T06:00:00+00:00" if generation and number % 50 == 7 else date_of(number)
        url = url_of(number)
        yield (url.replace("/brands/", "/makers/") if generation == 2 and number % 200 == 3 else url), date, number
    for number in range(total, total + generation * (total // 100)):
        yield url_of(number), date_of(number), number


def expected(total: int) -> Expected:
    """Between the second and the third."""
    hundred = total // 100
    second = {number for number in range(total) if number % 100 != 1}
    third = {number for number in second if number % 100 != 2}
    renamed = sum(number % 200 == 3 and "/brands/" in url_of(number) for number in range(3, total, 200))
    changed = sum(number % 50 == 7 for number in third)
    both = len(third) - renamed + hundred
    return Expected(hundred, hundred, changed, renamed, 0, both - changed)


def write_generation(folder: Path, generation: int, total: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.xml"):
        old.unlink()
    for number, found in groupby(rows(generation, total), key=lambda row: row[2] // PER_FILE):
        entries = [f"<url><loc>{url}</loc><lastmod>{date}</lastmod></url>\n" for url, date, _ in found]
        _write(folder / f"sitemap-{number:04}.xml", entries)


def _write(path: Path, entries: list[str]) -> None:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    path.write_text(f"{head}{''.join(entries)}</urlset>\n")


def measured(arguments: list[str], folder: Path, now: str) -> Cost:
    """One command; `now` is what it takes for the present."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "SOURCE_DATE_EPOCH": now}
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "urlset", *arguments], cwd=folder, stdout=out, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, arguments
        out.seek(0)
        return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1_000, out.read())


def main(arguments: list[str]) -> int:
    if "--honesty" in arguments:
        from tests.snapshots.honest_sites import coverage

        for name, share in coverage(1_000).items():
            print(f"{name}: the interval covers the truth on {share:.1%} of 1,000 sites")
        return 0
    total = 20_000 if "--quick" in arguments else 1_000_000
    if "--urls" in arguments:
        total = int(arguments[arguments.index("--urls") + 1])
    with tempfile.TemporaryDirectory() as name:
        lines = run_stored(Path(name), 10_000_000) if "--stored" in arguments else run(Path(name), total)
        for line in lines:
            print(line, flush=True)
    return 0


def run(folder: Path, total: int) -> Iterator[str]:
    start = 1_794_744_000
    for generation in range(GENERATIONS):
        write_generation(folder / "site", generation, total)
        now = str(start + generation * 86_400)
        cost = measured(["snapshot", "site", "--format", "json"], folder, now)
        size = json.loads(cost.output)["bytes"] / 1_000_000
        yield f"snapshot {generation + 1}: {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory, {size:.1f} MB on disk"
    now = str(start + GENERATIONS * 86_400)
    for form in ("text", "json"):
        cost = measured(["diff", "site@previous", "site@latest", "--format", form], folder, now)
        yield f"diff ({form}): {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory"
    summary: dict[str, Any] = json.loads(cost.output)["summary"]
    assert summary == expected(total)._asdict(), (summary, expected(total))
    yield f"exact: {summary}"
    cost = measured(["history", "site", "--format", "json"], folder, now)
    yield f"history: {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory"
    cost = measured(["history", url_of(0), "--format", "json"], folder, now)
    yield f"history URL: {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory"


def run_stored(folder: Path, total: int) -> Iterator[str]:
    from urlset.snapshots.series import series_of

    series = series_of(folder / ".urlset", str(folder / "site"))
    series.folder.mkdir(parents=True)
    start = 1_794_744_000
    for generation in (1, 2):
        path, taken = series.free_path(datetime.fromtimestamp(start + generation * 86_400, UTC))
        write_stored(path, generation, total, taken.isoformat())
    now = str(start + 3 * 86_400)
    cost = measured(["diff", "site@previous", "site@latest", "--format", "json"], folder, now)
    yield f"diff: {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory"
    found: dict[str, Any] = json.loads(cost.output)["summary"]
    hundred = total // 100
    changed = total // 50
    unchanged = total - 2 * hundred + hundred - changed
    want = Expected(hundred, hundred, changed, 0, 0, unchanged)
    assert found == want._asdict(), (found, want)
    yield f"exact: {found}"
    cost = measured(["history", "site", "--format", "json"], folder, now)
    yield f"history: {cost.cpu:.1f} s CPU, {cost.megabytes:.0f} MB memory"


_TYPES = {"string": "VARCHAR", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "bool_": "BOOLEAN"}


def write_stored(path: Path, generation: int, total: int, taken: str) -> None:
    """The second or the third generation, as a snapshot of the target `site`."""
    moved = f"2026-11-{10 + generation:02}T06:00:00+00:00"
    last = total + generation * (total // 100)
    nulls = ", ".join(f"NULL::VARCHAR AS {name}" for name in FIELDS if name != "lastmod")
    facts = ", ".join(f"NULL::{_TYPES[kind]} AS {name}" for name, kind in FACTS.items())
    gone = ", ".join(map(str, range(1, generation + 1)))
    files = tuple(
        FileInfo(f"site/sitemap-{number}.xml", PER_FILE, dated=PER_FILE, sha256=f"{generation}-{number}")
        for number in range(-(-last // PER_FILE))
    )
    entries = total - generation * (total // 100) + generation * (total // 100)
    info = SnapshotInfo(target="site", taken=taken, entries=entries, files=files).encode().decode().replace("'", "''")
    with duckdb.connect(config={"memory_limit": "400MB", "threads": 1, "preserve_insertion_order": False}) as db:
        db.execute(f"""
            CREATE VIEW pages AS
            SELECT
                'site/sitemap-' || (i // {PER_FILE}) || '.xml' AS file,
                (i % {PER_FILE})::INTEGER AS position,
                'https://www.example.com/' || ['products', 'guides', 'news', 'brands', 'help'][i % 5 + 1]
                    || '/item-' || format('{{:x}}', hash(i) % 1000000007) || '-' || i AS loc,
                CASE WHEN i < {total} AND i % 50 = 7 THEN '{moved}'
                    ELSE '2026-0' || (i % 9 + 1) || '-1' || (i % 7) || 'T0' || (i % 10) || ':00:00+00:00' END
                    AS lastmod
            FROM range({last}) r(i) WHERE i >= {total} OR i % 100 NOT IN ({gone})""")
        db.execute(f"""
            COPY (
                SELECT file, position, loc, (hash(loc) >> 1)::BIGINT AS loc_hash, lastmod, {nulls},
                    (hash(lastmod) >> 1)::BIGINT AS fields_hash, {facts}
                FROM pages
            ) TO '{path}'
            (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000, KV_METADATA {{urlset: '{info}'}})""")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
