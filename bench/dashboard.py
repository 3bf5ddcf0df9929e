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

from bench.dashboard_rows import NEEDLE, TARGET, url_of, write_snapshot
from urlset.snapshots.series import series_of

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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
