"""Values that other programs must not run: formulas in a spreadsheet, markup in a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


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


def environment(*folders: Path, finalize: Callable[[object], object] | None = None) -> Environment:
    """Templates that escape every value and reject unknown names.

    `finalize` gets each value before it is escaped. A name is looked up in the folders in their order."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
