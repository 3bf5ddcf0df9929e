"""What reads: the compiled scanner where it was built, or what URLSET_SCANNER requests; `python` is the reference."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

VARIABLE = "URLSET_SCANNER"
PYTHON, COMPILED = "python", "compiled"


class ScannerError(RuntimeError):
    """The requested scanner is not available; the text says why."""


@cache
def scanner() -> str:
    """The name of the scanner in use. Raises ScannerError for a choice that cannot be met."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", PYTHON, COMPILED):
        raise ScannerError(f"unknown scanner {wanted!r} ({VARIABLE}); use {PYTHON!r} or {COMPILED!r}")
    if wanted == PYTHON:
        return PYTHON
    try:
        import_module("urlset.reading.compiled")
    except ImportError as error:
        if wanted == COMPILED:
            raise ScannerError(
                f"{VARIABLE} requests the compiled scanner, which is not installed: "
                "reinstall urlset with a C compiler, or unset the variable"
            ) from error
        return PYTHON
    return COMPILED


def is_compiled() -> bool:
    """Whether `urlset.reading.compiled` may be imported and is to be used."""
    return scanner() == COMPILED
