"""Both scanners for tests: choose one, whatever the environment says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from urlset.reading.limits import COMPILED, PYTHON, VARIABLE, scanner

IS_BUILT = find_spec("urlset.reading.compiled") is not None
needs_compiled = pytest.mark.skipif(
    not IS_BUILT and not os.environ.get("REQUIRE_COMPILED_SCANNER"),
    reason="the compiled scanner was not built here",
)
BOTH = [PYTHON, pytest.param(COMPILED, marks=needs_compiled)]


@contextmanager
def chosen(name: str) -> Iterator[None]:
    """Everything inside is read by this scanner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, name)
        scanner.cache_clear()
        yield
    scanner.cache_clear()
