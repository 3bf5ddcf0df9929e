"""Text lists, tidy and not → rows with exact byte ranges, troubles for the lines that are none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.trouble import MOST_PLACED
from urlset.model.trouble import TroubleKind as Kind
from urlset.reading import limits
from urlset.reading.text import read, recognizes


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"https://e.com/\n", True),
        (b"\n\n  https://e.com/a\r\nhttps://e.com/b", True),
        (b"https://e.com/a\rhttps://e.com/b", True),
        (b"# made by hand\n# for the shop\n# on a Monday\n# at noon\nhttps://e.com/", True),
        (b"Our pages\nas of May\n\nhttps://e.com/a\nhttps://e.com/b\n", True),
        (b"/a\n/b\nwww.e.com/c\nhttps://e.com/d\n", True),
        (b"ftp://e.com/", True),
        (b"", False),
        (b"\n\n", False),
        (b"/a\n/b\n", False),
        (b"hello\nworld\n", False),
        (b"https://\n", False),
        (b"one\ntwo\nthree\nfour\nhttps://e.com/\nfive\n", False),
        (b"line\n" * 20 + b"https://e.com/\n", False),
        (b"<urlset><url><loc>https://e.com/</loc></url></urlset>", False),
        (b"https://e.com/\n<html>\n", False),
        (b"<!doctype html>\nhttps://e.com/", False),
        (b"User-agent: *\nDisallow: /a\nSitemap: https://e.com/s.xml\n", False),
        (b'{"url": "https://e.com/"}', False),
    ],
)
def test_what_a_text_list_looks_like(data: bytes, expected: bool) -> None:
    assert recognizes(data) is expected


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_rows_have_the_line_and_the_range_of_the_value(end: bytes) -> None:
    values = [b"https://e.com/a", b"https://e.com/b?c=d&e=f", b"/relative", b"www.e.com/x", b"//e.com/y"]
    data = end.join([b"", values[0], b"  " + values[1] + b"\t ", b"   ", *values[2:], b""])
    columns, troubles, _ = read(data)
    assert troubles == []
    assert [columns.place(row).cut(data) for row in range(len(columns))] == values
    assert columns.locs[1] == "  https://e.com/b?c=d&e=f\t "
    assert columns.lastmods == columns.changefreqs == columns.priorities == [None] * 5
    assert columns.marks == bytes(5)


@pytest.mark.parametrize(
    ("line", "is_row"),
    [
        ("mailto:me@e.com", True),
        ("example.com/page", True),
        ("example.com:8080/page", True),
        ("/", True),
        ("https://e.com/with space", True),
        ("https:/e.com/one-slash", True),
        ("www.e.com", True),
        ("# a comment", False),
        ("Note: nothing", False),
        ("page.html", False),
        ("<https://e.com/>", False),
        ("?page=2", False),
        ("12:30", False),
        ("ünlesbar", False),
    ],
)
def test_what_is_meant_as_an_address(line: str, is_row: bool) -> None:
    data = f"https://e.com/\n {line}\n".encode()
    columns, troubles, _ = read(data)
    assert len(columns) == 1 + is_row
    assert [(t.kind, t.detail) for t in troubles] == ([] if is_row else [(Kind.NOT_AN_ADDRESS, line)])
    place = troubles[0].place if troubles else columns.place(1)
    assert place.cut(data) == line.encode()


def test_addresses_beyond_ascii_are_rows_without_trouble() -> None:
    data = "\u00a0https://e.com/ü\u00a0\nhttps://bücher.de/\n".encode()
    columns, troubles, _ = read(data)
    assert troubles == []
    assert columns.locs == ["\u00a0https://e.com/ü\u00a0", "https://bücher.de/"]
    assert columns.place(0).cut(data) == "https://e.com/ü".encode()


def test_bad_bytes_are_reported_and_the_row_kept() -> None:
    data = b"https://e.com/a\nhttps://e.com/\xff\xfe/b\xe9\nbad \x80\n"
    columns, troubles, _ = read(data)
    assert columns.locs == ["https://e.com/a", "https://e.com/\ufffd\ufffd/b\ufffd"]
    assert [(t.kind, t.detail, t.row) for t in troubles] == [
        (Kind.BAD_UTF8, "FF FE", 1),
        (Kind.BAD_UTF8, "E9", 1),
        (Kind.NOT_AN_ADDRESS, "bad \ufffd", None),
        (Kind.BAD_UTF8, "80", None),
    ]
    assert troubles[0].place.cut(data) == b"\xff\xfe"
    assert columns.place(1).cut(data) == b"https://e.com/\xff\xfe/b\xe9"


def test_control_characters_are_reported_and_the_row_kept() -> None:
    data = b"https://e.com/a\x07b\x00\n"
    columns, troubles, _ = read(data)
    assert columns.locs == ["https://e.com/a\x07b\x00"]
    assert [(t.kind, t.detail, t.place.offset, t.row) for t in troubles] == [
        (Kind.CONTROL_CHARACTER, "U+0007", 15, 0),
        (Kind.CONTROL_CHARACTER, "U+0000", 17, 0),
    ]


@pytest.mark.parametrize("filler", [b"a", b"\xff"])
def test_an_endless_line_is_no_row(filler: bytes) -> None:
    columns, troubles, _ = read(b"https://e.com/" + filler * limits.MAX_TOKEN + b"\nhttps://e.com/b")
    assert columns.locs == ["https://e.com/b"]
    assert [t.kind for t in troubles] == [Kind.TOKEN_TOO_LONG]


def test_a_file_of_rubbish_gives_a_list_that_ends() -> None:
    columns, troubles, _ = read(b"rubbish\n" * (MOST_PLACED + 15_000))
    assert len(columns) == 0
    assert len(troubles) == MOST_PLACED
    assert troubles.unplaced(Kind.NOT_AN_ADDRESS) == 15_000
    assert troubles.total == troubles.count_of(Kind.NOT_AN_ADDRESS) == MOST_PLACED + 15_000


@pytest.mark.parametrize("first", [b"", "https://e.com/ü\n".encode()], ids=["ascii", "not all ascii"])
def test_fifty_thousand_lines_are_quick(first: bytes) -> None:
    data = first + b"".join(b"https://www.example.com/products/%d\n" % number for number in range(50_000))
    best = 9.9
    for _ in range(5):
        began = time.process_time()
        columns, _, _ = read(data)
        best = min(best, time.process_time() - began)
    assert len(columns) >= 50_000
    assert best < 2  # takes a fortieth of that on an idle machine


PIECES = st.sampled_from(
    [b"https://e.com/", b"/x", b"www.", b"\n", b"\r", b"\r\n", b" ", b"\t", b"\xc2\xa0", b"\x85", b"\x1c"]
)


@given(st.lists(PIECES | st.binary(max_size=8)).map(b"".join))
def test_any_bytes_are_survived(data: bytes) -> None:
    recognizes(data)
    columns, troubles, _ = read(data)
    rows = range(len(columns))
    assert len(columns.locs) == len(columns.ends) == len(columns.marks) == len(columns.lastmods) == len(columns)
    for row, loc in zip(rows, columns.locs, strict=True):
        assert loc is not None
        assert columns.place(row).cut(data).decode("utf-8", "replace") == loc.strip()
    assert all(t.place.length and t.place.end <= len(data) for t in troubles)
    assert all(t.row is None or t.row in rows for t in troubles)
