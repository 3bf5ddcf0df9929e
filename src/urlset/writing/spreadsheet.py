"""A text → a cell that no spreadsheet runs as a formula, and back."""

from __future__ import annotations

_FORMULA = (*"=+-@\t\r\n", *"＝＋－＠", *"﹦﹢﹣﹫")  # noqa: RUF001 - full-width and small signs count too
_UNSEEN = "'\"" + "".join(
    chr(code)
    for first, last in (
        *((0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x20), (0x7F, 0xA0), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E)),
        *((0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
    )
    for code in range(first, last + 1)
)
"""what some spreadsheets drop from the beginning of a cell: quotes, blanks, control and format characters"""


def guarded(text: str) -> str:
    """With an apostrophe before what looks like a formula."""
    return f"'{text}" if looks_like_formula(text) else text


def unguarded(cell: str) -> str:
    """What was guarded."""
    return cell[1:] if cell.startswith("'") and looks_like_formula(cell) else cell


def looks_like_formula(text: str) -> bool:
    """Also behind apostrophes, so one that was there before is not lost on the way back, and what is dropped."""
    if text[:1].isalnum():
        return False
    bare = text.lstrip(_UNSEEN)
    return len(bare) > 1 and bare.startswith(_FORMULA)
