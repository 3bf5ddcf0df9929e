"""Bytes of a file → their form in a message."""

from __future__ import annotations

from urlset.rules.quoting import quoted


def quoted_bytes(data: bytes) -> str:
    """Decoded as UTF-8 where possible; truncated first, because a message shows only a part."""
    return quoted(data[:400].decode("utf-8", "replace"))
