"""Bytes of a file → the way a message shows them."""

from __future__ import annotations

from urlset.rules.quoting import quoted


def quoted_bytes(data: bytes) -> str:
    """Read as UTF-8 as far as they are; cut before decoding, because a message shows little."""
    return quoted(data[:400].decode("utf-8", "replace"))
