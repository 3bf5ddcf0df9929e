"""Commands in processes of their own → the modules they load, and the CPU time that the shortest of them take."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

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
NEEDED_BY_FEW = frozenset(
    {"asyncio", "concurrent", "difflib", "email", "html", "multiprocessing", "socket", "subprocess"}
)
"""of the standard library, and dear: for dates in headers, entities, misspelt names, git, worker processes"""
OTHER_SOURCES = frozenset(
    {
        *("urlset.building.extras", "urlset.reading.html", "urlset.workflows.crawl"),
        *(f"urlset.building.sources.{name}" for name in ("crawled", "folder", "sitemaps", "sql")),
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

SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a</loc><lastmod>2026-01-02</lastmod></url>
</urlset>
"""


NOT_FOR_ONE_PLAIN_FILE = {
    *("shutil", "tempfile", "random", "traceback"),
    *("urlset.checking.baseline", "urlset.checking.live_page", "urlset.checking.media_signals"),
    *("urlset.fixing.choose", "urlset.fixing.roots", "urlset.reading.robots", "urlset.reading.text"),
    "urlset.writing.files",
}


def cpu_of(command: list[str], compiled: Path) -> float:
    """User and system seconds of one child process, as the kernel counted them. `compiled` keeps its byte code."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(compiled), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def loaded_by(*arguments: str, folder: Path | None = None) -> set[str]:
    """The names of all modules that a command has loaded when it is done."""
    command = [sys.executable, "-c", LIST_MODULES, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert run.stdout.strip()
    loaded = set(json.loads(run.stderr.splitlines()[-1]))
    assert "click" in loaded
    return loaded


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["ls", "--help"], ["info", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert sorted(packages(loaded_by(*arguments)) & HEAVY) == []


def test_a_check_of_one_file_loads_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    loaded = loaded_by("check", "sitemap.xml", "--at", "https://example.com/sitemap.xml", folder=tmp_path)
    assert "urlset.rules.catalogue" in loaded
    assert sorted(packages(loaded) & (NEEDED_BY_FEW | {"tomllib"} | HEAVY - {"ada_url", "cffi"})) == []
    assert sorted(loaded & NOT_FOR_ONE_PLAIN_FILE) == []


def test_a_build_of_rows_loads_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"loc": "https://example.com/a", "lastmod": "2026-01-02"}\n')
    loaded = loaded_by("build", "rows.jsonl", "--base-url", "https://example.com/", "--out", "out", folder=tmp_path)
    assert "urlset.rules.catalogue" in loaded
    assert sorted(packages(loaded) & (NEEDED_BY_FEW | HEAVY - {"ada_url", "cffi", "sqlite3"})) == []
    assert sorted(loaded & OTHER_SOURCES) == []
    assert sorted(name for name in loaded if name.startswith("urlset.rules.live.")) == []


@pytest.mark.parametrize(("arguments", "seconds"), [(["--help"], 0.1), (["check", "sitemap.xml"], 0.2)])
def test_start_up_is_quick(
    arguments: list[str], seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(SITEMAP)
    quickest = min(cpu_of([sys.executable, "-m", "urlset", *arguments], tmp_path / "compiled") for _ in range(6))
    assert quickest < seconds
