"""The text of a URL → the page it identifies, normalized as servers do."""

from __future__ import annotations

from functools import lru_cache

from urlset.model.address_key import key_of

_ESCAPED = {byte: f"%{byte:02X}" for byte in (0x20, *range(0x80, 0x100))}


@lru_cache(1 << 12)
def page_of(loc: str) -> str:
    """Cached: a URL is needed several times if it is listed twice or renamed again."""
    return key_of(loc)


def is_same_page(one: str, other: str) -> bool:
    """Fast if the other URL only has its spaces and letters escaped, as most equivalent URLs do."""
    if one.isascii() and " " not in one:
        return key_of(one) == key_of(other)
    escaped = one.encode("utf-8", "replace").decode("latin-1").translate(_ESCAPED)
    return escaped == other or key_of(one) == key_of(other)
