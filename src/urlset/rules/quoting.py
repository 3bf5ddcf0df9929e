"""Values in messages: text and bytes in quotes, truncated when long; alternatives joined by "or"."""

from __future__ import annotations

LONGEST = 80


def quoted(text: str) -> str:
    """`'2026-11-15'`; longer text ends with an ellipsis inside the quotes."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def alternatives(words: tuple[str, ...]) -> str:
    """`http or https`, `http, https or ftp`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)


# Bytes of a file → their form in a message.


def quoted_bytes(data: bytes) -> str:
    """Decoded as UTF-8 where possible; truncated first, because a message shows only a part."""
    return quoted(data[:400].decode("utf-8", "replace"))
