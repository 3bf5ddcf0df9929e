"""Lines and columns as an editor counts them."""

from __future__ import annotations

import pytest

from urlset.model.place import Lines, Place

DATA = "ab\né\U0001f600x\r\n\nlast".encode()


@pytest.mark.parametrize(
    ("needle", "line", "column"),
    [(b"a", 1, 1), (b"b", 1, 2), ("é".encode(), 2, 1), ("\U0001f600".encode(), 2, 2), (b"x", 2, 3), (b"last", 4, 1)],
)
def test_line_and_column(needle: bytes, line: int, column: int) -> None:
    assert Lines(DATA).at(DATA.index(needle)) == (line, column)


def test_the_end_has_a_place() -> None:
    assert Lines(DATA).at(len(DATA)) == (4, 5)
    assert Lines(b"").at(0) == (1, 1)


def test_lines_by_number() -> None:
    lines = Lines(DATA)
    assert [lines.line(number) for number in range(1, len(lines) + 1)] == [b"ab", "é\U0001f600x".encode(), b"", b"last"]


def test_a_line_end_may_be_a_lone_carriage_return() -> None:
    assert Lines(b"a\rb\r\nc").at(2) == (2, 1)
    assert Lines(b"a\rb\r\nc").at(5) == (3, 1)


def test_place_cuts() -> None:
    assert Place(3, 2).cut(DATA) == "é".encode()


def test_a_long_line_is_counted_once() -> None:
    data = "é".encode() * 500_000
    lines = Lines(data)
    assert [lines.at(offset).column for offset in (10, 999_998, 4, 1_000_000)] == [6, 500_000, 3, 500_001]


def test_a_line_end_translated_twice_is_one_line_end() -> None:
    lines = Lines(b"a\r\r\nb\r\nc\rd\r\re\n")
    assert [lines.number(at) for at in (0, 4, 7, 9, 12)] == [1, 2, 3, 4, 6]
    assert lines.line(2) == b"b"


def test_a_carriage_return_far_behind_changes_no_earlier_line() -> None:
    lines = Lines(b"a\r\nbc\n" * 5_000 + b"x\ry")
    places = {0: 1, 2: 1, 3: 2, 8_190: 2731, 8_193: 2732, 20_000: 6667, 30_000: 10_001, 30_002: 10_002, 20_002: 6668}
    assert {at: lines.number(at) for at in places} == places
    assert lines.at(30_002) == (10_002, 1)
