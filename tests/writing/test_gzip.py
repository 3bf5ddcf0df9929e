"""Gzip output unpacks to the input, streams, and depends on nothing but the input."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.writing.gzip import DEFAULT_LEVEL, compress


def test_the_header_names_neither_time_nor_file_nor_system() -> None:
    assert next(compress([b"a"])) == bytes.fromhex("1f8b 08 00 00000000 00 ff")


@given(st.lists(st.binary(max_size=300)), st.integers(0, 9))
def test_unpacks_to_the_input(chunks: list[bytes], level: int) -> None:
    packed = b"".join(compress(chunks, level))
    assert gzip.decompress(packed) == b"".join(chunks)
    assert b"".join(compress(iter(chunks), level)) == packed


def test_the_usual_level_unless_told() -> None:
    data = [b"%d https://example.com/%d\n" % (number, number * 7919) for number in range(3000)]
    assert b"".join(compress(data)) == b"".join(compress(data, DEFAULT_LEVEL)) != b"".join(compress(data, 1))


def test_bytes_come_out_while_bytes_go_in() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"".join(b"%x" % (number * taken) for number in range(2000))

    packed = compress(endless())
    assert taken == 0
    assert sum(len(next(packed)) for _ in range(3)) > 10
    assert taken < 200


@pytest.mark.parametrize("level", [-1, 10])
def test_a_level_that_does_not_exist_is_refused_at_once(level: int) -> None:
    with pytest.raises(ValueError, match=f"compression level {level} is not between 0 and 9"):
        compress([b""], level)


@pytest.mark.parametrize("size", [1, 999, 1 << 15, 1 << 16, (1 << 16) + 1, 1 << 20])
def test_how_the_input_is_cut_makes_no_difference(size: int) -> None:
    text = b"".join(b"<loc>https://www.example.com/%d/%d</loc>\n" % (n % 977, n * n % 7919) for n in range(8000))
    whole = b"".join(compress([text]))
    assert b"".join(compress(text[at : at + size] for at in range(0, len(text), size))) == whole
    assert gzip.decompress(whole) == text
