"""The build: pyproject.toml says everything but this: the compiled parts are built where they can be.

Without Cython or a working C compiler, or with URLSET_PURE=1, the package is pure Python (a wheel for every system): the
same results, slower on large files.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Extension, setup

SOURCES = Path("src")


def pure() -> bool:
    """Asked for, or nothing to compile with. A pre-commit hook reads few files: it would compile longer than it ever runs."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "")
    missing = sys.platform != "win32" and not (compiler and shutil.which(compiler[0]))
    return os.environ.get("URLSET_PURE", "0") not in {"", "0"} or missing or "pre-commit" in Path.cwd().parts


def translated(source: Path) -> list[Any]:
    """Cython's C for one module; nothing where that cannot be made."""
    name = ".".join(source.relative_to(SOURCES).with_suffix("").parts)
    parts = [path.as_posix() for path in sorted(source.parent.glob(f"{source.stem}_*.pxi"))]
    try:
        from Cython.Build import cythonize

        modules: list[Any] = cythonize([Extension(name, [source.as_posix()], depends=parts)], build_dir="build/cython")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - no Cython, or one that cannot do it
        print(f"{name} is left out, pure Python takes its place: {error}", file=sys.stderr)
        return []
    for module in modules:
        module.optional = True  # a compiler that fails is no error
        if "-g" not in os.environ.get("CFLAGS", "").split() and sys.platform != "win32":
            # symbols are four fifths of a module and a third of its build; -O3, the default of many interpreters, takes
            # a third more time than -O2 for the same speed of reading, checking and building
            module.extra_compile_args += ["-g0", "-O2"]
    return modules


sources = [] if pure() else sorted(SOURCES.rglob("compiled*.pyx"))
setup(ext_modules=[module for source in sources for module in translated(source)])
