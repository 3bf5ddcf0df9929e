"""Every benchmark, one after the other → one table, docs/benchmarks.md, the range in README.md, and one exit code.

python bench/run.py              run all
python bench/run.py --check      the same; exit 1 if any promise is missed
python bench/run.py --quick      a first look: one round on little data, no page written
python bench/run.py --brief      what has limits: the matrix on two cores, audit and crawl, one round each
python bench/run.py matrix audit only these; the page is written from these and what is on record of the others
python bench/run.py matrix --rows 20000 --like "CSV, space"    one with its own options: see its module

Any Python 3.11 or newer can start this. Everything else runs on the interpreter of an environment made below .bench,
which has what urlset needs and the peers.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # started as a script, it knows only its own folder

from bench import peers  # noqa: E402 - as above

# A new benchmark is one more line: a module with arguments that leaves .bench/results/NAME.json
BENCHMARKS = {
    "matrix": ("bench.matrix",),
    "read": ("bench.read",),
    "scale": ("bench.scale",),
    "million": ("bench.million",),
    "serving": ("bench.serving",),
    "audit": ("bench.live", "audit"),
    "crawl": ("bench.live", "crawl"),
}
BRIEF: dict[str, tuple[str, ...]] = {"matrix": ("--jobs", "2"), "audit": ("--rounds", "1"), "crawl": ("--rounds", "1")}


def main(arguments: list[str]) -> int:
    """Benchmarks run in processes of their own, so this one stays small."""
    first = next((place for place, each in enumerate(arguments) if each.startswith("-")), len(arguments))
    wanted, options = arguments[:first] or list(BENCHMARKS), arguments[first:]
    more: dict[str, tuple[str, ...]] = {}
    if "--brief" in options:
        options.remove("--brief")
        wanted, more = list(BRIEF), BRIEF
    unknown = [each for each in wanted if each not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    try:
        peers.python()
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"the environment of the benchmarks could not be made: {error}", file=sys.stderr)
        return 2
    if not peers.build():
        print("the compiled scanner could not be built: figures are those of the reference reader", file=sys.stderr)
    quiet = [] if len(wanted) == 1 else ["--quiet"]
    codes = {name: _module(*BENCHMARKS[name], *quiet, *more.get(name, ()), *options) for name in wanted}
    broken = [name for name, code in codes.items() if code not in (0, 1)]
    is_trial = not {"--quick", "--rows", "--only", "--like", "--cases"}.isdisjoint(options)
    folder = ROOT / ".bench" / "results" / ("quick" if is_trial else "")
    results = [folder / f"{name}.json" for name in wanted if name not in broken]
    finished = [str(path) for path in results if path.exists()]
    if finished and quiet:
        _module("bench.report", *finished)
    for name in broken:
        print(f"bench.{name} broke", file=sys.stderr)
    if not broken and not is_trial:
        _module("bench.page")
    return max(codes.values())


def _module(name: str, *arguments: str) -> int:
    command = [str(peers.python()), "-m", name, *arguments]
    return subprocess.run(command, cwd=ROOT, env=peers.environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
