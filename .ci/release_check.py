"""`make release-check`: what a release would ship, built from the sdist, installed as users install it, and tried.

Prints one line for each step and writes nothing outside build/release. Needs the package index for the dependencies.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
TOOLS = WORK / "tools"
DIST = WORK / "dist"
LARGEST_WHEEL = 3_000_000
LARGEST_ALL = 600  # MB, with everything in the environment
LONGEST_FROM_SOURCE = {"with a compiler": 50, "without one": 15}
"""seconds of CPU, the tools and dependencies included"""
SMALL_SITE = ROOT / "docs" / "samples" / "lamps.xml"


def main() -> int:
    shutil.rmtree(WORK, ignore_errors=True)
    DIST.mkdir(parents=True)
    run(sys.executable, "-m", "venv", TOOLS)
    pinned = ROOT / "requirements" / "release.txt"
    run(TOOLS / "bin/python", "-m", "pip", "install", "-q", "--require-hashes", "-r", pinned)
    compiled, pure = distributions()
    tool("twine", "check", "--strict", *DIST.iterdir())
    said = tool("auditwheel", "show", compiled)
    tag = re.search(r'"(manylinux\w+)"', said)
    step("auditwheel", tag[1] if tag else fail(f"no manylinux tag fits: {said}"))
    for wheel in (compiled, pure):
        contents(wheel)
    resolved_for_windows(pure)
    for wheel in (compiled, pure):
        environment = WORK / f"try-{'pure' if wheel == pure else 'compiled'}"
        step(wheel.name, f"{installed(wheel, environment)}")
        smoke(environment / "bin" / "urlset", "python" if wheel == pure else "compiled")
        step("  check, build, serve", "work")
    as_tool(pure)
    (sdist,) = DIST.glob("*.tar.gz")
    for compiler, most in LONGEST_FROM_SOURCE.items():
        variables = {} if compiler == "with a compiler" else {"CC": "/nowhere/cc"}
        found = installed(sdist, WORK / f"try-sdist-{compiler[:4].strip()}", variables)
        step(f"from source {compiler}", f"{found}")
        if found.cpu > most:
            fail(f"an installation from source {compiler} may take {most} s of CPU")
    for extra in ("seo", "all"):
        found = installed(f"urlset[{extra}] @ {pure.as_uri()}", WORK / f"try-{extra}")
        step(f"urlset[{extra}]", f"{found}")
        if found.megabytes > LARGEST_ALL:
            fail(f"urlset[{extra}] may have {LARGEST_ALL} MB")
    licenses(WORK / "try-all" / "bin" / "python")
    print("everything that was tried works")
    return 0


def distributions() -> tuple[Path, Path]:
    """The sdist, and from it, not from the tree, the compiled and the pure wheel."""
    tool("pyproject-build", "--sdist", "--outdir", DIST, ROOT)
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK / "source", filter="data")
    (source,) = (WORK / "source").iterdir()
    wheels = []
    for name, pure in (("compiled", "0"), ("pure", "1")):
        before = cpu_seconds()
        made = WORK / name
        tool("pyproject-build", "--wheel", "--outdir", made, source, variables={"URLSET_PURE": pure})
        (wheel,) = made.glob("*.whl")
        wheels.append(shutil.copy(wheel, DIST))
        step(f"{name} wheel", f"{wheel.stat().st_size / 1e6:.1f} MB, {cpu_seconds() - before:.0f} s of CPU")
    compiled, pure_wheel = map(Path, wheels)
    if "-py3-none-any" in compiled.name or not pure_wheel.name.endswith("-py3-none-any.whl"):
        fail(f"the tags are wrong: {compiled.name}, {pure_wheel.name}")
    return compiled, pure_wheel


def contents(wheel: Path) -> None:
    """Only the package, with its licence, types and templates; no sources of compiled parts, no tests."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    strange = [name for name in names if not name.startswith("urlset") or name.endswith((".pyx", ".pxi", ".c", ".pyc"))]
    lacking = {"urlset/py.typed", "urlset/dashboard/static/htmx.min.js"} - set(names)
    if strange or lacking or not any(name.endswith("licenses/LICENSE") for name in names):
        fail(f"{wheel.name}: strange {strange}, lacking {lacking}, or no licence")
    if wheel.stat().st_size > LARGEST_WHEEL:
        fail(f"{wheel.name} has {wheel.stat().st_size:,} bytes; {LARGEST_WHEEL:,} are allowed")
    headers = HeaderParser().parsestr(metadata)
    released = f"## [{headers['Version']}] - " in (ROOT / "CHANGELOG.md").read_text("utf-8")
    if headers["License-Expression"] != "MIT" or not released:
        fail(f"{wheel.name}: licence {headers['License-Expression']}, version {headers['Version']} not in CHANGELOG.md")


def resolved_for_windows(wheel: Path) -> None:
    """Every dependency has a wheel for Windows; the compiled wheel itself is built there (release.yml)."""
    python = TOOLS / "bin/python"
    target = ("--target", WORK / "windows", "--platform", "win_amd64", "--python-version", "3.13")
    run(python, "-m", "pip", "install", "-q", "--dry-run", *target, "--only-binary=:all:", wheel)
    step("dependencies on Windows", "all have wheels")


class Installed(NamedTuple):
    cpu: float
    seconds: float
    megabytes: float
    packages: int
    """with urlset, without pip"""

    def __str__(self) -> str:
        spent = f"{self.cpu:.0f} s of CPU, {self.seconds:.0f} s in all"
        return f"{spent}, {self.packages} packages, {self.megabytes:.0f} MB"


def installed(wheel: Path | str, environment: Path, variables: dict[str, str] | None = None) -> Installed:
    """What an installation into a fresh environment takes; the size is that of the environment."""
    run(sys.executable, "-m", "venv", environment)
    before, began = cpu_seconds(), time.monotonic()
    python = environment / "bin/python"
    run(python, "-m", "pip", "install", "-q", "--no-cache-dir", wheel, variables=variables)
    cpu, seconds = cpu_seconds() - before, time.monotonic() - began
    listed = run(python, "-m", "pip", "list", "--format=freeze").splitlines()
    packages = [line for line in listed if not line.startswith(("pip==", "setuptools=="))]
    return Installed(cpu, seconds, size(environment), len(packages))


LIST_LICENSES = """
import importlib.metadata, json
found = {}
for each in importlib.metadata.distributions():
    stated = each.metadata.get("License-Expression") or (each.metadata.get("License") or "").partition("\\n")[0]
    marked = [line for line in each.metadata.get_all("Classifier") or [] if line.startswith("License")]
    found[each.name] = stated or ", ".join(marked)
print(json.dumps(found))
"""


def licenses(python: Path) -> None:
    """Of everything that comes with `urlset[all]`: each states one, and none asks for the source of what uses it."""
    stated: dict[str, str] = json.loads(run(python, "-c", LIST_LICENSES))
    wrong = {name: text for name, text in stated.items() if not text or re.search(r"(?<!L)GPL", text)}
    if wrong:
        fail(f"licences to look at: {wrong}")
    step("licences", f"{len(stated)} packages, {len(set(stated.values()))} texts, no GPL")


def smoke(command: Path, scanner: str) -> None:
    """`--version`, `check`, `build` and, with its extra, `serve`: each does its work."""
    if f"({scanner} scanner)" not in run(command, "--version"):
        fail(f"{command} does not use the {scanner} scanner")
    if "X010" not in run(command, "check", SMALL_SITE, allowed=(1,)):
        fail("check misses the ampersand of the sample")
    pages = WORK / "pages.csv"
    pages.write_text("loc,lastmod\n/,2026-11-01\n/lamps?a=1&b=2,\n", encoding="utf-8")
    out = WORK / f"built-{scanner}"
    run(command, "build", pages, "--base-url", "https://www.example.com/", "--out", out)
    if "a=1&amp;b=2" not in (out / "sitemap.xml").read_text("utf-8"):
        fail("build does not write the page")
    run(command.parent / "python", "-m", "pip", "install", "-q", "urlset[seo]")
    serve(command)


def serve(command: Path) -> None:
    address = "127.0.0.1:8791"
    server = subprocess.Popen([command, "serve", "--state", WORK / "state", "--host", "127.0.0.1", "--port", "8791"])
    try:
        for _ in range(100):
            time.sleep(0.2)
            try:
                with urlopen(f"http://{address}/") as answer:
                    if answer.status == 200:
                        return
            except URLError:
                continue
        fail("serve does not answer")
    finally:
        server.terminate()
        server.wait()


def as_tool(wheel: Path) -> None:
    """As people install commands: uv tool, uvx and pipx, each in folders of its own."""
    homes = {
        "UV_TOOL_DIR": str(WORK / "uv"),
        "UV_TOOL_BIN_DIR": str(WORK / "uv-bin"),
        "PIPX_HOME": str(WORK / "pipx"),
        "PIPX_BIN_DIR": str(WORK / "pipx-bin"),
    }
    tool("uv", "tool", "install", "-q", wheel, variables=homes)
    run(WORK / "uv-bin" / "urlset", "--version")
    tool("uv", "tool", "run", "-q", "--from", wheel, "urlset", "--version", variables=homes)
    tool("pipx", "install", "-q", wheel, variables=homes)
    run(WORK / "pipx-bin" / "urlset", "--version")
    step("uv tool install, uvx, pipx install", "work")


def tool(name: str, *words: object, variables: dict[str, str] | None = None) -> str:
    return run(TOOLS / "bin" / name, *words, variables=variables)


def run(*words: object, allowed: tuple[int, ...] = (0,), variables: dict[str, str] | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | (variables or {})
    done = subprocess.run([*map(str, words)], cwd=WORK, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        fail(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def size(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def step(what: str, outcome: str) -> None:
    print(f"{what}: {outcome}", flush=True)


def fail(reason: str) -> str:
    sys.exit(f"release check failed: {reason}")


if __name__ == "__main__":
    sys.exit(main())
