"""A snapshot of 10,000,000 audited pages → server CPU of one page of results in the dashboard, by request.

python -m bench.dashboard [--urls N]      needs about 300 MB of disk and two minutes

The dashboard runs in a process of its own, as for users. What a request costs is what that process used meanwhile.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import duckdb

from urlset.reading.fingerprint import hash_of
from urlset.snapshots.parquet import FIELDS, SnapshotWriter
from urlset.snapshots.series import FileInfo, SnapshotInfo, series_of

ROOT = Path(__file__).parents[1]
MOST = 0.3
"""seconds of CPU for a page of results"""
_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    def __init__(self, state: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "urlset", "serve", "--state", str(state), "--port", "0", "--read-only"],
            stdout=subprocess.PIPE, env=environment, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.port = int(re.findall(r":(\d+)/", self.process.stdout.readline())[0])

    def get(self, path: str) -> str:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status == 200, (path, answer.status)
        return text

    @property
    def cpu(self) -> float:
        """Seconds so far, of all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def megabytes(self) -> float:
        peak = re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(peak[0]) / 1_000


def requests(total: int) -> Iterator[tuple[str, str, str]]:
    """What it is, its query, and what its answer must contain."""
    middle = total // 2
    yield "first page, no filter", "", f"{total:,} pages"
    yield "page in the middle", f"start={middle}", f"/item-{middle * 2_654_435_761 % 1_000_000_007:x}-{middle}"
    yield "state", "state=gone", f"{total // 100:,} pages"
    yield "finding", "code=A012", f"{total // 20:,} pages"
    yield "finding and state", "code=A003&state=redirected", f"{total // 50:,} pages"
    yield "one sitemap", f"file={quote(f'{TARGET}sitemap-3.xml', safe='')}", "50,000 pages"
    yield "not indexable, one status", "indexable=no&status=404", f"{total // 100:,} pages"
    yield "frequent text", "q=/guides/", "Next page"
    yield "rare text, state", "state=gone&q=zebra", "URLs searched"
    yield "text of no URL", "q=zebra", "URLs searched"
    yield "title", "title=item+77", "Next page"


def run(folder: Path, total: int) -> Iterator[str]:
    series = series_of(folder, TARGET)
    series.folder.mkdir(parents=True)
    path, taken = series.free_path(datetime(2026, 11, 15, 6, tzinfo=UTC))
    write_snapshot(path, total, taken.isoformat())
    yield f"{total:,} pages, {path.stat().st_size / 1_000_000:.0f} MB"
    server = Server(folder)
    try:
        home = f"/sites/{series.folder.name}/pages"
        server.get(home)  # loads what all requests need
        for name, query, expected in requests(total):
            before, started = server.cpu, time.perf_counter()
            text = server.get(f"{home}?{query}")
            cpu = server.cpu - before
            assert expected in text or total < 10_000_000, (name, expected)
            yield f"{name}: {cpu:.2f} s CPU, {time.perf_counter() - started:.2f} s"
            assert cpu < MOST, name
        yield from _search(server, home, total)
        yield f"peak memory {server.megabytes:.0f} MB"
    finally:
        server.process.terminate()
        server.process.wait(10)


def _search(server: Server, home: str, total: int) -> Iterator[str]:
    """The URL of one page, searched to the end as the browser does: request after request."""
    wanted = url_of(min(NEEDLE, total - 1))
    before, count, query = server.cpu, 0, f"?q={quote(wanted, safe='')}"
    found = False
    while query:
        text = server.get(f"{home}{query}")
        count += 1
        found = found or wanted.removeprefix(TARGET.removesuffix("/")) in text.partition('id="results"')[2]
        onward = re.search(r'class="button" href="[^"?]*(\?[^"]+)"', text)
        query = onward[1].replace("&amp;", "&") if onward else ""
    assert found
    yield f"one URL in all rows: {count} requests, {server.cpu - before:.2f} s CPU"


def main(arguments: list[str]) -> int:
    total = int(arguments[arguments.index("--urls") + 1]) if "--urls" in arguments else 10_000_000
    with tempfile.TemporaryDirectory() as name:
        for line in run(Path(name), total):
            print(line, flush=True)
    return 0


TARGET = "https://www.example.com/"
PER_FILE = 50_000
BATCH = 100_000
SECTIONS = ("products", "guides", "news", "brands", "help")
NEEDLE = 7_654_321
"""the number of one page that a search must find"""


def url_of(number: int) -> str:
    return f"{TARGET}{SECTIONS[number % 5]}/item-{number * 2_654_435_761 % 1_000_000_007:x}-{number}"


def write_snapshot(path: Path, total: int, taken: str) -> None:
    """Every 50th page redirects, every 100th is gone, every 20th names another canonical."""
    nulls = ", ".join(f"NULL::VARCHAR AS {name}" for name in FIELDS if name != "lastmod")
    writer = SnapshotWriter(path, to_keep=True)
    with duckdb.connect(config={"threads": 1}) as db:
        db.create_function("loc_hash", hash_of, ["VARCHAR"], "BIGINT")
        for start in range(0, total, BATCH):
            table = db.sql(f"""
                SELECT '{TARGET}sitemap-' || (i // {PER_FILE}) || '.xml' AS file, (i % {PER_FILE})::INTEGER AS position,
                    loc, loc_hash(loc) AS loc_hash,
                    '2026-0' || (i % 9 + 1) || '-1' || (i % 7) || 'T0' || (i % 10) || ':00:00+00:00' AS lastmod,
                    {nulls},
                    (hash(i % 630) >> 1)::BIGINT AS fields_hash,
                    CASE WHEN i % 100 = 0 THEN 'gone' WHEN i % 50 = 1 THEN 'redirected' ELSE 'ok' END AS state,
                    (CASE WHEN i % 100 = 0 THEN 404 ELSE 200 END)::SMALLINT AS status,
                    CASE WHEN i % 50 = 1 THEN loc || '/' END AS final_url,
                    CASE WHEN i % 20 = 3 THEN '{TARGET}' END AS canonical,
                    i % 100 <> 0 AS indexable, 'Item ' || i AS title, (i % 900)::INTEGER AS words,
                    (hash(i) >> 1)::BIGINT AS fingerprint,
                    CASE WHEN i % 100 = 0 THEN 'A001' WHEN i % 50 = 1 THEN 'A003' WHEN i % 20 = 3 THEN 'A012'
                        END AS codes,
                    '{taken}' AS seen, NULL::BOOLEAN AS indexed
                FROM (SELECT i, '{TARGET}' || ['products', 'guides', 'news', 'brands', 'help'][i % 5 + 1] || '/item-'
                    || format('{{:x}}', i * 2654435761 % 1000000007) || '-' || i AS loc
                    FROM range({start}, {min(start + BATCH, total)}) r(i))""").to_arrow_table()
            writer.add_table(table.cast(writer.schema))
    files = tuple(
        FileInfo(f"{TARGET}sitemap-{number}.xml", min(PER_FILE, total - number * PER_FILE), dated=PER_FILE)
        for number in range(-(-total // PER_FILE))
    )
    info = SnapshotInfo(
        target=TARGET,
        taken=taken,
        entries=total,
        files=files,
        states={"ok": total - total // 100 - total // 50, "redirected": total // 50, "gone": total // 100},
        findings={"A001": total // 100, "A003": total // 50, "A012": total // 20},
        audited=taken,
    )
    writer.close(info.encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
