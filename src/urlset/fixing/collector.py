"""Nothing → a block of work in which garbage collection looks at new objects only.

All fixes of a file are alive at once: full collections would scan them repeatedly and free none. That was 40% of the
time of a fix. Entries and their media refer to each other, so they are collected while they are new.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000
_NEVER = 1 << 30


@contextmanager
def only_new_collected() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, _NEVER, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
