"""A value from a file → its form in a message: quoted, control characters escaped, truncated when long."""

from __future__ import annotations

LONGEST = 80


def quoted(text: str) -> str:
    """`'2026-11-15'`; longer text ends with an ellipsis inside the quotes."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
