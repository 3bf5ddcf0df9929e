"""A text → a cell that no spreadsheet runs as a formula, and back."""

from __future__ import annotations

_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠", *"﹦﹢﹣﹫")  # noqa: RUF001 - full-width and small signs count too
_UNSEEN = "' \u00a0\u200b\u200c\u200d\u2060\ufeff"
"""what some spreadsheets drop from the beginning of a cell"""


def guarded(text: str) -> str:
    """With an apostrophe before what looks like a formula."""
    return f"'{text}" if looks_like_formula(text) else text


def unguarded(cell: str) -> str:
    """What was guarded."""
    return cell[1:] if cell.startswith("'") and looks_like_formula(cell) else cell


def looks_like_formula(text: str) -> bool:
    """Also behind apostrophes, so one that was there before is not lost on the way back, and behind blanks."""
    bare = text.lstrip(_UNSEEN)
    return len(bare) > 1 and bare.startswith(_FORMULA)
