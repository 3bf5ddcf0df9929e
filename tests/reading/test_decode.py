"""Bytes in any encoding → UTF-8 working bytes, troubles, and offsets that lead back to the original."""

from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.trouble import TroubleKind as Kind
from urlset.reading.decode import decode

WIDE = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def xml(encoding: str | None, text: str = "") -> str:
    said = f' encoding="{encoding}"' if encoding else ""
    return f'<?xml version="1.0"{said}?><urlset><url><loc>https://e.com/{text}</loc></url></urlset>'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<",
        xml(None, "ü").encode(),
        xml("UTF-8", "日本").encode(),
        xml("utf8", "ü").encode(),
        b"https://e.com/\n",
        b"bad \xff\xfe bytes without any declaration",
        xml("UTF-8").encode() + b"\xe9 \xe8",
        b"\x01\x00\x00\x00 not text at all",
    ],
)
def test_utf8_or_what_passes_for_it_comes_back_as_the_same_object(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.data is data
    assert (decoded.encoding, decoded.byte_order_mark, decoded.troubles) == ("utf-8", False, ())
    assert decoded.map.source(5) == 5


def test_plain_utf8_costs_next_to_nothing() -> None:
    data = xml("UTF-8", "é").encode() * 500_000
    began = time.process_time()
    assert decode(data).data is data
    assert time.process_time() - began < 0.05


def test_the_utf8_mark_is_taken_off() -> None:
    decoded = decode(codecs.BOM_UTF8 + xml("UTF-8", "ü").encode())
    assert decoded.data == xml("UTF-8", "ü").encode()
    assert (decoded.encoding, decoded.byte_order_mark, decoded.declared) == ("utf-8", True, "UTF-8")
    assert [t.kind for t in decoded.troubles] == [Kind.BYTE_ORDER_MARK]
    assert decoded.map.source(0) == 3


def test_the_utf8_mark_outweighs_the_declaration() -> None:
    decoded = decode(codecs.BOM_UTF8 + xml("ISO-8859-1", "ü").encode())
    assert [t.kind for t in decoded.troubles] == [Kind.BYTE_ORDER_MARK, Kind.ENCODING_MISMATCH]
    assert decoded.data.decode() == xml("ISO-8859-1", "ü")


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("marked", [True, False])
def test_wide_encodings_are_transcoded(encoding: str, marked: bool) -> None:
    text = xml(encoding[:6].upper(), "ü日😀")
    mark = WIDE[encoding] if marked else b""
    decoded = decode(mark + text.encode(encoding))
    assert decoded.data.decode() == text
    assert (decoded.encoding, decoded.byte_order_mark) == (encoding, marked)
    trouble, *others = decoded.troubles
    assert (trouble.kind, trouble.detail, others) == (Kind.NOT_UTF8, encoding, [])
    assert trouble.place.cut(decoded.data) == encoding[:6].upper().encode()
    for at in range(len(text)):
        working = len(text[:at].encode())
        assert decoded.map.source(working) == len(mark) + len(text[:at].encode(encoding))


def test_a_text_list_in_utf16_needs_no_mark() -> None:
    decoded = decode("https://e.com/ü\n".encode("utf-16-le"))
    assert decoded.data.decode() == "https://e.com/ü\n"


def test_wide_bytes_that_claim_to_be_utf8() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + xml("UTF-8").encode("utf-16-le"))
    assert [t.kind for t in decoded.troubles] == [Kind.NOT_UTF8, Kind.ENCODING_MISMATCH]
    assert decoded.troubles[1].detail == "declared UTF-8, but the bytes are UTF-16-LE"


@pytest.mark.parametrize(
    ("tail", "shown"),
    [(b"\x00\xd8a\x00", "00 D8"), (b"\x00\xdc", "00 DC"), (b"\x00\xd8", "00 D8"), (b"a", "61")],
    ids=["high alone", "low alone", "high at the end", "half a unit"],
)
def test_broken_utf16_becomes_replacement_characters(tail: bytes, shown: str) -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "<a>".encode("utf-16-le") + tail)
    assert decoded.data.decode().startswith("<a>\ufffd")
    bad = decoded.troubles[-1]
    assert (bad.kind, bad.detail) == (Kind.BAD_UTF8, f"{shown} is not utf-16-le")
    assert bad.place.cut(decoded.data) == "\ufffd".encode()


def test_a_replacement_character_that_was_written_is_no_bad_byte() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + "<a>\ufffd".encode("utf-16-le"))
    assert [t.kind for t in decoded.troubles] == [Kind.NOT_UTF8]


@pytest.mark.parametrize(
    ("declared", "text", "encoding"),
    [
        ("ISO-8859-1", "é", "iso-8859-1"),
        ("latin1", "é", "iso-8859-1"),
        ("windows-1252", "“é”", "windows-1252"),
        ("Windows-1251", "привет", "windows-1251"),
        ("KOI8-R", "привет", "koi8-r"),
        ("iso-8859-15", "€", "iso-8859-15"),
        ("Shift_JIS", "日本語", "shift_jis"),
        ("x-sjis", "日本語", "shift_jis"),
        ("EUC-JP", "日本語", "euc-jp"),
        ("GB2312", "中文", "gb2312"),
        ("gb18030", "中文😀", "gb18030"),
        ("Big5", "中文", "big5"),
        ("EUC-KR", "한국어", "euc-kr"),
        ("windows-874", "ไทย", "windows-874"),
    ],
)
def test_declared_charsets_are_transcoded(declared: str, text: str, encoding: str) -> None:
    document = xml(declared, text)
    codec = {"windows-874": "cp874", "x-sjis": "shift_jis"}.get(declared, declared)
    decoded = decode(document.encode(codec))
    assert decoded.data.decode() == document
    assert (decoded.encoding, decoded.declared) == (encoding, declared)
    (trouble,) = decoded.troubles
    assert (trouble.kind, trouble.detail) == (Kind.NOT_UTF8, encoding)
    assert trouble.place.cut(decoded.data).decode() == declared
    for at in range(len(document) + 1):
        assert decoded.map.source(len(document[:at].encode())) == len(document[:at].encode(codec))


@pytest.mark.parametrize(
    ("data", "kind", "detail"),
    [
        (
            xml("ISO-8859-1", "é").encode(),
            Kind.ENCODING_MISMATCH,
            "declared ISO-8859-1, but the bytes are UTF-8",
        ),
        (xml("UTF-16").encode(), Kind.ENCODING_MISMATCH, "declared UTF-16, but the bytes are UTF-8"),
        (xml("UCS-2", "é").encode(), Kind.ENCODING_MISMATCH, "declared UCS-2, but the bytes are UTF-8"),
        (
            xml("utf-16", "é").encode("latin1"),
            Kind.ENCODING_MISMATCH,
            "declared utf-16, but the bytes are 8-bit",
        ),
        (xml("ISO-8859-1").encode(), Kind.NOT_UTF8, "declared ISO-8859-1"),
        (xml("x-mine", "é").encode(), Kind.UNKNOWN_ENCODING, "x-mine"),
        (xml("", "é").encode(), None, ""),
        (xml("rot13", "é").encode(), Kind.UNKNOWN_ENCODING, "rot13"),
        (b"junk before " + xml("ISO-8859-1").encode(), Kind.NOT_UTF8, "declared ISO-8859-1"),
        (b"<?xml version='1.0' encoding='big5' ?><urlset/>", Kind.NOT_UTF8, "declared big5"),
    ],
)
def test_what_a_declaration_is_worth(data: bytes, kind: Kind | None, detail: str) -> None:
    decoded = decode(data)
    assert decoded.data is data
    assert decoded.encoding == "utf-8"
    assert [(t.kind, t.detail) for t in decoded.troubles] == ([(kind, detail)] if kind else [])
    if kind:
        assert decoded.troubles[0].place.cut(data).decode() == decoded.declared


@pytest.mark.parametrize(
    "name",
    [
        "rot13",
        "hex",
        "zlib",
        "bz2",
        "idna",
        "punycode",
        "unicode_escape",
        "utf-7",
        "undefined",
        "iso-2022-jp",
        "cp037",
        "utf-8-sig",
        "mbcs",
        "../../x",
        "a☃",
        "",
    ],
)
def test_names_that_are_no_charsets_are_unknown(name: str) -> None:
    data = f'<?xml version="1.0" encoding="{name}"?><a>'.encode() + b"\xff</a>"
    decoded = decode(data)
    assert decoded.data is data
    assert [t.kind for t in decoded.troubles] == [Kind.UNKNOWN_ENCODING]


def test_high_bytes_in_declared_ascii_are_read_as_windows_1252() -> None:
    decoded = decode(xml("US-ASCII", "é").encode("cp1252"))
    assert (decoded.data.decode(), decoded.encoding) == (xml("US-ASCII", "é"), "windows-1252")
    assert [t.kind for t in decoded.troubles] == [Kind.ENCODING_MISMATCH]


def test_bytes_the_charset_does_not_have() -> None:
    data = xml("windows-1252", "ab").encode().replace(b"ab", b"a\x81\x8db\xe9")
    decoded = decode(data)
    assert "a\ufffd\ufffdbé" in decoded.data.decode()
    assert [(t.kind, t.detail) for t in decoded.troubles[1:]] == [(Kind.BAD_UTF8, "81 8D is not windows-1252")]
    assert decoded.map.source(decoded.data.index(b"b\xc3\xa9")) == data.index(b"b\xe9")


def test_a_hopeless_file_gives_a_short_list() -> None:
    data = xml("windows-1252").encode() + b"\x81a" * 10_000
    assert len(decode(data).troubles) <= 101


def test_the_declaration_is_looked_for_near_the_beginning_only() -> None:
    assert decode(b" " * 2000 + xml("ISO-8859-1", "é").encode("latin1")).troubles == ()


@given(st.text(min_size=1), st.sampled_from(sorted(WIDE)), st.integers(1, 40_000))
def test_offsets_lead_back_across_pieces(text: str, encoding: str, padding: int) -> None:
    whole = "<" + "x😀" * padding + text
    decoded = decode(WIDE[encoding] + whole.encode(encoding))
    assert decoded.data.decode() == whole
    at = len(whole) - len(text) // 2 - 1
    expected = len(WIDE[encoding]) + len(whole[:at].encode(encoding))
    assert decoded.map.source(len(whole[:at].encode())) == expected
    assert decoded.map.source(len(decoded.data)) == len(WIDE[encoding]) + len(whole.encode(encoding))


@given(
    st.sampled_from([b"", codecs.BOM_UTF8, *WIDE.values(), b"<\0?\0", b"\0<\0?"]),
    st.sampled_from(["", "latin1", "windows-1252", "gb18030", "big5-hkscs", "euc-jp", "cp949", "utf-16", "?"]),
    st.binary(),
)
def test_any_bytes_are_survived(mark: bytes, declared: str, tail: bytes) -> None:
    data = mark + (xml(declared).encode() if declared else b"") + tail
    decoded = decode(data)
    offsets = [decoded.map.source(offset) for offset in range(len(decoded.data) + 1)]
    assert offsets == sorted(offsets)
    assert all(0 <= offset <= len(data) for offset in offsets)
    assert all(t.place.end <= len(decoded.data) for t in decoded.troubles)
    if decoded.data is not data and decoded.encoding != "utf-8":
        decoded.data.decode()
