"""A value from a file → the way a message shows it: quoted, control characters escaped, cut when long."""

from __future__ import annotations

LONGEST = 80


def quoted(text: str) -> str:
    """`'2026-11-15'`; what does not fit is replaced by an ellipsis inside the quotes."""
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
