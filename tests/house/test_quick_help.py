"""`urlset --help` in a process of its own → the modules it loads and the CPU time it takes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest

CPU_SECONDS = 0.150
HEAVY = frozenset(
    {
        "ada_url",
        "aiohttp",
        "asyncio",
        "cffi",
        "duckdb",
        "jinja2",
        "lxml",
        "multiprocessing",
        "numpy",
        "pandas",
        "polars",
        "pyarrow",
        "ray",
        "rich",
        "selectolax",
        "sqlite3",
        "starlette",
        "uvicorn",
    }
)

LIST_MODULES = """
import json, runpy, sys
sys.argv = ["urlset", *sys.argv[1:]]
try:
    runpy.run_module("urlset", run_name="__main__", alter_sys=True)
except SystemExit as done:
    assert not done.code, done.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def cpu_of(*command: str) -> float:
    """User and system seconds of one child process, as the kernel counted them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["ls", "--help"], ["info", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    command = [sys.executable, "-c", LIST_MODULES, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip()
    loaded = {name.partition(".")[0] for name in json.loads(run.stderr.splitlines()[-1])}
    assert "click" in loaded
    assert sorted(loaded & HEAVY) == []


def test_help_is_quick() -> None:
    quickest = min(cpu_of(sys.executable, "-m", "urlset", "--help") for _ in range(5))
    assert quickest < CPU_SECONDS
