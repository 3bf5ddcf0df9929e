"""`make bench` on a fresh machine: it starts with nothing but the standard library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.run import BENCHMARKS

ROOT = Path(__file__).parents[2]


def test_it_starts_without_any_package() -> None:
    """Benchmarks of live sites imported msgspec with the interpreter that make found."""
    command = [sys.executable, "-S", "-E", "bench/run.py", "nonsense"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == f"no benchmark nonsense; there are {', '.join(BENCHMARKS)}\n"


def test_every_benchmark_is_a_module_with_a_place_on_the_page() -> None:
    from bench.page import ABOUT, TITLES

    assert list(TITLES) == list(ABOUT) == list(BENCHMARKS)
    assert all((ROOT / f"{module.replace('.', '/')}.py").is_file() for module, *_ in BENCHMARKS.values())
