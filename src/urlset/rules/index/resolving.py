"""A relative URL and its index → the intended absolute URL, if it is unambiguous."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlset.spec.lazy_module import LazyModule
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import ada_url
else:
    ada_url = LazyModule("ada_url")

_FILE_NAME = lazy_pattern(r"[\w~.-]+\.(?:xml|txt|gz|rss|atom)(?:[?].*)?", re.IGNORECASE)
_FOLDERS = lazy_pattern(r"\.{0,2}/(?!/)\S*|[\w~-]+/\S*")


def resolved(loc: str, base: str) -> str | None:
    """None if the text could start with a host name other than the index's own."""
    try:
        own = ada_url.URL(base)
        if loc.lower().startswith((f"{own.host}/", f"www.{own.host}/")):
            return ada_url.URL(f"{own.protocol}//{loc}").href
        if loc.startswith("//") or _FILE_NAME.fullmatch(loc) or _FOLDERS.fullmatch(loc):
            return ada_url.URL(loc, base=base).href
    except ValueError:
        return None
    return None
