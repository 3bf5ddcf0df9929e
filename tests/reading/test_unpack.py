"""Packed, damaged and hostile bytes → what unpack() keeps of them and what it says about them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.trouble import TroubleKind as Kind
from urlset.reading import limits
from urlset.reading.unpack import Unpacked, file_chunks, unpack

SITEMAP = b"".join(b"<url><loc>https://www.example.com/%d</loc></url>\n" % (number * 7919) for number in range(4000))


def packed(data: bytes = SITEMAP, *, flags: int = 0, optional: bytes = b"") -> bytes:
    """A gzip member with the optional header fields one asks for."""
    deflater = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = deflater.compress(data) + deflater.flush()
    header = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff" + optional
    return header + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def kinds(unpacked: Unpacked) -> list[Kind]:
    return [trouble.kind for trouble in unpacked.troubles]


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def test_plain_bytes_in_memory_are_not_copied() -> None:
    result = unpack([SITEMAP])
    assert result.data is SITEMAP
    assert result == Unpacked(SITEMAP, delivered=len(SITEMAP))


def test_nothing_is_nothing() -> None:
    assert unpack([]) == unpack([b""]) == unpack(iter([b"", b""])) == Unpacked(b"", delivered=0)


@pytest.mark.parametrize(
    "blob",
    [
        packed(),
        gzip.compress(SITEMAP, mtime=0),
        packed(flags=4, optional=b"\x05\x00extra"),
        packed(flags=8, optional=b"sitemap.xml\0"),
        packed(flags=16, optional=b"a comment\0"),
        packed(flags=2, optional=b"\x12\x34"),
        packed(flags=31, optional=b"\x02\x00xxname\0comment\0\x00\x00"),
    ],
    ids=["bare", "stdlib", "extra", "name", "comment", "header checksum", "all"],
)
def test_gzip_is_known_by_its_magic_number(blob: bytes) -> None:
    assert unpack([blob]) == Unpacked(SITEMAP, len(blob), "gzip", layers=1)


def test_members_are_joined_and_zero_padding_is_fine() -> None:
    blob = packed(b"one ") + packed(b"") + packed(b"two") + bytes(1000)
    assert unpack([blob]) == Unpacked(b"one two", len(blob), "gzip", layers=1)


@pytest.mark.parametrize("tail", [b"garbage", b"\0\0\0<!-- served by 7 -->", b"\x1f", b"\x1f\x8b\x07 no method"])
def test_trailing_garbage_is_reported_and_ignored(tail: bytes) -> None:
    result = unpack([packed() + tail])
    assert (result.data, result.complete, kinds(result)) == (SITEMAP, True, [Kind.GZIP_TRAILING_GARBAGE])
    assert result.troubles[0].place.offset == len(SITEMAP)
    assert result.delivered == len(packed()) + len(tail)


@pytest.mark.parametrize("keep", [2, 5, 10, 11, 200, 4000, len(packed()) - 9, len(packed()) - 8, len(packed()) - 1])
def test_truncated_gzip_keeps_what_was_readable(keep: int) -> None:
    result = unpack([packed()[:keep]])
    assert kinds(result) == [Kind.TRUNCATED_GZIP]
    assert not result.complete
    assert SITEMAP.startswith(result.data)
    assert result.troubles[0].place.offset == len(result.data)
    if keep >= len(packed()) - 8:
        assert result.data == SITEMAP


def test_a_second_member_cut_off_keeps_the_first() -> None:
    result = unpack([packed(b"first") + b"\x1f\x8b"])
    assert (result.data, kinds(result), result.complete) == (b"first", [Kind.TRUNCATED_GZIP], False)


@pytest.mark.parametrize("at", [-8, -4])
def test_a_wrong_checksum_or_size_keeps_all_data(at: int) -> None:
    blob = bytearray(packed())
    blob[at] ^= 1
    result = unpack([bytes(blob) + packed(b"and more")])
    assert (result.data, result.complete) == (SITEMAP + b"and more", True)
    assert kinds(result) == [Kind.CORRUPT_GZIP]
    assert result.troubles[0].place.offset == len(SITEMAP)


def test_damage_in_the_middle_keeps_what_came_before() -> None:
    flushed = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    sound = flushed.compress(SITEMAP) + flushed.flush(zlib.Z_FULL_FLUSH)
    reserved_block_type = b"\x07"
    blob = packed()[:10] + sound + reserved_block_type + packed()[10:]
    result = unpack([blob])
    assert result.data in (SITEMAP, SITEMAP[:-1])  # zlib may swallow the last byte with the error
    assert (kinds(result), result.complete, result.delivered) == ([Kind.CORRUPT_GZIP], False, len(blob))
    assert result.troubles[0].place.offset == len(result.data)


def test_an_unknown_method_is_corrupt() -> None:
    result = unpack([b"\x1f\x8b\x07" + bytes(20)])
    assert (result.data, kinds(result), result.complete) == (b"", [Kind.CORRUPT_GZIP], False)
    assert "method 7" in result.troubles[0].detail


def test_gzip_in_gzip_is_unwrapped_once() -> None:
    twice = packed(packed())
    result = unpack([twice])
    assert (result.data, result.layers, result.complete) == (SITEMAP, 2, True)
    assert kinds(result) == [Kind.GZIP_IN_GZIP]
    thrice = unpack([packed(twice)])
    assert (thrice.data, thrice.layers) == (packed(), 2)
    assert kinds(thrice) == [Kind.GZIP_IN_GZIP, Kind.GZIP_IN_GZIP]
    assert "third" in thrice.troubles[1].detail


def test_damage_to_the_outer_layer_is_placed_in_the_document() -> None:
    result = unpack([packed(packed())[:-200]])
    assert Kind.TRUNCATED_GZIP in kinds(result)
    assert SITEMAP.startswith(result.data)
    assert {t.place.offset for t in result.troubles[1:]} == {len(result.data)}


def a_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("sitemap.xml", SITEMAP)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "blob"),
    [
        ("zip", a_zip()),
        ("bz2", bz2.compress(SITEMAP)),
        ("bz2", bz2.compress(b"")),
        ("xz", lzma.compress(SITEMAP)),
        ("zlib", zlib.compress(SITEMAP)),
        ("zstd", b"\x28\xb5\x2f\xfd" + bytes(20)),
        ("compress", b"\x1f\x9d\x90" + bytes(20)),
        ("tar", b"sitemap.xml".ljust(257, b"\0") + b"ustar\x0000"),
    ],
)
def test_other_compression_is_named_and_left_alone(name: str, blob: bytes) -> None:
    result = unpack([blob])
    assert (result.data, result.compression, result.layers) == (blob, name, 0)
    assert [(t.kind, t.detail) for t in result.troubles] == [(Kind.OTHER_COMPRESSION, name)]
    inside = unpack([packed(blob)])
    assert (inside.data, inside.compression, kinds(inside)) == (blob, "gzip", [Kind.OTHER_COMPRESSION])


@pytest.mark.parametrize("text", [b"BZh9 is a flat", b"PK\n", b"x^2", b"<urlset/>", b"https://e.com/"])
def test_text_is_not_taken_for_compressed(text: bytes) -> None:
    assert unpack([text]).troubles == ()


@pytest.mark.parametrize("blob", [SITEMAP, packed()], ids=["plain", "gzip"])
@pytest.mark.parametrize("over", [0, 1, 50_000])
def test_the_cap_is_exact(blob: bytes, over: int) -> None:
    cap = len(SITEMAP) - over
    result = unpack([blob], cap=cap)
    assert result.data == SITEMAP[:cap]
    assert result.complete is (over == 0)
    assert kinds(result) == ([Kind.TOO_LARGE] if over else [])


def test_a_bomb_is_stopped_at_the_floor_in_little_memory() -> None:
    mebibyte = bytes(1 << 20)
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    blob = b"".join(deflater.compress(mebibyte) for _ in range(300)) + deflater.flush()
    tracemalloc.start()
    try:
        result = unpack(cut(blob, 5000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (kinds(result), result.complete) == ([Kind.COMPRESSION_BOMB], False)
    assert limits.BOMB_FLOOR < len(result.data) < limits.BOMB_FLOOR + (1 << 19)
    assert peak < 1.2 * limits.BOMB_FLOOR
    nested = unpack([packed(blob)])
    assert kinds(nested) == [Kind.GZIP_IN_GZIP, Kind.COMPRESSION_BOMB]


def test_a_large_file_costs_little_more_than_its_size() -> None:
    data = SITEMAP * 60
    blob = packed(data)
    tracemalloc.start()
    try:
        result = unpack(file_chunks(io.BytesIO(blob)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.data == data
    assert peak < 1.3 * len(data)


def test_input_without_output_comes_to_an_end() -> None:
    def for_ever() -> Iterator[bytes]:
        yield packed(b"x")
        while True:
            yield bytes(1 << 16)

    result = unpack(for_ever(), cap=1 << 20)
    assert (result.data, result.complete, kinds(result)) == (b"x", False, [Kind.TOO_LARGE])
    members = unpack([packed(b"") * 70_000])
    assert (members.data, members.complete, kinds(members)) == (b"", False, [Kind.CORRUPT_GZIP])


def test_file_chunks_read_to_the_end() -> None:
    assert list(file_chunks(io.BytesIO(b"abcdefg"), 3)) == [b"abc", b"def", b"g"]


@given(st.binary(max_size=300), st.booleans(), st.integers(0, 400))
def test_any_bytes_are_survived(data: bytes, as_gzip: bool, cap: int) -> None:
    blob = packed(b"")[:10] + data if as_gzip else data
    result = unpack([blob], cap=cap)
    assert len(result.data) <= cap
    assert isinstance(result.complete, bool)


@given(
    st.data(),
    st.sampled_from([SITEMAP, packed(), packed(packed()), packed() + packed(b"x") + b"junk", packed()[:-30]]),
)
def test_any_damage_and_any_cut_give_the_same_result(draw: st.DataObject, blob: bytes) -> None:
    damaged = bytearray(blob)
    for at in draw.draw(st.lists(st.integers(0, len(blob) - 1), max_size=3)):
        damaged[at] ^= draw.draw(st.integers(1, 255))
    sizes = st.sampled_from([1, 7, 300, 4096, 65535, 65536, 65537, 1 << 20])
    whole = unpack([bytes(damaged)])
    assert unpack(cut(bytes(damaged), draw.draw(sizes))) == whole
    assert unpack(cut(bytes(damaged), draw.draw(sizes))) == whole
