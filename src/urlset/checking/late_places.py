"""A stretch of a field → its place, worked out when it is asked for and without reading the entry again."""

from __future__ import annotations

from collections.abc import Callable

from urlset.model.columns import TEXTS
from urlset.model.place import Place

LONGEST_COUNTED = 4096
"""characters of a field that are counted anew for every place; a longer one may have thousands of faults"""
COLUMN_OF = dict(zip(("loc", "lastmod", "changefreq", "priority"), TEXTS, strict=True))


class Once:
    """A place that is worked out when it is first asked for."""

    __slots__ = ("_found", "_work_out")

    def __init__(self, work_out: Callable[[], Place]) -> None:
        self._work_out = work_out
        self._found: Place | None = None

    def __call__(self) -> Place:
        if self._found is None:
            self._found = self._work_out()
        return self._found


def counted_place(at: int, raw: str, start: int, end: int) -> Place:
    """Of `text[start:end]`, text being `raw` without surrounding white space; `raw` is written as its bytes at `at`."""
    lead = len(raw) - len(raw.lstrip())
    before = len(raw[: lead + start].encode())
    return Place(at + before, len(raw[lead + start : lead + end].encode()))
