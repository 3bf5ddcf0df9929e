"""Two names → whether the first is a misspelling of the second."""

from __future__ import annotations

from functools import lru_cache

from urlset.spec.protocol import URL_CHILDREN

_OWN_NAMES = frozenset(name.encode() for name in ("urlset", "sitemapindex", "url", "sitemap", *URL_CHILDREN))
_ALIKE = 0.54
"""of the letters, in order: `lco` and `lastmodified` are like `loc` and `lastmod`, `link` and `date` are not"""


@lru_cache(256)
def is_misspelled(name: bytes, meant: bytes) -> bool:
    """Names of the protocol are never misspellings of each other."""
    if name.lower() in _OWN_NAMES:
        return False
    from difflib import SequenceMatcher  # slow to import, rarely needed

    return SequenceMatcher(a=name[:64].lower(), b=meant.lower()).ratio() >= _ALIKE
