"""Joining pieces changes where the bytes are cut and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from urlset.writing.urlset import joined


@given(st.lists(st.binary(max_size=12)), st.integers(1, 40))
def test_the_bytes_stay_and_chunks_are_large(pieces: list[bytes], size: int) -> None:
    chunks = list(joined(pieces, size))
    assert b"".join(chunks) == b"".join(pieces)
    assert all(len(chunk) >= size for chunk in chunks[:-1])
    assert all(chunks)
    assert all(len(chunk) < size + 12 for chunk in chunks)
