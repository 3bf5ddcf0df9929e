"""kill -9 at any moment of a build → the published set is a complete one, and the next run finishes the work."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT
from tests.workflows.listed_sites import BASE, ListedSite

KILLS = 15
"""fuzz/kills.py has many more"""
SECTIONS = tuple(part for name in "abcdef" for part in ("--section", f"{name}=/{name}/*"))


def pages(generation: int) -> list[str]:
    """Three in four stay from one generation to the next, and some change their section."""
    steady = [f"{'abcdef'[number % 6]}/item-{number}" for number in range(2_400)]
    moving = [f"{'abcdef'[(number + generation) % 6]}/moving-{number}" for number in range(300)]
    return sorted([*steady, *moving, *(f"a/only-{generation}-{number}" for number in range(100))])


def start(site: ListedSite) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "urlset", "build", str(site.source), "--base-url", BASE,
         "--out", str(site.out), "--state", str(site.state), *SECTIONS],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait(process: subprocess.Popen[bytes]) -> int:
    _, said = process.communicate()
    assert said == b""
    return process.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(5)
    site = ListedSite(tmp_path)
    site.offer(pages(0))
    began = time.perf_counter()
    assert wait(start(site)) == 0
    whole = time.perf_counter() - began
    complete = {0: pages(0)}
    seen = [0]
    killed = generation = 0
    while killed < KILLS:
        generation += 1
        complete[generation] = pages(generation)
        site.offer(complete[generation])
        process = start(site)
        # for the first third the interpreter only starts; what is worth stopping lies behind
        time.sleep(whole * chance.uniform(0.3, 1.0))
        process.send_signal(signal.SIGKILL)
        was_killed = wait(process) == -signal.SIGKILL
        killed += was_killed
        # other work on the machine must not decide which moments are tried
        whole *= 1.04 if was_killed else 0.85
        found = site.listed()
        # one that was decided on before it was killed is published by the run after it
        whose = [each for each in range(seen[-1], generation + 1) if complete[each] == found]
        assert whose, f"kill {generation}: neither the old set nor a newer one"
        seen.append(whose[0])
    assert len(set(seen)) > 1, "some were published, most were not"
    last = pages(generation + 1)
    site.offer(last)
    assert site.report(*SECTIONS)["published"]
    assert site.listed() == last
    assert [path.name for path in site.out.iterdir() if not path.name.startswith("sitemap")] == []
    assert site.report(*SECTIONS)["changes"]["changed"] == []
