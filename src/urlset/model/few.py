"""Many texts → the first of them in one line, and how many more there are."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice


def few(texts: Collection[str], most: int, *, joined: str = ", ") -> str:
    """`a, b and 3 more`"""
    return f"{joined.join(islice(texts, most))}{and_more(len(texts) - most)}"


def and_more(count: int) -> str:
    """` and 3 more`; nothing where there are none."""
    return f" and {count:,} more" if count > 0 else ""
