"""A million rows of JSON → sitemaps: our writer and our whole build, beside npm `sitemap` and Django.

python -m bench.million            measure, print, and keep .bench/results/million.json
python -m bench.million --check    the same; exit 1 if a promise is missed
python -m bench.million writer|django|compress SOURCE OUT    one of the contenders, in a process of its own

The peers read rows and write files. So does our bare writer. The whole build also decides what deserves
listing, dates it, keeps a ledger, checks every file by every rule, and publishes the set in one step; its row
shows what that costs. `again` is the same build a second time, when all is known and nothing changes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bench import samples
from bench.measure import MEGABYTE, WorkerFailedError
from bench.peers import CACHE, NODE, ROOT, environment, python
from bench.report import Result, Row, Target, parsed

NPM = ("sitemap", "9.0.1")
ROUNDS = 3
TIMES_NPM = 5.0
TIMES_DJANGO = 20.0
OVER_COMPRESSION = 1.6
MEMORY_MB = 200.0
HOST = "https://www.example.com"
ENTRIES = 45_000


class Ran(NamedTuple):
    cpu: float
    wall: float
    peak: int


Command = Callable[[Path], list[str]]
"""the folder to write to → what to run"""

BUILD, PACKED, BARE = "urlset build", "urlset build --gzip", "zlib, level 6"
SLOW = ("django.contrib.sitemaps", "npm sitemap")
"""run once: what takes so long is hardly disturbed by others"""
AGAIN = "urlset build, again"


def run(command: Sequence[str]) -> Ran:
    """To its end; CPU includes the children it waited for."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise WorkerFailedError(f"{' '.join(command[1:4])} ended with {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Ran(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * scale)


def contenders(source: Path) -> dict[str, Command]:
    interpreter = str(python())
    ours = [interpreter, "-m", "urlset", "build", str(source), "--base-url", f"{HOST}/"]

    def plain(out: Path) -> list[str]:
        return [*ours, "--out", str(out), "--state", f"{out}.state"]

    def packed(out: Path) -> list[str]:
        return [*plain(out), "--gzip"]

    found: dict[str, Command] = {
        "urlset writer": lambda out: [interpreter, "-m", "bench.million", "writer", str(source), str(out)],
        BUILD: plain,
        PACKED: packed,
        "django.contrib.sitemaps": lambda out: [interpreter, "-m", "bench.million", "django", str(source), str(out)],
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
                runs.setdefault(name, []).append(run(command(out)))
                if name == BUILD:
                    packing = [str(python()), "-m", "bench.million", "compress", str(out), f"{folder}/packed"]
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


# Contenders: JSON rows → files of 45,000 entries and their index.


def writer(source: Path, out: Path) -> None:
    """Ours, with nothing around it: no ledger, no policy, no check."""
    import msgspec

    entry = import_module("urlset.model.entry").Entry
    write_urlset = import_module("urlset.writing.urlset").write_urlset
    index = import_module("urlset.writing.urlset")
    child = import_module("urlset.model.entry").IndexEntry
    with source.open("rb") as file:
        rows = map(msgspec.json.Decoder(entry).decode, file)
        names: list[str] = []
        while some := list(islice(rows, ENTRIES)):
            names.append(f"sitemap-{len(names) + 1}.xml")
            with (out / names[-1]).open("wb") as target:
                target.writelines(write_urlset(some))
    with (out / "sitemap.xml").open("wb") as target:
        target.writelines(index.write_index(child(f"{HOST}/{name}") for name in names))


def django(source: Path, out: Path) -> None:
    """A Sitemap class and the template that comes with it, as the view renders them; all rows are held by it."""
    settings = import_module("django.conf").settings
    settings.configure(
        INSTALLED_APPS=["django.contrib.sitemaps"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        USE_TZ=True,
    )
    import_module("django").setup()
    base: Any = import_module("django.contrib.sitemaps").Sitemap
    template = import_module("django.template.loader").get_template("sitemap.xml")

    class Shop(base):  # type: ignore[misc]
        limit = ENTRIES
        protocol = "https"

        def items(self) -> list[dict[str, Any]]:
            return rows

        def location(self, item: dict[str, Any]) -> str:
            path: str = item["loc"][len(HOST) :]
            return path

        def lastmod(self, item: dict[str, Any]) -> datetime:
            return datetime.fromisoformat(item["lastmod"])

    class Site:
        domain = HOST.removeprefix("https://")

    with source.open("rb") as file:
        rows = [json.loads(line) for line in file]
    sitemap = Shop()
    for page in sitemap.paginator.page_range:
        urls = sitemap.get_urls(page=page, site=Site, protocol="https")
        (out / f"sitemap-{page}.xml").write_text(template.render({"urlset": urls}), encoding="utf-8")


def compress(folder: Path, out: Path) -> None:
    for path in sorted(folder.glob("*.xml")):
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        with path.open("rb") as source, (out / f"{path.name}.gz").open("wb") as target:
            target.writelines(_packed(source, packer))


def _packed(source: Any, packer: Any) -> Iterator[bytes]:
    while piece := source.read(1 << 16):
        yield packer.compress(piece)
    yield packer.flush()


WRITERS = {"writer": writer, "django": django, "compress": compress}

if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in WRITERS:
        name, source, out = sys.argv[1:]
        Path(out).mkdir(parents=True, exist_ok=True)
        WRITERS[name](Path(source), Path(out))
    else:
        sys.exit(main(sys.argv[1:]))
