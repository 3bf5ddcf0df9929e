"""zlib-ng where it is installed: the same bytes out of the same files, sound or damaged, and none larger."""

from __future__ import annotations

import gzip
import zlib
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading import unpack as deflate
from urlset.reading.unpack import Unpacked, unpack
from urlset.writing import gzip as writing

samples: Any = pytest.importorskip("bench.samples", exc_type=ImportError)  # which needs the module venv
zlib_ng: Any = pytest.importorskip("zlib_ng.zlib_ng")
LARGER_AT_MOST = 1.02
BODY = "".join(samples.plain(400)).encode()
PACKED = [gzip.compress(body, level) for body in (BODY, b"a" * 70_000, b"") for level in (0, 1, 6, 9)]


def unpacked(packed: bytes, library: Any) -> Unpacked:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deflate, "quick", library)
        return unpack([packed[:100], packed[100:]])


@given(seed=st.integers(0, 1 << 60))
def test_damaged_files_give_the_same(seed: int) -> None:
    chance = Random(seed)
    packed = bytearray(chance.choice(PACKED))
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at = chance.randrange(min(len(packed), chance.choice((60, len(packed)))))
        match chance.randrange(4):
            case 0:
                del packed[at : at + chance.choice((1, 10, 1000))]
            case 1:
                packed.insert(at, chance.randrange(256))
            case _:
                packed[at] ^= 1 << chance.randrange(8)
    assert unpacked(bytes(packed), zlib_ng) == unpacked(bytes(packed), zlib)


@pytest.mark.parametrize("library", [zlib, zlib_ng], ids=["zlib", "zlib-ng"])
@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_what_is_packed_can_be_unpacked(library: Any, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "quick", library)
    packed = b"".join(writing.compress([BODY[:1000], b"", BODY[1000:]], level))
    assert gzip.decompress(packed) == BODY


@pytest.mark.parametrize(
    "text",
    [samples.plain(8000), samples.hreflang(2_000_000), samples.illustrated(800)],
    ids=["plain", "hreflang", "illustrated"],
)
def test_files_are_no_larger(text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "".join(text).encode()
    sizes = {}
    for library in (zlib, zlib_ng):
        monkeypatch.setattr(writing, "quick", library)
        sizes[library] = sum(map(len, writing.compress([body])))
    assert sizes[zlib_ng] <= LARGER_AT_MOST * sizes[zlib]
