"""An address as a source gives it → the absolute, escaped address without a fragment that a sitemap can list."""

from __future__ import annotations

from urlset.model.address import Address, percent_encode
from urlset.model.address_grammar import is_plain
from urlset.model.page import join
from urlset.spec.lazy_pattern import lazy_pattern

_UNDECODED = lazy_pattern("[\ud800-\udfff\ufffd]")


class LocError(ValueError):
    """A value that is not the address of a page."""


def to_loc(value: str, base_url: str | None = None) -> str:
    """A path that begins with `/` is taken below the host of `base_url`. Raises LocError."""
    if is_plain(value) and "#" not in value:
        return value
    text = value.strip()
    if not text:
        raise LocError("empty URL")
    if _UNDECODED.search(text):
        raise LocError(f"{text[:200].encode('utf-8', 'replace').decode()!r} is not UTF-8")
    if text.startswith("/"):
        joined = join(base_url, text) if base_url else None
        if joined is None:
            raise LocError(f"{text[:200]!r} is a path; set --base-url")
        return joined.partition("#")[0]
    if not Address.parse(text).is_web:
        raise LocError(f"{text[:200]!r} is not an http or https URL")
    return percent_encode(text).partition("#")[0]
