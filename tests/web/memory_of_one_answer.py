"""Run as a process of its own: two addresses → by how many bytes the second answer raised the peak of memory."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

CAP = 2 << 20


def peak() -> int:
    """In bytes. On Linux the peak of getrusage may be inherited from the parent process, that of /proc is our own."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def main(fine: str, heavy: str) -> None:
    options = WebOptions(
        allow_addresses=frozenset({"127.0.0.1"}),
        tries=1,
        connect_timeout=5.0,
        read_timeout=5.0,
        total_timeout=3.0,
        max_body=CAP,
    )
    async with Client(options) as client:
        warm = await client.get(fine)
        assert warm.ok, warm
        before = peak()
        await client.get(heavy)
        sys.stdout.write(f"{peak() - before}\n")


if __name__ == "__main__":
    run(main(*sys.argv[1:3]))
