"""A sitemap → facts that several rules need, computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from urlset.rules import Sitemap

Fact = TypeVar("Fact")


def kept(sitemap: Sitemap, name: str, work_out: Callable[[], Fact]) -> Fact:
    """The fact with that name, cached on the sitemap like a cached property."""
    facts = vars(sitemap).setdefault("_structure_facts", {})
    if name not in facts:
        facts[name] = work_out()
    return cast("Fact", facts[name])
