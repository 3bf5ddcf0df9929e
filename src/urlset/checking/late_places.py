"""A stretch of a field → its place, worked out when it is asked for and without reading the entry again."""

from __future__ import annotations

from urlset.model.columns import TEXTS
from urlset.model.place import Place

LONGEST_COUNTED = 4096
"""characters of a field that are counted anew for every place; a longer one may have thousands of faults"""
COLUMN_OF = dict(zip(("loc", "lastmod", "changefreq", "priority"), TEXTS, strict=True))


def counted_place(at: int, raw: str, start: int, end: int) -> Place:
    """Of `text[start:end]`, text being `raw` without surrounding white space; `raw` is written as its bytes at `at`."""
    lead = len(raw) - len(raw.lstrip())
    before = len(raw[: lead + start].encode())
    return Place(at + before, len(raw[lead + start : lead + end].encode()))
