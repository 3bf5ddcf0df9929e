"""A range in a field → its place, computed on demand without reading the entry again."""

from __future__ import annotations

from urlset.model.columns import TEXTS
from urlset.model.place import Place

LONGEST_COUNTED = 4096
"""characters of a field that are counted again for each place; a longer one may have thousands of problems"""
COLUMN_OF = dict(zip(("loc", "lastmod", "changefreq", "priority"), TEXTS, strict=True))


def counted_place(at: int, raw: str, start: int, end: int) -> Place:
    """The place of `text[start:end]`, where text is `raw` trimmed; `raw` is written as its bytes at `at`."""
    lead = len(raw) - len(raw.lstrip())
    before = len(raw[: lead + start].encode())
    return Place(at + before, len(raw[lead + start : lead + end].encode()))
