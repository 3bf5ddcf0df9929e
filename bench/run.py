"""Every benchmark, one after the other → one table, and one exit code.

python bench/run.py            run all
python bench/run.py --check    the same; exit 1 if any promise is missed
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A new benchmark is one more name: bench/NAME.py, run as a module, leaves .bench/results/NAME.json
BENCHMARKS = ("read", "check", "build")


def main(arguments: list[str]) -> int:
    """Benchmarks run in processes of their own, so this one needs no path to the others and stays small."""
    codes = [_module(f"bench.{name}", "--quiet", *arguments) for name in BENCHMARKS]
    broken = [name for name, code in zip(BENCHMARKS, codes, strict=True) if code not in (0, 1)]
    finished = [f".bench/results/{name}.json" for name in BENCHMARKS if name not in broken]
    if finished:
        _module("bench.report", *finished)
    for name in broken:
        print(f"bench.{name} broke", file=sys.stderr)
    return max(codes)


def _module(name: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", name, *arguments], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
