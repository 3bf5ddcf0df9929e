"""The first lines of a text → whether it is a table, and which of its columns holds URLs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from urlset.building.sources.rows import meaning_of
from urlset.spec.lazy_pattern import lazy_pattern

WEB = lazy_pattern(r"\s*https?://", re.IGNORECASE)


def is_table(lines: Sequence[str], delimiters: str) -> bool:
    """By the header, or by the row after it: exports are in the language of the account."""
    header, *row = (
        [cell.strip().strip('"') for cell in re.split(f"[{delimiters}]", line)] for line in lines[:2] or [""]
    )
    if any(meaning_of(cell) == "loc" for cell in header) or (len(header) > 1 and WEB.match(header[0])):
        return True
    is_header = len(header) > 1 and not header[0].startswith("#") and not any(map(WEB.match, header))
    return is_header and bool(row) and len(row[0]) >= len(header) and any(map(WEB.match, row[0]))


def by_shape(header: Sequence[str], row: Sequence[object]) -> list[str]:
    """The header with the column named `loc` that holds a URL, where no name says so."""
    names = list(header)
    if not any(meaning_of(column) == "loc" for column in names):
        at = next((at for at, cell in enumerate(row[: len(names)]) if isinstance(cell, str) and WEB.match(cell)), None)
        if at is not None:
            names[at] = "loc"
    return names
