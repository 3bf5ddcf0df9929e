"""Bodies as servers send them → bytes with the encoding undone, capped, in memory or on disk."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.fetching import fetch
from urlset.model.answer import Answer, FailureKind
from urlset.testing import PageAnswer, Raw, Site
from urlset.web.wire import BrokenEncodingError, inflaters

TEXT = b"".join(b"line %d of a page that shrinks well\n" % number for number in range(3000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def get(encoding: str, body: bytes, **given: object) -> Answer:
    headers = {"Content-Encoding": encoding} if encoding else {}
    with Site({"/": PageAnswer(body=body, headers=headers)}) as site:
        return fetch(site.url("/"), **given)  # type: ignore[arg-type]


def kind(answer: Answer) -> FailureKind | None:
    return answer.failure.kind if answer.failure else None


@pytest.mark.parametrize(
    ("encoding", "sent"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("gzip, deflate", zlib.compress(gzip.compress(TEXT))),
        ("identity, gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        ("gzip", gzip.compress(TEXT) + b"rubbish behind the end"),
    ],
)
def test_encodings_are_undone(encoding: str, sent: bytes) -> None:
    answer = get(encoding, sent)
    assert (answer.body, kind(answer), answer.truncated) == (TEXT, None, False)
    assert answer.wire_bytes == len(sent)


def test_a_gzip_file_that_is_no_encoding_stays_one() -> None:
    sent = gzip.compress(TEXT)
    assert get("", sent).body == sent


@pytest.mark.parametrize(
    ("encoding", "sent", "said"),
    [
        ("gzip", b"<html>not packed at all</html>", "not gzip, or damaged"),
        ("gzip", gzip.compress(TEXT)[:-30], "the gzip stream ends in the middle"),
        ("deflate", zlib.compress(TEXT)[:-30], "the deflate stream ends in the middle"),
        ("deflate", b"x", "the deflate stream ends in the middle"),
        ("br", b"anything", "'br', which was not requested"),
        ("gzip,gzip,gzip,gzip", b"anything", "4 layers of it"),
    ],
)
def test_broken_encodings_are_told(encoding: str, sent: bytes, said: str) -> None:
    answer = get(encoding, sent)
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.detail) == (FailureKind.BAD_ENCODING, said)
    assert (answer.status, answer.tries) == (200, 1)


def test_an_empty_body_is_sound_in_any_encoding() -> None:
    assert kind(get("gzip", b"")) is None


def test_only_what_can_be_undone_is_asked_for() -> None:
    with Site({"/": "x"}) as site:
        fetch(site.url("/"))
        assert site.log[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("encoding", ["", "gzip"])
@pytest.mark.parametrize("cap", [1, 1000, len(TEXT) - 1, len(TEXT), len(TEXT) + 1])
def test_the_cap_is_exact(encoding: str, cap: int) -> None:
    answer = get(encoding, gzip.compress(TEXT) if encoding else TEXT, cap=cap)
    assert answer.body == TEXT[:cap]
    assert answer.truncated is (cap < len(TEXT))
    assert answer.failure is None


def test_an_endless_body_ends_at_the_cap() -> None:
    def endless() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"x" * 65_536

    with Site(lambda _request: Raw(endless())) as site:
        answer = fetch(site.url("/"), max_body=300_000)
    assert (len(answer.body), answer.truncated, answer.failure) == (300_000, True, None)


@pytest.mark.parametrize("spooled", [False, True])
def test_a_bomb_is_told_from_a_large_page(spooled: bool, tmp_path: Path) -> None:
    spool = tmp_path / "spool" if spooled else None
    bomb = gzip.compress(bytes(64 << 20))
    answer = get("gzip", bomb, spool=spool)
    assert kind(answer) is FailureKind.BOMB
    assert answer.body == b""
    assert spool is None or spool.read_bytes() == b""
    large = gzip.compress(TEXT * 40)
    assert len(TEXT * 40) / len(large) < 250
    answer = get("gzip", large, cap=1 << 20)
    assert (answer.truncated, answer.failure) == (True, None)


@pytest.mark.parametrize(
    ("start", "rest", "said"),
    [
        (b"\x1f\x8b\x08\0\0\0\0\0\0\xff", b"\0\0\0\xff\xff" * 10_000, "bytes and more that unpack to 0"),
        (b"\x1f\x8b\x08\x08\0\0\0\0\0\xff", b"name" * 10_000, "bytes and more that unpack to 0"),
        (b"", gzip.compress(b"") * 4_000, "more than 10,000 members of gzip"),
        (gzip.compress(TEXT), b"rubbish" * 10_000, None),
    ],
    ids=["empty blocks", "a file name", "empty members", "rubbish behind the end"],
)
def test_an_endless_body_that_unpacks_to_nothing_ends(start: bytes, rest: bytes, said: str | None) -> None:
    """The cap is one of unpacked bytes, and there are none."""

    def endless() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + start
        while True:
            yield rest

    with Site(lambda _request: Raw(endless())) as site:
        answer = fetch(site.url("/"), max_body=300_000)
    assert answer.body == (b"" if said else TEXT)
    assert answer.wire_bytes < 3_000_000
    if said is None:
        assert answer.failure is None
    else:
        assert kind(answer) is FailureKind.BAD_ENCODING
        assert said in str(answer.failure)


def test_a_body_shorter_than_announced_keeps_what_came() -> None:
    raw = Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + TEXT[:1234],))
    with Site({"/": raw}) as site:
        answer = fetch(site.url("/"))
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.detail) == (FailureKind.CUT_SHORT, "after 1,234 bytes of 5,000")
    assert (answer.status, answer.body) == (200, TEXT[:1234])


def test_a_chunked_body_without_its_end_is_cut_short() -> None:
    raw = Raw((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",))
    with Site({"/": raw}) as site:
        answer = fetch(site.url("/"))
    assert (kind(answer), answer.body) == (FailureKind.CUT_SHORT, b"hello")


def test_a_body_that_drips_is_stopped_by_the_total_time() -> None:
    def drip() -> Iterator[bytes | float]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        while True:
            yield b"x"
            yield 0.02

    with Site(lambda _request: Raw(drip())) as site:
        answer = fetch(site.url("/"), total_timeout=0.4, tries=1)
    assert kind(answer) is FailureKind.TOTAL_TIMEOUT
    assert (answer.status, set(answer.body)) == (200, {ord("x")})
    assert 0.3 < answer.seconds < 1.5


def test_a_body_that_stalls_is_a_read_timeout() -> None:
    raw = Raw((b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",), end="hang")
    with Site({"/": raw}) as site:
        answer = fetch(site.url("/"), read_timeout=0.15, tries=1)
    assert (kind(answer), answer.status, answer.body) == (FailureKind.READ_TIMEOUT, 200, b"abc")


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_spool_takes_the_body(encoding: str, tmp_path: Path) -> None:
    spool = tmp_path / "body"
    answer = get(encoding, gzip.compress(TEXT) if encoding else TEXT, spool=spool)
    assert (answer.body, spool.read_bytes()) == (b"", TEXT)
    answer = get(encoding, gzip.compress(TEXT) if encoding else TEXT, spool=spool, cap=100)
    assert (answer.truncated, spool.read_bytes()) == (True, TEXT[:100])


def test_the_spool_is_there_also_after_a_failure(tmp_path: Path) -> None:
    spool = tmp_path / "body"
    spool.write_bytes(b"from an earlier answer")
    assert fetch("http://127.0.0.1:1/", spool=spool, tries=1).failure is not None
    assert spool.read_bytes() == b""


def test_an_unwritable_spool_is_the_callers_trouble(tmp_path: Path) -> None:
    with Site({"/": "x"}) as site, pytest.raises(FileNotFoundError):
        fetch(site.url("/"), spool=tmp_path / "missing" / "body")


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(1, 50))
def test_any_bytes_unpack_or_are_told_broken(data: bytes, encoding: str, step: int) -> None:
    (layer,) = inflaters(encoding)
    try:
        for at in range(0, len(data), step):
            for _ in layer.feed(data[at : at + step]):
                pass
        layer.finish()
    except BrokenEncodingError:
        pass


@given(st.binary(max_size=3000), st.sampled_from(["gzip", "deflate", "raw"]), st.integers(1, 50))
def test_cuts_make_no_difference(data: bytes, encoding: str, step: int) -> None:
    packed = {"gzip": gzip.compress(data), "deflate": zlib.compress(data), "raw": raw_deflate(data)}[encoding]
    (layer,) = inflaters("deflate" if encoding == "raw" else encoding)
    out = b"".join(piece for at in range(0, len(packed), step) for piece in layer.feed(packed[at : at + step]))
    layer.finish()
    assert out == data
