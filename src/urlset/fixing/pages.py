"""The text of an address → the page it names, as a server would tell pages apart."""

from __future__ import annotations

from functools import lru_cache

from urlset.model.address import Address


@lru_cache(1 << 12)
def page_of(loc: str) -> str:
    """Kept for a while: one address is asked for several times when it is listed twice or renamed again."""
    return Address.parse(loc).key
