"""The build: pyproject.toml says everything but this: the compiled parts are built where they can be.

Without Cython or a working C compiler the package installs all the same and reads in pure Python.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup

SOURCES = Path("src")


def extensions() -> list[Any]:
    return [module for source in sorted(SOURCES.rglob("compiled*.pyx")) for module in translated(source)]


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
        module.optional = True  # a compiler that is missing or fails is no error
        if "-g" not in os.environ.get("CFLAGS", "").split() and sys.platform != "win32":
            module.extra_compile_args.append("-g0")  # symbols: four fifths of a module, a third of its build
    return modules


setup(ext_modules=extensions())
