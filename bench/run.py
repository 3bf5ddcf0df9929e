"""Every benchmark, one after the other → one table, docs/benchmarks.md, the range in README.md, and one exit code.

python bench/run.py              run all
python bench/run.py --check      the same; exit 1 if any promise is missed
python bench/run.py --quick      a first look: one round on little data, no page written
python bench/run.py check build  only these; the page is written from these and what is on record of the others

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

# A new benchmark is one more name: bench/NAME.py, run as a module, leaves .bench/results/NAME.json
BENCHMARKS = ("check", "fix", "build", "read", "scale", "million", "serving", "audit", "crawl")


def main(arguments: list[str]) -> int:
    """Benchmarks run in processes of their own, so this one stays small."""
    options = [each for each in arguments if each.startswith("-")]
    wanted = [each for each in arguments if not each.startswith("-")] or list(BENCHMARKS)
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
    command = [str(peers.python()), "-m", name, *arguments]
    return subprocess.run(command, cwd=ROOT, env=peers.environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
