"""Which scanner reads: the compiled one where it was built, or the one that URLSET_SCANNER asks for."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

VARIABLE = "URLSET_SCANNER"
PYTHON, COMPILED = "python", "compiled"


class ScannerError(RuntimeError):
    """The scanner asked for cannot be had; the text says why."""


@cache
def scanner() -> str:
    """The name of the scanner in use. Raises ScannerError for a choice that cannot be met."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", PYTHON, COMPILED):
        raise ScannerError(f"no scanner is called {wanted!r} ({VARIABLE}); known are {PYTHON!r} and {COMPILED!r}")
    if wanted == PYTHON:
        return PYTHON
    try:
        import_module("urlset.reading.compiled")
    except ImportError as error:
        if wanted == COMPILED:
            raise ScannerError(
                f"this installation has no compiled scanner, which {VARIABLE} asks for: "
                "install urlset again where a C compiler is, or unset the variable"
            ) from error
        return PYTHON
    return COMPILED


def is_compiled() -> bool:
    """Whether `urlset.reading.compiled` may be imported and is to be used."""
    return scanner() == COMPILED
