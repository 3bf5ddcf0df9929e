"""A urlset command → CPU, peak memory of every process it has started, and the disk it used. Linux only."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

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
