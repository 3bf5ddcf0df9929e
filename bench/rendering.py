"""Pages that scripts fill → CPU, memory and time a page of the browser and of urlset: `python -m bench.rendering`."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.auditing.script_pages import FILL, SHELLS
from urlset.model.answer import Answer
from urlset.testing import PageAnswer, Site
from urlset.web.browser import Browser
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

PAGES = 60
_TICKS = os.sysconf("SC_CLK_TCK")


class Tree:
    """CPU and proportional memory of the processes below this one, sampled while they run."""

    def __init__(self) -> None:
        self._cpu: dict[int, float] = {}
        self.most_memory = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.25):
            self.sample()

    def sample(self) -> float:
        memory = 0
        for process in _below(os.getpid()):
            try:
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            except OSError:
                continue
            self._cpu[process] = (int(fields[11]) + int(fields[12])) / _TICKS
            memory += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
        self.most_memory = max(self.most_memory, memory)
        return sum(self._cpu.values())

    def close(self) -> None:
        self._ended.set()
        self._thread.join()


def _below(parent: int) -> Iterator[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                above = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(above, []).append(int(entry.name))
    waiting = [parent]
    while waiting:
        children = parents.get(waiting.pop(), [])
        yield from children
        waiting += children


async def measured(site: Site, tree: Tree) -> dict[str, float]:
    shells = [page for page in SHELLS if page.name in ("inline-shell", "file-shell", "late-shell", "shadow-shell")]
    answers = [
        Answer(
            site.url(f"{page.path}-{number}"),
            final_url=site.url(f"{page.path}-{number}"),
            status=200,
            headers=(("content-type", "text/html; charset=utf-8"),),
            body=page.html.encode(),
        )
        for number in range(PAGES // len(shells))
        for page in shells
    ]
    web = WebOptions(allow_private=True)
    async with Client(web, named=[site.url("/")]) as client, Browser(client) as browser:
        began = time.monotonic()
        await browser.render(answers[0])
        started, cpu, own = time.monotonic(), tree.sample(), time.process_time()
        found = await asyncio.gather(*map(browser.render, answers))
        assert all("of brass" in each.html for each in found)
        return {
            "start, s": started - began,
            "start, CPU s": cpu,
            "browser CPU a page, s": (tree.sample() - cpu) / len(answers),
            "urlset CPU a page, s": (time.process_time() - own) / len(answers),
            "time a page, s": (time.monotonic() - started) / len(answers),
            "most memory, MB": tree.most_memory / 1024,
        }


if __name__ == "__main__":
    with Site({"/fill.js": PageAnswer(body=FILL, type="text/javascript")}) as served:
        watched = Tree()
        try:
            for name, value in run(measured(served, watched)).items():
                print(f"{name:<24} {value:8.2f}")
        finally:
            watched.close()
