"""A place → the line to show: one line, whatever ends it, with the fault where the finding says it is."""

from __future__ import annotations

import pytest

from urlset.checking.engine import WIDTH, excerpt
from urlset.findings.finding import Excerpt
from urlset.model.place import Place
from urlset.reading.read import read

ENDS = [b"\n", b"\r\n", b"\r"]


def shown(data: bytes, fault: bytes, length: int | None = None) -> Excerpt:
    found = excerpt(read(data, name="list.txt"), Place(data.index(fault), len(fault) if length is None else length))
    assert found is not None
    return found


@pytest.mark.parametrize("end", ENDS)
def test_one_line_is_shown(end: bytes) -> None:
    data = end.join([b"https://example.com/1", b"  https://example.com/two", b"https://example.com/3"])
    assert shown(data, b"two") == Excerpt("https://example.com/two", 20, 3)
    assert shown(data, b"/1") == Excerpt("https://example.com/1", 19, 2)
    assert shown(data, b"/3") == Excerpt("https://example.com/3", 19, 2)


@pytest.mark.parametrize("end", ENDS)
def test_a_fault_of_several_lines_is_shown_up_to_the_end_of_the_first(end: bytes) -> None:
    data = end.join([b"https://example.com/1", b"https://example.com/two", b"https://example.com/3"])
    assert shown(data, b"two", len(data)) == Excerpt("https://example.com/two", 20, 3, cut_right=True)


@pytest.mark.parametrize("end", ENDS)
def test_a_line_end_belongs_to_the_line_it_ends(end: bytes) -> None:
    data = end.join([b"https://example.com/1", b"https://example.com/2"])
    document = read(data, name="list.txt")
    for offset in range(data.index(end), data.index(end) + len(end)):
        assert document.lines.number(offset) == 1
        found = excerpt(document, Place(offset))
        assert found is not None
        assert found.text.strip() == "https://example.com/1"


@pytest.mark.parametrize("end", [b"", *ENDS])
def test_a_long_line_is_cut_on_both_sides(end: bytes) -> None:
    data = b"https://example.com/1" + end + b"a" * 9000 + b"#" + b"b" * 9000 + end + b"https://example.com/3"
    found = shown(data, b"#")
    assert (found.text[found.start], found.cut_left, found.cut_right) == ("#", True, True)
    assert len(found.text) <= WIDTH
    assert set(found.text) == {"a", "#", "b"}


def test_nothing_to_show() -> None:
    assert excerpt(read(b""), Place(0)) is None
