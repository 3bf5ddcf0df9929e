"""Sitemaps with a fault in every entry → what fixing them costs, in times of checking them.

python -m bench.fix            measure, print, and keep .bench/results/fix.json
python -m bench.fix --check    the same; exit 1 if a promise is missed

No peer fixes sitemaps, so the measure is our own check: a fix checks the file, makes the edits, reads the result, and
checks it again. CPU is net of start-up.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench import samples, shapes
from bench.check import ENOUGH, QUICK_ENTRIES, ROUNDS, Tool, tool, urlset
from bench.measure import MEGABYTE, Run, compete, note
from bench.options import Options, parsed
from bench.places import CACHE
from bench.report import Ratio, Result, Target
from bench.shapes import BY_NAME, SHAPES, Group

LIMIT = 3.0
MEMORY_MB = 300.0


def files(options: Options) -> dict[str, tuple[Path, bool]]:
    """What tables call it → the file, and whether its shape was named."""
    count = QUICK_ENTRIES if options.quick else shapes.ENTRIES
    wanted = [BY_NAME["plain"], *(shape for shape in SHAPES if shape.group is not Group.VALID)]
    found = {shape.text: (shapes.sitemap(shape, count), shape.listed) for shape in wanted}
    if not options.quick:
        found["four faults in each hundredth entry"] = (samples.sample("spotted"), False)
    return found


def fix(file: Path) -> Run:
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="fix-") as folder:
        return urlset("fix", file=Path(shutil.copy(file, folder)))


def measure(name: str, file: Path, check: Tool, fixing: Tool, options: Options, *, listed: bool) -> Ratio:
    note(f"fix: {name}")
    runs = compete({"check": partial(check.run, file), "fix": partial(fixing.run, file)}, options.rounds, ENOUGH)
    return Ratio(
        "fix",
        name,
        cpu=fixing.net(runs["fix"]),
        reference_cpu=check.net(runs["check"]),
        limit=LIMIT,
        peak_mb=max(run.peak for run in runs["fix"]) / MEGABYTE,
        listed=listed,
        stopped=any(run.stopped for run in (*runs["fix"], *runs["check"])),
    )


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments, "fixing, in times of checking", ROUNDS)
    check, fixing = tool("check"), Tool.of(fix)
    ratios = tuple(
        measure(name, file, check, fixing, options, listed=listed) for name, (file, listed) in files(options).items()
    )
    peak = max(ratio.peak_mb or 0.0 for ratio in ratios)
    memory = Target("fix: MB of memory, largest of all shapes", MEMORY_MB, peak, at_most=True)
    return options.finish(Result("fix", (), (memory,), options.rounds, quick=options.quick, ratios=ratios))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
