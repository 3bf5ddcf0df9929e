"""Escaping gives back the same characters, and what XML cannot hold is refused by name and place."""

from __future__ import annotations

import pickle
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from urlset.writing.xml import Unwritable, attribute_list, checked_name, escaped, escaped_attribute, is_plain


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", ""),
        ("plain", "plain"),
        ("&<>\"'", "&amp;&lt;&gt;&quot;&apos;"),
        ("&amp;", "&amp;amp;"),
        ("]]>", "]]&gt;"),
        ("a\r\nb", "a&#13;\nb"),
        (" a\tb ", " a\tb "),
        ("é\x7f\x85\u2028", "é\x7f\x85\u2028"),
    ],
)
def test_text_is_escaped(value: str, written: str) -> None:
    assert escaped(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [("a b", "a b"), ("\t\n\r", "&#9;&#10;&#13;"), ("\"a\" & 'b'", "&quot;a&quot; &amp; &apos;b&apos;")],
)
def test_white_space_in_attributes_is_escaped(value: str, written: str) -> None:
    assert escaped_attribute(value) == written


@pytest.mark.parametrize("code", [0, 1, 8, 0xB, 0xC, 0xE, 0x1F, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xFFFE, 0xFFFF])
@pytest.mark.parametrize("write", [escaped, escaped_attribute])
def test_what_xml_cannot_hold_is_refused(code: int, write: object) -> None:
    assert callable(write)
    with pytest.raises(Unwritable) as caught:
        write(f"ab{chr(code)}c")
    assert (caught.value.value, caught.value.position) == (f"ab{chr(code)}c", 2)
    assert f"U+{code:04X}, character 3 of " in str(caught.value)
    str(caught.value).encode()  # a message about a lone surrogate must itself be printable


@pytest.mark.parametrize("code", [0x9, 0xA, 0xD, 0x20, 0x7F, 0x85, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF])
def test_the_neighbours_of_what_is_refused_are_written(code: int) -> None:
    assert ET.fromstring(f"<a>{escaped(chr(code))}</a>".encode()).text == chr(code)


def test_the_message_quotes_only_the_surroundings() -> None:
    message = str(Unwritable("x" * 5000 + "\x00" + "y" * 5000, 5000))
    assert len(message) < 160
    assert "…'xxx" in message
    assert "yyy'…" in message
    assert r"x\x00y" in message


def test_the_error_survives_a_process_boundary() -> None:
    copy = pickle.loads(pickle.dumps(Unwritable("a\x00", 1)))
    assert (copy.value, copy.position, str(copy)) == ("a\x00", 1, str(Unwritable("a\x00", 1)))


@given(texts())
def test_any_parser_reads_the_same_characters(value: str) -> None:
    document = f"<a b=\"{escaped_attribute(value)}\" c='{escaped_attribute(value)}'>{escaped(value)}</a>"
    found = ET.fromstring(document.encode())
    assert (found.text or "", found.attrib) == (value, {"b": value, "c": value})


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_plain_means_unchanged(value: str) -> None:
    if is_plain(value):
        assert escaped(value) == escaped_attribute(value) == value


@pytest.mark.parametrize("name", ["a", "_a", "show_title", "a-b.c2", "é", "日本"])
def test_names_pass(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    ("name", "position"),
    [("", 0), ("1a", 0), ("-a", 0), ("a b", 1), ("a:b", 1), ("a>", 1), ("a²", 1), ("a\n", 1), ("xmlns", 5)],
)
def test_what_is_no_name_is_refused(name: str, position: int) -> None:
    with pytest.raises(Unwritable) as caught:
        checked_name(name)
    assert caught.value.position == position


def test_absent_attributes_are_not_written() -> None:
    assert attribute_list([("a", "1"), ("b", None), ("c", "")]) == ' a="1" c=""'
