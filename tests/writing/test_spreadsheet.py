"""Cells are harmless to spreadsheets and lose nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.writing.spreadsheet import guarded, unguarded


@given(st.text(alphabet="'=+-@\t\r\n＝＋－＠﹦﹫ \ufeffa1", max_size=6))
def test_there_and_back(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    assert (
        len(cell) < 2
        or cell.lstrip(" \ufeff")[:1] not in (*"=+-@\t\r\n＝＋－＠﹦﹫",)
        or len(cell.lstrip(" \ufeff")) < 2
    )


@pytest.mark.parametrize("text", ["", "a", "https://www.example.com/", "-", "it's", "'quoted'"])
def test_what_is_no_formula_stays(text: str) -> None:
    assert guarded(text) == unguarded(text) == text
