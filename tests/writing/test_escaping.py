"""Cells are harmless to spreadsheets and lose nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.writing.escaping import guarded, unguarded


@given(st.text(alphabet="'=+-@\t\r\n＝＋－＠﹦﹫ \"\u3000\u200e\x00\ufeffa1", max_size=6))
def test_there_and_back(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    seen = cell.lstrip(' "\u3000\u200e\x00\ufeff')
    assert len(seen) < 2 or seen[0] not in (*"=+-@\t\r\n＝＋－＠﹦﹫",)


@pytest.mark.parametrize("dropped", [*'"\xa0\xad\x00\x1f\x85', *"\u061c\u180e\u2003\u200e\u202a\u2066\u3000", '""'])
def test_a_formula_behind_what_spreadsheets_drop(dropped: str) -> None:
    assert guarded(f"{dropped}=1+1") == f"'{dropped}=1+1"


@pytest.mark.parametrize("text", ["", "a", "https://www.example.com/", "-", "it's", "'quoted'"])
def test_what_is_no_formula_stays(text: str) -> None:
    assert guarded(text) == unguarded(text) == text
