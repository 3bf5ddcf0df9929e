"""Pinned peers → an environment of their own, made once: they are not among our dependencies.

python -m bench.peers    make it, build the compiled parts of urlset for it, and say what is in it
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path

# Everything that benchmarks make is below one git-ignored folder.
ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".bench"
SAMPLES = CACHE / "samples"
ENVIRONMENT = CACHE / "venv"
EXTRAS = CACHE / "fast"
RESULTS = CACHE / "results"
LOGS = CACHE / "logs"
NODE = CACHE / "node"

COMPARED = {
    "scrapy": "2.19.0",
    "ultimate-sitemap-parser": "1.8.1",
    "advertools": "0.18.0",
    "lxml": "6.1.3",
    "trafilatura": "2.3.1",
    "django": "5.2.19",
}
BENEATH = {  # what the compared ones spend their time in
    "numpy": "2.4.6",
    "pandas": "3.1.1",
    "pyarrow": "26.0.1",
    "polars": "2.1.0",
    "python-dateutil": "2.9.0.post0",
    "lxml-html-clean": "0.4.6",
    "psycopg": "3.3.8",
    "psycopg-binary": "3.3.8",
    "flask": "3.1.3",
    "fastapi": "0.162.4",
    "sqlalchemy": "2.1.8",
    "greenlet": "3.5.6",
}
FAST = {"uvloop": "0.23.0"}
"""what the extra `scale` adds, kept apart: what is promised is promised without it"""
OUR_NEEDS = ROOT / "requirements" / "runtime.txt"


def python() -> Path:
    """The interpreter of the finished environment; ours and the peers run on the same one."""
    wanted = _recipe()
    stamp = ENVIRONMENT / "recipe.json"
    interpreter = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"making {ENVIRONMENT.relative_to(ROOT)} with {', '.join(COMPARED)} ...", file=sys.stderr)
        _make(interpreter)
        stamp.write_text(wanted, encoding="utf-8")
    return interpreter


def environment(*, fast: bool = False) -> dict[str, str]:
    """Variables under which the interpreter finds urlset and bench of this tree, and none of the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "URLSET_"))}
    places = [str(ROOT), str(ROOT / "src"), *([str(_fast())] if fast else [])]
    return kept | {"PYTHONPATH": os.pathsep.join(places), "PYTHONHASHSEED": "0"}


def build() -> bool:
    """Whether urlset's compiled parts are there for this interpreter, built now where they are missing or old."""
    if any(map(_is_old, (ROOT / "src").rglob("compiled*.pyx"))) or not is_compiled():
        command = [str(python()), "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return is_compiled()


def _is_old(source: Path) -> bool:
    built = [path for path in source.parent.glob(f"{source.stem}.*") if path.suffix in (".so", ".pyd")]
    parts = [source, *source.parent.glob("*.pxi"), *source.parent.glob("*.pxd")]
    youngest = max(path.stat().st_mtime for path in parts)
    return not any(path.stat().st_mtime >= youngest for path in built)


def is_compiled() -> bool:
    """Whether the interpreter of the benchmarks runs urlset with its compiled scanner."""
    said = subprocess.run(
        [str(python()), "-m", "urlset", "--version"], env=environment(), capture_output=True, text=True, check=True
    )
    return "compiled" in said.stdout


def _fast() -> Path:
    pins = [f"{name}=={version}" for name, version in FAST.items()]
    stamp = EXTRAS / "pins.json"
    if not stamp.exists() or json.loads(stamp.read_text(encoding="utf-8")) != pins:
        shutil.rmtree(EXTRAS, ignore_errors=True)
        subprocess.run([*_install(python()), "--target", str(EXTRAS), *pins], check=True)
        stamp.write_text(json.dumps(pins), encoding="utf-8")
    return EXTRAS


def _install(interpreter: Path) -> list[str]:
    return [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _recipe() -> str:
    needs = OUR_NEEDS.read_text(encoding="utf-8").splitlines()
    ours = [line.removesuffix(" \\") for line in needs if "==" in line]
    return json.dumps({"python": sys.version, "pins": COMPARED | BENEATH, "ours": ours}, indent=1)


def _make(interpreter: Path) -> None:
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    CACHE.mkdir(exist_ok=True)
    venv.create(ENVIRONMENT, with_pip=True)
    install = _install(interpreter)
    pins = [f"{name}=={version}" for name, version in (COMPARED | BENEATH).items()]
    subprocess.run([*install, "--require-hashes", "--requirement", str(OUR_NEEDS)], check=True)
    subprocess.run([*install, *pins], check=True)


def machine() -> str:
    memory = _memory()
    parts = (f"{os.cpu_count()} cores of {_processor()}", f"{memory} GB of memory" if memory else "", _system())
    return ", ".join(filter(None, parts))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, ValueError, OSError):
        return 0


def _system() -> str:
    return f"{platform.system()} on {platform.machine()}"


if __name__ == "__main__":
    python()
    print(", ".join(f"{name} {version}" for name, version in COMPARED.items()))
    print("compiled parts:", "built" if build() else "not built, pure Python takes their place")
