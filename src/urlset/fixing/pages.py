"""The text of a URL → the page it identifies, normalized as servers do."""

from __future__ import annotations

from functools import lru_cache

from urlset.model.address import Address


@lru_cache(1 << 12)
def page_of(loc: str) -> str:
    """Cached: a URL is needed several times if it is listed twice or renamed again."""
    return Address.parse(loc).key
