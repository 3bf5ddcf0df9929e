"""Every benchmark, one after the other → one table, docs/benchmarks.md, and one exit code.

python bench/run.py              run all
python bench/run.py --check      the same; exit 1 if any promise is missed
python bench/run.py --quick      a first look in some minutes: few rounds, small sites, no page written
python bench/run.py read crawl   only these
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A new benchmark is one more name: bench/NAME.py, run as a module, leaves .bench/results/NAME.json
BENCHMARKS = ("read", "check", "fix", "build", "audit", "crawl")


def main(arguments: list[str]) -> int:
    """Benchmarks run in processes of their own, so this one needs no path to the others and stays small."""
    options = [each for each in arguments if each.startswith("-")]
    wanted = [each for each in arguments if each in BENCHMARKS] or list(BENCHMARKS)
    if _module("bench.peers") != 0:
        return 2
    codes = {name: _module(f"bench.{name}", "--quiet", *options) for name in wanted}
    broken = [name for name, code in codes.items() if code not in (0, 1)]
    folder = ROOT / ".bench" / "results" / ("quick" if "--quick" in options else "")
    results = [folder / f"{name}.json" for name in wanted if name not in broken]
    finished = [str(path) for path in results if path.exists()]
    if finished:
        _module("bench.report", *finished)
    for name in broken:
        print(f"bench.{name} broke", file=sys.stderr)
    if not broken and "--quick" not in options:
        _module("bench.page")
    return max(codes.values())


def _module(name: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", name, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
