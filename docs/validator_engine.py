"""Pyodide, msgspec for WebAssembly, Jinja and urlset itself → the validator of the site, without any other server.

Each part is a script that hands over text: a page opened from a local file may load scripts, but fetch nothing. What is
downloaded (Pyodide from npm, msgspec from PyPI) has a pinned version and hash and is kept in build/validator.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
CACHE = ROOT / "build" / "validator"
STATIC = ROOT / "src" / "urlset" / "dashboard" / "static"
PYODIDE = "314.0.7"
INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""of the package on npm, as `npm view pyodide@VERSION dist.integrity` prints it"""
PLATFORM = ("pyemscripten_2026_0_wasm32", "3.14", "cp314")
SCRIPTS = ("validator.css", "validator.js", "validator_engine.js", "validator_view.js", "icon.svg")
_IMPORT_META = "import.meta.url"
LEFT_OUT = tuple(
    f"urlset/{room}/"
    for room in (
        *("building", "cli", "crawling", "dashboard", "integrations", "submitting", "testing", "watching"),
        *("workflows/audit", "workflows/build", "workflows/demo", "workflows/live"),
    )
)
"""parts of the wheel that a page never loads: 40% of it"""
COMPILE = ROOT / "docs" / "validator" / "compile.mjs"
_EXPORT = re.compile(r"export\s*\{\s*(\w+) as loadPyodide,[^}]*\};")


class EngineError(Exception):
    """Something cannot be obtained; the message says what and why it is needed."""


def write_engine(folder: Path) -> dict[str, int]:
    """Write the parts as scripts; name → bytes, in the order in which they are to be loaded. Raises EngineError."""
    package = _pyodide()
    parts = {
        "worker": gzip.compress(_worker(package).encode(), mtime=0),
        "wasm": gzip.compress((package / "pyodide.asm.wasm").read_bytes(), mtime=0),
        "stdlib": (package / "python_stdlib.zip").read_bytes(),
        "packages": _compiled(_packages(), package),
    }
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name, data in parts.items():
        script = f'urlsetPart("{name}", "{base64.b64encode(data).decode()}");\n'
        (folder / f"{name}.js").write_text(script, encoding="ascii")
        sizes[name] = len(script)
    return sizes


def _pyodide() -> Path:
    """The unpacked package, from the cache or from npm."""
    package = CACHE / f"pyodide-{PYODIDE}"
    if package.is_dir():
        return package
    npm = shutil.which("npm")
    if npm is None:
        raise EngineError("the validator needs Pyodide from npm, and npm is not installed: install Node.js with npm")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", "--silent", "--pack-destination", folder, f"pyodide@{PYODIDE}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S603 - fixed words
        archive = Path(folder) / f"pyodide-{PYODIDE}.tgz"
        if done.returncode or not archive.is_file():
            reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            raise EngineError(
                f"the validator needs pyodide {PYODIDE} from npm, which could not be downloaded: {reason}"
            )
        data = archive.read_bytes()
        found = f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"
        if found != INTEGRITY:
            raise EngineError(f"pyodide {PYODIDE} from npm is not the pinned file: {found}")
        unfinished = Path(folder) / "unpacked"
        with tarfile.open(fileobj=io.BytesIO(data)) as opened:
            opened.extractall(unfinished, filter="data")
        CACHE.mkdir(parents=True, exist_ok=True)
        shutil.move(unfinished / "package", package)
    return package


def _worker(package: Path) -> str:
    """Pyodide and docs/validator/worker.js as one classic script.

    A page from a local file may start a worker from a blob only if it is no module, and Pyodide refuses a worker that
    has `importScripts`.
    """
    module = (package / "pyodide.asm.mjs").read_text(encoding="utf-8")
    loader = (package / "pyodide.mjs").read_text(encoding="utf-8")
    exported = _EXPORT.search(loader)
    default = "export default _createPyodideModule;"
    if exported is None or default not in module:
        raise EngineError(f"pyodide {PYODIDE} is built in another way than docs/validator_engine.py expects")
    loader = loader.replace(exported[0], f"return {exported[1]};")
    lock = json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))
    parts = [
        "self.importScripts = undefined;",
        module.replace(default, "").replace(_IMPORT_META, "location.href"),
        f"const loadPyodide = (() => {{\n{loader.replace(_IMPORT_META, 'location.href')}\n}})();",
        f"const PYODIDE_LOCK = {json.dumps({'info': lock['info'], 'packages': {}})};",
        (ROOT / "docs" / "validator" / "worker.js").read_text(encoding="utf-8"),
    ]
    return re.sub(r"^//# sourceMappingURL=.*$", "", "\n".join(parts), flags=re.MULTILINE)


def _packages() -> bytes:
    """The pure wheel of this tree, msgspec, and the Python files of Jinja and MarkupSafe, as one zip file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for wheel in (_own_wheel(), _msgspec()):
            with zipfile.ZipFile(wheel) as opened:
                for name in sorted(opened.namelist()):
                    if not name.startswith(LEFT_OUT):
                        _add(archive, name, opened.read(name))
        for package in ("jinja2", "markupsafe"):
            found = find_spec(package)
            assert found is not None
            assert found.origin is not None
            folder = Path(found.origin).parent
            for path in sorted(folder.rglob("*.py")):
                _add(archive, f"{package}/{path.relative_to(folder).as_posix()}", path.read_bytes())
    return made.getvalue()


def _compiled(packages: bytes, package: Path) -> bytes:
    """The same with bytecode instead of sources, made by Pyodide itself in Node.js: it starts a second earlier.

    Without Node.js the sources are used.
    """
    node = shutil.which("node")
    if node is None:
        return packages
    known = hashlib.sha256(packages + COMPILE.read_bytes()).hexdigest()[:16]
    made = CACHE / f"compiled-{known}.zip"
    if not made.is_file():
        for old in CACHE.glob("compiled-*.zip"):
            old.unlink()
        with tempfile.TemporaryDirectory() as folder:
            given, result = Path(folder) / "packages.zip", Path(folder) / "compiled.zip"
            given.write_bytes(packages)
            command = [node, str(COMPILE), str(package), str(given), str(result)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
                raise EngineError(f"the packages of the validator could not be compiled: {reason}")
            shutil.move(result, made)
    return made.read_bytes()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """With a fixed date, so an unchanged site is the same file."""
    if not name.endswith("/"):
        archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _own_wheel() -> Path:
    """Built from a copy, because a build leaves files in the tree; only again after a change."""
    sources = [path for path in sorted((ROOT / "src").rglob("*")) if path.is_file() and _belongs(path)]
    known = hashlib.sha256()
    for path in (*sources, ROOT / "setup.py", ROOT / "pyproject.toml"):
        known.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    folder = CACHE / f"wheel-{known.hexdigest()[:16]}"
    if not folder.is_dir():
        for old in CACHE.glob("wheel-*"):
            shutil.rmtree(old)
        with tempfile.TemporaryDirectory() as copied:
            for path in (*sources, *(ROOT / name for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"))):
                target = Path(copied) / path.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
            built = Path(copied) / "built"
            _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built), copied, pure=True)
            CACHE.mkdir(parents=True, exist_ok=True)
            shutil.move(built, folder)
    return next(folder.glob("urlset-*-none-any.whl"))


def _belongs(path: Path) -> bool:
    return path.suffix not in {".pyc", ".so", ".pyd", ".c"} and "egg-info" not in str(path)


def _msgspec() -> Path:
    """The wheel for WebAssembly, with the pin and the hashes of requirements/runtime.txt."""
    pins = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    pin = re.search(r"^msgspec==\S+ \\\n(?:    --hash=\S+(?: \\)?\n?)+", pins, re.MULTILINE)
    assert pin is not None
    folder = CACHE / f"msgspec-{hashlib.sha256(pin[0].encode()).hexdigest()[:16]}"
    if not folder.is_dir():
        platform, version, abi = PLATFORM
        with tempfile.TemporaryDirectory() as scratch:
            wanted = Path(scratch) / "msgspec.txt"
            wanted.write_text(pin[0], encoding="utf-8")
            where = ("--platform", platform, "--python-version", version, "--implementation", "cp", "--abi", abi)
            options = ("--no-deps", "--require-hashes", "--only-binary=:all:", "--dest", f"{scratch}/wheel")
            _pip("download", *options, *where, "--requirement", str(wanted))
            CACHE.mkdir(parents=True, exist_ok=True)
            shutil.move(f"{scratch}/wheel", folder)
    return next(folder.glob("msgspec-*wasm32.whl"))


def _pip(*arguments: str, pure: bool = False) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    environment = os.environ | ({"URLSET_PURE": "1"} if pure else {})
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        raise EngineError(f"the validator needs a wheel that could not be made: pip {arguments[0]}: {reason}")
