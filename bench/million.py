"""A million rows of JSON → sitemaps: our writer and our whole build, beside npm `sitemap` and Django.

python -m bench.million            measure, print, and keep .bench/results/million.json
python -m bench.million --check    the same; exit 1 if a promise is missed

The peers read rows and write files. So does our bare writer. The whole build also decides what deserves
listing, dates it, keeps a ledger, checks every file by every rule, and publishes the set in one step; its row
shows what that costs. `again` is the same build a second time, when all is known and nothing changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import samples
from bench.measure import MEGABYTE, WorkerFailedError
from bench.options import parsed
from bench.peers import environment, python
from bench.places import CACHE, NODE, ROOT
from bench.report import Result, Row, Target

NPM = ("sitemap", "9.0.1")
ROUNDS = 3
TIMES_NPM = 5.0
TIMES_DJANGO = 20.0
OVER_COMPRESSION = 1.6
MEMORY_MB = 200.0
HOST = "https://www.example.com/"


class Ran(NamedTuple):
    cpu: float
    wall: float
    peak: int


Command = Callable[[Path], list[str]]
"""the folder to write to → what to run"""

BUILD, PACKED, BARE = "urlset build", "urlset build --gzip", "zlib, level 6"
SLOW = ("django.contrib.sitemaps", "npm sitemap")
"""run once: what takes so long is hardly disturbed by others"""
AGAIN, FAST_PACKED = "urlset build, again", "urlset build --gzip with [fast]"


def run(command: Sequence[str], *, fast: bool = False) -> Ran:
    """To its end; CPU includes the children it waited for."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment(fast=fast))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise WorkerFailedError(f"{' '.join(command[:4])} ended with {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Ran(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * scale)


def contenders(source: Path) -> dict[str, Command]:
    interpreter = str(python())
    ours = [interpreter, "-m", "urlset", "build", str(source), "--base-url", HOST]

    def plain(out: Path) -> list[str]:
        return [*ours, "--out", str(out), "--state", f"{out}.state"]

    def packed(out: Path) -> list[str]:
        return [*plain(out), "--gzip"]

    found: dict[str, Command] = {
        "urlset writer": lambda out: [interpreter, "-m", "bench.builders", "writer", str(source), str(out)],
        BUILD: plain,
        PACKED: packed,
        FAST_PACKED: packed,
        "django.contrib.sitemaps": lambda out: [interpreter, "-m", "bench.builders", "django", str(source), str(out)],
    }
    modules = node_modules()
    if modules is not None:
        script = str(ROOT / "bench" / "npm_sitemap.mjs")
        found["npm sitemap"] = lambda out: ["node", script, str(modules), str(source), str(out)]
    return found


def node_modules() -> Path | None:
    """The peer from npm, installed once; None where there is no Node.js."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("npm sitemap is left out: there is no Node.js here", file=sys.stderr)
        return None
    name, version = NPM
    if not (NODE / "node_modules" / name / "package.json").exists():
        NODE.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", f"{name}@{version}"], cwd=NODE, check=True
        )
    return NODE / "node_modules"


def race(commands: dict[str, Command], rounds: int) -> dict[str, list[Ran]]:
    """They take turns, and the bare compression of what our build wrote takes its turn with them."""
    runs: dict[str, list[Ran]] = {}
    for turn in range(rounds):
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="build-") as folder:
            for number, (name, command) in enumerate(commands.items()):
                if turn and name in SLOW:
                    continue
                out = Path(folder) / str(number)
                runs.setdefault(name, []).append(run(command(out), fast=name == FAST_PACKED))
                if name == BUILD:
                    packing = [str(python()), "-m", "bench.builders", "gzip", str(out), f"{folder}/packed"]
                    runs.setdefault(BARE, []).append(run(packing))
                    runs.setdefault(AGAIN, []).append(run(command(out)))
                shutil.rmtree(out)
                shutil.rmtree(f"{out}.state", ignore_errors=True)
    return runs


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "building, beside npm sitemap and Django", ROUNDS)
    count = samples.SOME if options.quick else samples.MILLION
    runs = race(contenders(samples.sample("some-rows" if options.quick else "rows")), options.rounds)
    best = {name: min(each.cpu for each in found) for name, found in runs.items()}
    rows = tuple(_row(name, found, best[BUILD], count) for name, found in runs.items())
    result = Result("million", rows, tuple(_targets(best, runs)), options.rounds, quick=options.quick)
    return options.finish(result)


def _row(name: str, runs: list[Ran], ours: float, count: int) -> Row:
    seconds = sorted(each.cpu for each in runs)
    best = seconds[0]
    gave = f"{best / count * 1e6:.1f} µs a URL, {min(each.wall for each in runs):.1f} s of wall time"
    peak = max(each.peak for each in runs) / MEGABYTE
    return Row(f"{count:,} rows", name, best, seconds[len(seconds) // 2], best / ours, peak, gave)


def _targets(best: dict[str, float], runs: dict[str, list[Ran]]) -> list[Target]:
    django, bare = best["django.contrib.sitemaps"], best[BARE]
    found = []
    for ours in ("urlset writer", BUILD):
        if "npm sitemap" in best:
            found.append(Target(f"CPU of npm sitemap in times of {ours}", TIMES_NPM, best["npm sitemap"] / best[ours]))
        found.append(Target(f"CPU of Django in times of {ours}", TIMES_DJANGO, django / best[ours]))
    peak = max(each.peak for name in (BUILD, AGAIN, PACKED) for each in runs[name]) / MEGABYTE
    over = best[PACKED] / bare
    found.append(Target(f"CPU of {PACKED} in times of bare compression", OVER_COMPRESSION, over, at_most=True))
    found.append(Target("MB of memory of a whole build, ledger included", MEMORY_MB, peak, at_most=True))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
