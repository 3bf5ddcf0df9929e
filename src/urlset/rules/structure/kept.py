"""A sitemap → what several rules want to know of it, worked out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from urlset.checking.subjects import Sitemap

Fact = TypeVar("Fact")


def kept(sitemap: Sitemap, name: str, work_out: Callable[[], Fact]) -> Fact:
    """The fact of that name; it lives and dies with the sitemap, as a cached property would."""
    facts = vars(sitemap).setdefault("_structure_facts", {})
    if name not in facts:
        facts[name] = work_out()
    return cast("Fact", facts[name])
