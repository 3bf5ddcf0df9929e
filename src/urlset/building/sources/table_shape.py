"""The first lines of a text → whether it is a table, and what its columns hold, by their values.

Exports are in the language of the account or program, so where no name says which column holds URLs, values decide
about all columns that matter: URLs, status codes, media types, and whether a page is indexable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from urlset.building.sources.crawler_columns import is_refusal, says_indexable
from urlset.building.sources.rows import meaning_of
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.status_phrases import STATUS_CODES

SAMPLE = 100
"""rows that are looked at"""
WEB = lazy_pattern(r"\s*https?://", re.IGNORECASE)
_MEDIA_TYPE = lazy_pattern(r"(?:text|application|image|font|audio|video)/[\w.+-]+(?:\s*;.*)?", re.IGNORECASE)
_NO_ANSWER = "0"


class Shape(NamedTuple):
    header: list[str]
    """with the names that urlset knows instead of those recognized by their values"""
    recognized: tuple[tuple[str, str], ...] = ()
    """column and what it holds"""


def is_table(lines: Sequence[str], delimiters: str) -> bool:
    """By the header, or by the row after it: exports are in the language of the account."""
    header, *row = (
        [cell.strip().strip('"') for cell in re.split(f"[{delimiters}]", line)] for line in lines[:2] or [""]
    )
    if any(meaning_of(cell) == "loc" for cell in header) or (len(header) > 1 and WEB.match(header[0])):
        return True
    is_header = len(header) > 1 and not header[0].startswith("#") and not any(map(WEB.match, header))
    return is_header and bool(row) and len(row[0]) >= len(header) and any(map(WEB.match, row[0]))


def by_shape(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Shape:
    """The header as it is where it names the column of URLs."""
    if any(meaning_of(column) == "loc" for column in header):
        return Shape(list(header))
    columns = [[_text(row[at]) if at < len(row) else "" for row in rows[:SAMPLE]] for at in range(len(header))]
    names = list(header)
    found = dict(_recognized(columns))
    for at, meaning in found.items():
        names[at] = meaning
    return Shape(names, tuple((header[at], meaning) for at, meaning in found.items()))


def _recognized(columns: Sequence[list[str]]) -> Iterator[tuple[int, str]]:
    """Place and meaning of columns; each meaning once."""
    urls = [at for at, cells in enumerate(columns) if _are_urls(cells)]
    if not urls:
        return
    locs = columns[urls[0]]
    yield urls[0], "loc"
    status = next((at for at, cells in enumerate(columns) if _are_codes(cells)), None)
    if status is None:
        return  # without it, a word or a second URL may mean anything
    yield status, "status_code"
    types = next((at for at, cells in enumerate(columns) if _all(cells, _MEDIA_TYPE.fullmatch)), None)
    if types is not None:
        yield types, "content_type"
    for at, cells in enumerate(columns):
        if _all(cells, says_indexable) and _agrees(cells, columns[status]):
            yield at, "indexability"
            break
    codes = columns[status]
    for at in urls[1:]:
        named = [(cell, loc, code) for cell, loc, code in zip(columns[at], locs, codes, strict=True) if cell]
        if all(code.startswith("3") for _, _, code in named):
            yield at, "redirect_url"
            break
    for at in urls[1:]:
        named = [(cell, loc, code) for cell, loc, code in zip(columns[at], locs, codes, strict=True) if cell]
        if 2 * sum(cell == loc for cell, loc, _ in named) > len(named):
            yield at, "canonical"
            break


def _are_urls(cells: Sequence[str]) -> bool:
    """Most of them: one bad row must not cost the others."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(WEB.match(cell) is not None for cell in filled) > len(filled)


def _are_codes(cells: Sequence[str]) -> bool:
    return _all([cell for cell in cells if cell != _NO_ANSWER], STATUS_CODES.__contains__)


def _agrees(cells: Sequence[str], codes: Sequence[str]) -> bool:
    """A page that is not there is never indexable: where a word says so, it was misunderstood."""
    return all(is_refusal(cell) for cell, code in zip(cells, codes, strict=True) if cell and code[:1] in ("4", "5"))


def _all(cells: Sequence[str], fits: Callable[[str], object]) -> bool:
    """Every cell that is not empty, and there is one."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(map(fits, filled))


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()
