"""The text of an address → the page it names, as a server would tell pages apart."""

from __future__ import annotations

from functools import lru_cache

from urlset.model.address import Address


@lru_cache(1 << 16)
def page_of(loc: str) -> str:
    """Kept, because what is changed is compared twice: with what it was, and with all that is left."""
    return Address.parse(loc).key
