"""Bodies of the wrong length, badly cut into chunks, wrongly packed, or without end."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import chain, repeat

from tests.servers.behaviour import FINE, FINE_TITLE, Behaviour, ExpectedResult, answers, fails, fine, head, whole
from urlset.model.answer import FailureKind as Kind
from urlset.model.visit import State
from urlset.testing.exchange import PageAnswer, Raw

HTML_TYPE = "Content-Type: text/html; charset=utf-8"
MEGABYTE = 1 << 20
BOMB_MEGABYTES = 8192

CUT_OFF = fails(Kind.CUT_SHORT, Kind.BAD_HTTP, status=200, states=(State.ERROR, State.UNKNOWN))
NOT_HTTP = fails(Kind.BAD_HTTP, states=(State.ERROR, State.UNKNOWN, State.BLOCKED))
BROKEN_PACKING = fails(Kind.BAD_ENCODING, Kind.CUT_SHORT, status=200, states=(State.ERROR, State.UNKNOWN))
TOO_MUCH = (ExpectedResult(truncated=True), *fails(Kind.BOMB, status=200, states=(State.ERROR, State.UNKNOWN)))


def behaviours() -> list[Behaviour]:
    return [*lengths(), *chunks(), *packings(), *bombs(), *huge()]


def lengths() -> list[Behaviour]:
    size = len(FINE)
    return [
        Behaviour(
            name="length-too-long",
            does="announces 1000 bytes more than it sends",
            route=Raw([head(HTML_TYPE, f"Content-Length: {size + 1000}"), FINE]),
            outcomes=CUT_OFF,
        ),
        Behaviour(
            name="length-too-short",
            does="sends more than it announced: the rest is not part of the answer, nor of the next one",
            route=Raw([head(HTML_TYPE, "Content-Length: 100") + FINE], "keep"),
            outcomes=(ExpectedResult(), *CUT_OFF, *NOT_HTTP),
        ),
        Behaviour(
            name="length-smuggled",
            does="sends a second answer behind the first: it must not be taken for that of another request",
            route=Raw(
                [
                    head(HTML_TYPE, f"Content-Length: {size}")
                    + FINE
                    + head(HTML_TYPE, "Content-Length: 8", status="410 Gone")
                    + b"smuggled"
                ],
                "keep",
            ),
            outcomes=(ExpectedResult(), *CUT_OFF),
        ),
        Behaviour(
            name="length-twice",
            does="two lengths that contradict each other",
            route=Raw([head(HTML_TYPE, f"Content-Length: {size}", "Content-Length: 7"), FINE]),
            outcomes=(*NOT_HTTP, *CUT_OFF),
        ),
        Behaviour(
            name="length-negative",
            does="a negative length",
            route=Raw([head(HTML_TYPE, "Content-Length: -1"), FINE]),
            outcomes=(*NOT_HTTP, *CUT_OFF),
        ),
        Behaviour(
            name="length-beyond-numbers",
            does="a length of forty digits",
            route=Raw([head(HTML_TYPE, f"Content-Length: {'9' * 40}"), FINE]),
            outcomes=(*NOT_HTTP, *CUT_OFF),
        ),
        Behaviour(name="length-none", does="no length; ends with the connection", route=Raw([head(HTML_TYPE), FINE])),
        Behaviour(name="empty", does="200 with nothing in it", route=PageAnswer(), outcomes=answers(200, State.OK)),
        Behaviour(
            name="no-content",
            does="204",
            route=PageAnswer(204),
            outcomes=answers(204, State.OK, State.UNKNOWN, State.ERROR),
        ),
    ]


def in_chunks(body: bytes, *, ending: bytes = b"0\r\n\r\n", size: int = 200) -> bytes:
    parts = (body[start : start + size] for start in range(0, len(body), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + ending


def chunks() -> list[Behaviour]:
    start = head(HTML_TYPE, "Transfer-Encoding: chunked")
    either = (*NOT_HTTP, *CUT_OFF)
    return [
        Behaviour(
            name="chunks", does="chunks as they should be", route=Raw([start, in_chunks(FINE)]), title=FINE_TITLE
        ),
        Behaviour(
            name="chunks-with-trailers",
            does="trailers behind the last chunk, as HTTP allows",
            route=Raw([start, in_chunks(FINE, ending=b"0\r\nX-Check: fine\r\n\r\n")]),
        ),
        Behaviour(
            name="chunks-without-end",
            does="closes without the last chunk",
            route=Raw([start, in_chunks(FINE, ending=b"")]),
            outcomes=CUT_OFF,
        ),
        Behaviour(
            name="chunk-size-word",
            does="a chunk size that is not a number",
            route=Raw([start + b"many\r\n" + FINE]),
            outcomes=either,
        ),
        Behaviour(
            name="chunk-size-word-later",
            does="the same behind a good chunk and a pause: the page has begun to arrive",
            route=Raw([start, in_chunks(FINE, ending=b""), 0.5, b"many\r\n" + FINE]),
            outcomes=CUT_OFF,
        ),
        Behaviour(
            name="chunk-size-wrong",
            does="a chunk longer than it says",
            route=Raw([start + b"10\r\n" + FINE + b"\r\n0\r\n\r\n"]),
            outcomes=either,
        ),
        Behaviour(
            name="chunk-size-huge",
            does="a chunk of 2⁶⁴ bytes that ends early",
            route=Raw([start + b"ffffffffffffffff\r\n" + FINE]),
            outcomes=either,
        ),
        Behaviour(
            name="chunk-extension-endless",
            does="a chunk extension of 8 MB",
            route=Raw([start, b"5;", *[b"x" * MEGABYTE] * 8, b"\r\nhello\r\n0\r\n\r\n"]),
            outcomes=(ExpectedResult(), *either, *fails(Kind.TOTAL_TIMEOUT, Kind.READ_TIMEOUT, status=200)),
            heavy=True,
        ),
        Behaviour(
            name="chunks-and-length",
            does="chunks and also a Content-Length, the way requests are smuggled",
            route=Raw([head(HTML_TYPE, "Transfer-Encoding: chunked", "Content-Length: 5"), in_chunks(FINE)]),
            outcomes=(ExpectedResult(), *either),
        ),
    ]


def packed(body: bytes, encoding: str) -> Raw:
    return whole(body, f"Content-Encoding: {encoding}")


def packings() -> list[Behaviour]:
    squeezed = gzip.compress(FINE, mtime=0)
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    raw_deflate = bare.compress(FINE) + bare.flush()
    half = gzip.compress(FINE[:300], mtime=0) + gzip.compress(FINE[300:], mtime=0)
    bad_sum = squeezed[:-8] + bytes(8)

    def sends(name: str, does: str, body: bytes, encoding: str, *outcomes: ExpectedResult) -> Behaviour:
        good = not outcomes
        return Behaviour(
            name=name,
            does=does,
            route=packed(body, encoding),
            outcomes=outcomes or (ExpectedResult(),),
            title=FINE_TITLE if good else None,
        )

    return [
        sends("gzip", "gzip as it should be", squeezed, "gzip"),
        sends("gzip-two-members", "gzip in two members", half, "gzip"),
        sends("deflate", "deflate with its zlib wrapper", zlib.compress(FINE), "deflate"),
        sends("deflate-raw", "deflate without it, as many servers send it", raw_deflate, "deflate"),
        sends("gzip-cut-off", "gzip that breaks off", squeezed[:-40], "gzip", *BROKEN_PACKING),
        sends("gzip-not", "says gzip, sends plain text", FINE, "gzip", *BROKEN_PACKING),
        sends(
            "gzip-damaged",
            "gzip with damage inside",
            squeezed[:30] + b"?" * 40 + squeezed[70:],
            "gzip",
            *BROKEN_PACKING,
        ),
        sends("gzip-bad-sum", "gzip with a wrong check sum", bad_sum, "gzip", ExpectedResult(), *BROKEN_PACKING),
        sends(
            "gzip-and-rubbish",
            "rubbish behind the gzip",
            squeezed + b"rubbish" * 9,
            "gzip",
            ExpectedResult(),
            *BROKEN_PACKING,
        ),
        sends("gzip-empty", "says gzip, sends nothing", b"", "gzip", ExpectedResult(), *BROKEN_PACKING),
        sends("encoding-unknown", "an unknown encoding", FINE, "x-secret", ExpectedResult(), *BROKEN_PACKING),
        sends(
            "encoding-unasked",
            "Brotli that was not requested",
            b"\x8b\x02\x80hello\x03",
            "br",
            *BROKEN_PACKING,
            ExpectedResult(),
        ),
        sends("encoding-identity", "an encoding named identity", FINE, "identity"),
        Behaviour(
            name="gzip-file",
            does="a .gz file with both a gzip type and a gzip encoding, packed once",
            route=whole(squeezed, "Content-Encoding: gzip"),
            title=FINE_TITLE,
        ),
    ]


@cache
def bomb_block() -> bytes:
    """A deflate block that unpacks to a megabyte and can be repeated."""
    press = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    press.compress(bytes(MEGABYTE))
    # what comes before a full flush is not referred to afterwards: the second megabyte can be read alone
    press.flush(zlib.Z_FULL_FLUSH)
    return press.compress(b" " * MEGABYTE) + press.flush(zlib.Z_FULL_FLUSH)


def bomb() -> Iterator[bytes]:
    """Some 8 MB that unpack to 8 GB, made as they are sent."""
    yield head(HTML_TYPE, "Content-Encoding: gzip") + b"\x1f\x8b\x08" + bytes(7)
    for _ in range(BOMB_MEGABYTES // 32):
        yield bomb_block() * 32


@cache
def small_bomb() -> bytes:
    """64 MB in some 64 KB: what a reader in pieces of 64 KB gets in one go. Whole, with its check sum."""
    total = 0
    for _ in range(64):
        total = zlib.crc32(b" " * MEGABYTE, total)
    last = b"\x03\x00" + struct.pack("<II", total, 64 * MEGABYTE)
    return b"\x1f\x8b\x08" + bytes(7) + bomb_block() * 64 + last


@cache
def double_bomb() -> bytes:
    """512 MB packed twice, in a few KB."""
    press = zlib.compressobj(9, wbits=31)
    inner = b"\x1f\x8b\x08" + bytes(7) + bomb_block() * 512
    return press.compress(inner) + press.flush()


def zstd_bomb() -> Iterator[bytes]:
    """Blocks of four bytes, each of which says "128 KB of spaces": a gigabyte in 32 KB, and no end."""
    yield head(HTML_TYPE, "Content-Encoding: zstd") + b"\x28\xb5\x2f\xfd\x00\x38"
    repeated = ((MEGABYTE >> 3) << 3 | 1 << 1).to_bytes(3, "little") + b" "
    yield from repeat(repeated * 8192)


def bombs() -> list[Behaviour]:
    small, double = small_bomb(), double_bomb()  # made now, to answer a request without delay
    return [
        Behaviour(
            name="gzip-bomb",
            does="8 MB that unpack to 8 GB",
            route=lambda _: Raw(bomb()),
            outcomes=TOO_MUCH,
            heavy=True,
        ),
        Behaviour(
            name="gzip-bomb-small",
            does="64 KB that unpack to 64 MB",
            route=packed(small, "gzip"),
            outcomes=TOO_MUCH,
            heavy=True,
        ),
        Behaviour(
            name="gzip-bomb-double",
            does="a few KB that unpack to 512 MB, packed twice",
            route=packed(double, "gzip, gzip"),
            outcomes=(*TOO_MUCH, *BROKEN_PACKING),
            heavy=True,
        ),
        Behaviour(
            name="zstd-bomb",
            does="zstd that was not requested, 32 KB to a gigabyte, without end",
            route=lambda _: Raw(zstd_bomb()),
            outcomes=BROKEN_PACKING,
            heavy=True,
        ),
        Behaviour(
            name="brotli-bomb",
            does="Brotli that was not requested, without end",
            route=lambda _: Raw(chain([head(HTML_TYPE, "Content-Encoding: br")], repeat(b"\x8b\x1f\x00\xf8" * 16384))),
            outcomes=BROKEN_PACKING,
            heavy=True,
        ),
    ]


def huge() -> list[Behaviour]:
    block = b"<p>This page has no end, and more of it follows.</p>\n" * 1260
    return [
        Behaviour(
            name="endless-body",
            does="a page without end",
            route=lambda _: Raw(chain([head(HTML_TYPE)], repeat(block))),
            outcomes=(ExpectedResult(truncated=True),),
            heavy=True,
        ),
        Behaviour(
            name="endless-chunks",
            does="a page without end, in chunks",
            route=lambda _: Raw(
                chain([head(HTML_TYPE, "Transfer-Encoding: chunked")], repeat(in_chunks(block, ending=b"", size=4000)))
            ),
            outcomes=(ExpectedResult(truncated=True),),
            heavy=True,
        ),
        Behaviour(
            name="hundred-megabytes",
            does="a page of 100 MB",
            route=lambda _: Raw(
                chain([head(HTML_TYPE, f"Content-Length: {100 * MEGABYTE}")], repeat(b" " * MEGABYTE, 100))
            ),
            outcomes=(ExpectedResult(truncated=True),),
            heavy=True,
        ),
        Behaviour(
            name="announced-terabyte",
            does="a length of a terabyte, and a small page behind it",
            route=Raw([head(HTML_TYPE, f"Content-Length: {1 << 40}"), FINE]),
            outcomes=(*CUT_OFF, ExpectedResult(truncated=True)),
        ),
        Behaviour(name="fine", does="nothing wrong, for comparison", route=fine(), title=FINE_TITLE),
    ]
