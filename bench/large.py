"""Millions of URLs in gz files → CPU, memory of every process and disk of check, build and diff, on any executor.

python -m bench.large make FOLDER --urls 100e6         write the sitemaps, and a second state to compare with
python -m bench.large run FOLDER check build diff      measure each command; one line of JSON each
python -m bench.large run FOLDER build again update    a first build, the next one, and one of the second state
python -m bench.large run FOLDER check --executor ray                 with the start of a cluster
python -m bench.large run FOLDER check --executor ray --cluster       on a running one
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from bench.samples import AISLES, CORE, HOST, WORDS, index, make_file

PER_FILE = 50_000
DUPLICATES = 1_000
"""URLs of the last file, each of which is in another file too"""
CHANGED_FILES = 10
"""of the second state; the others are the same files"""
CHANGED_ROWS = 300
MARK = b"/shop/"
ABOUT = "about.json"
COMMANDS = ("check", "build", "again", "update", "diff")
FINDINGS = 1


def entries(count: int = PER_FILE) -> Iterator[bytes]:
    for number in range(count):
        mixed = number * 2_654_435_761 % 4_294_967_296
        words = "-".join(WORDS[mixed >> shift & 31] for shift in range(0, 15 + mixed % 3 * 5, 5))
        aisle = AISLES[(mixed >> 11) % len(AISLES)]
        day = f"{2019 + number % 7}-{1 + mixed % 12:02d}-{1 + number % 28:02d}"
        loc = f"{HOST}{MARK.decode()}{aisle}/{words}-{number}"
        yield f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{day}</lastmod>\n  </url>\n".encode()


def _document(body: bytes) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {CORE}>\n'.encode() + body + b"</urlset>\n"


def _name(number: int) -> str:
    return f"sitemap-{number:05d}.xml.gz"


def _of_file(body: bytes, number: int) -> bytes:
    """One body serves all files: each has its own folder in it."""
    return body.replace(MARK, b"/shop%05d/" % number)


def _write(path: Path, body: bytes) -> None:
    path.write_bytes(gzip.compress(_document(body), compresslevel=1, mtime=0))


def _make_file(old: Path, new: Path, body: bytes, number: int) -> None:
    mine = _of_file(body, number)
    _write(old / _name(number), mine)
    rows = mine.split(b"  </url>\n")[:-1]
    if number >= CHANGED_FILES or len(rows) <= CHANGED_ROWS:
        os.link(old / _name(number), new / _name(number))
        return
    rows = rows[100:] + [row.replace(b"</loc>", b"-new</loc>") for row in rows[:100]]
    rows[:200] = [row.replace(b"<lastmod>20", b"<lastmod>19") for row in rows[:200]]
    _write(new / _name(number), b"  </url>\n".join((*rows, b"")))


def make(folder: Path, urls: int, per_file: int = PER_FILE) -> None:
    """`old` with some URLs listed twice, and `new`, where 10 files have 100 new URLs, 100 less and 200 other dates."""
    old, new = folder / "old", folder / "new"
    for each in (old, new):
        each.mkdir(parents=True)
    rows = list(entries(per_file))
    files = max(1, urls // per_file)
    twice = min(DUPLICATES, per_file)
    body = b"".join(rows)
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(partial(_make_file, old, new, body), range(files), chunksize=8))
    again = b"".join(_of_file(rows[number], number * files // twice) for number in range(twice))
    _write(old / _name(files), again)
    os.link(old / _name(files), new / _name(files))
    for each in (old, new):
        make_file(each / "sitemap.xml", index(_name(number) for number in range(files + 1)))
    (folder / ABOUT).write_text(json.dumps({"urls": files * per_file + twice, "files": files + 1}))


def arguments(command: str, folder: Path, work: Path, executor: str, jobs: int) -> list[str]:
    where = ["--executor", executor, "--jobs", str(jobs)]
    old, new = folder / "old", folder / "new"
    if command == "check":
        return ["check", str(old / "sitemap.xml"), "--root", str(old), "--format", "json", *where]
    if command == "diff":
        return ["diff", str(old), str(new), "--format", "json", *where]
    source = (new if command == "update" else old) / "sitemap.xml"
    state = ["--out", str(work / "public"), "--state", str(work / "state")]
    return ["build", str(source), "--base-url", f"{HOST}/", "--gzip", "--format", "json", *state, *where]


def run(command: str, folder: Path, executor: str, jobs: int, *, running: bool = False) -> dict[str, object]:
    is_next = command in ("again", "update")
    work = folder / f"work-{'build' if is_next else command}-{executor}"
    shutil.rmtree(work / "temporary" if is_next else work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    output = work / "output"
    given = arguments(command, folder, work, executor, jobs)
    if running:
        with cluster() as (owner, address):
            found = measured([*given, "--ray-address", address], output, work, owner)
    else:
        found = measured(given, output, work)
    public = work / "public"
    files = sorted(public.iterdir()) if public.is_dir() else [output]
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    about = json.loads((folder / ABOUT).read_text())
    return {
        "command": command,
        "executor": "ray, running" if running else executor,
        "jobs": jobs,
        **about,
        "us_per_url": round(found.cpu / about["urls"] * 1e6, 3),
        **found._asdict(),
        "result": digest.hexdigest()[:16],
        "output_bytes": sum(path.stat().st_size for path in files),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("make", "run"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("commands", nargs="*", choices=(*COMMANDS, []), default=[])
    parser.add_argument("--urls", type=float, default=1e6)
    parser.add_argument("--per-file", type=int, default=PER_FILE)
    parser.add_argument("--executor", default="process")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, int(given.urls), given.per_file)
        return 0
    for command in given.commands or COMMANDS:
        row = run(command, given.folder, given.executor, given.jobs, running=given.cluster)
        print(json.dumps(row), flush=True)
        if row["code"] not in (0, FINDINGS):
            return 1
    return 0


_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAUSE = 0.25
_SETTLING = 10.0
"""seconds until a new cluster has nothing more to do"""
_KIB = 1024
_NAME = 160
"""of the command line: the arguments of Ray's node process name those of its workers"""
_SERVICES = ("raylet", "gcs_server", "ray/dashboard", "log_monitor", "Agent", "autoscaler", "bench.ray_cluster")
"""processes of a Ray cluster that run no task"""


class Measured(NamedTuple):
    code: int
    wall: float
    cpu: float
    """seconds of all processes, services of a cluster included"""
    driver_cpu: float
    services_cpu: float
    driver_bytes: int
    worker_bytes: int
    """peak resident memory of the largest; what it shares with the driver is counted"""
    workers: int
    disk_bytes: int
    """most that was in its folders at once, results included"""


class _Process(NamedTuple):
    kind: str
    cpu: float
    peak: int


@contextmanager
def cluster() -> Iterator[tuple[int, str]]:
    """A running Ray cluster: the process it belongs to, and its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "bench.ray_cluster"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        address = owner.stdout.readline().strip()
        time.sleep(_SETTLING)
        try:
            yield owner.pid, address
        finally:
            owner.stdin.close()


def measured(arguments: list[str], output: Path, work: Path, beside: int | None = None) -> Measured:
    """Run `urlset ARGUMENTS`; temporary files go below `work`, so their size can be told.

    `beside` is a process whose family works for the command: of a running cluster.
    """
    temporary = work / "temporary"
    temporary.mkdir()
    # sockets of a Ray cluster need a short path
    with tempfile.TemporaryDirectory(prefix="ray") as sockets, output.open("wb") as stream:
        variables = os.environ | {"TMPDIR": str(temporary), "RAY_TMPDIR": sockets}
        began = time.monotonic()
        driver = subprocess.Popen([sys.executable, "-m", "urlset", *arguments], stdout=stream, env=variables)
        seen: dict[int, _Process] = {}
        before = {pid: process.cpu for pid, process in _family(beside)} if beside else {}
        disk, looked = 0, 0.0
        while True:
            pid, status, usage = os.wait4(driver.pid, os.WNOHANG)
            if pid:
                break
            for pid, found in chain(_family(driver.pid), _family(beside) if beside else ()):
                peak = max(found.peak, seen.get(pid, found).peak)  # one that has just ended says nothing of it
                seen[pid] = found._replace(peak=peak, cpu=found.cpu - before.get(pid, 0.0))
            if time.monotonic() - looked > 5:
                disk, looked = max(disk, _size(work)), time.monotonic()
            time.sleep(_PAUSE)
        wall = time.monotonic() - began
        driver.returncode = os.waitstatus_to_exitcode(status)
    others = [process for pid, process in seen.items() if pid != driver.pid]
    driver_cpu = max(seen[driver.pid].cpu if driver.pid in seen else 0.0, 0.0)
    waited_for = usage.ru_utime + usage.ru_stime
    workers = [process for process in others if process.kind == "worker"]
    return Measured(
        code=driver.returncode,
        wall=round(wall, 2),
        # the driver waits for its own workers, and for nothing of a cluster
        cpu=round(max(waited_for, driver_cpu + sum(process.cpu for process in others)), 2),
        driver_cpu=round(driver_cpu, 2),
        services_cpu=round(sum(process.cpu for process in others if process.kind == "service"), 2),
        driver_bytes=seen[driver.pid].peak if driver.pid in seen else usage.ru_maxrss * _KIB,
        worker_bytes=max((process.peak for process in workers), default=0),
        workers=len(workers),
        disk_bytes=max(disk, _size(work)),
    )


def _family(parent: int) -> Iterator[tuple[int, _Process]]:
    left = [parent]
    while left:
        pid = left.pop()
        try:
            found = _look_at(pid)
            for task in Path(f"/proc/{pid}/task").iterdir():
                left += map(int, (task / "children").read_text().split())
        except (OSError, IndexError):  # it has just ended
            continue
        yield pid, found


def _look_at(pid: int) -> _Process:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    peak = sum(int(line.split()[1]) * _KIB for line in status if line.startswith("VmHWM:"))
    kind = "service" if any(map(command[:_NAME].__contains__, _SERVICES)) else "worker"
    return _Process(kind, (int(fields[11]) + int(fields[12])) / _TICKS, peak)


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder, onerror=lambda _: None):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_blocks * 512  # noqa: PTH118 - thousands of files
            except OSError:  # renamed in the meantime
                continue
    return total


if __name__ == "__main__":
    sys.exit(main())
