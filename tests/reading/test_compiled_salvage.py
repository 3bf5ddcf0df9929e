"""Broken entries: compiled repairs against those of reading/salvage.py, which define what is right."""

from __future__ import annotations

from random import Random
from unittest import mock

import pytest

from fuzz.judge import by_reference, judge_reading
from tests.reading.scanners import needs_compiled
from urlset.model.trouble import TroubleKind
from urlset.reading import scan
from urlset.reading.read import read
from urlset.reading.salvage import Salvage

pytestmark = needs_compiled

HEAD = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
)
USUAL = b"<url>\n<loc>https://example.com/a</loc>\n<lastmod>2026-01-01</lastmod>\n</url>\n"
IMAGE = b"<url><loc>https://example.com/b</loc><image:image><image:loc>https://example.com/i.png</image:loc></image:image></url>\n"
BROKEN = {
    "stray <": (b"/a</loc>", b"/a<1</loc>"),
    "stray < before a name": (b"/a</loc>", b"/a<b</loc>"),
    "stray < before a close tag": (b"/a</loc>", b"/a<</loc>"),
    "a tag that is never closed": (b"/a</loc>", b"/<b>a</loc>"),
    "no close tag": (b"</loc>", b""),
    "no close tag of a date": (b"</lastmod>", b""),
    "no close tag in an image": (b"</image:loc>", b""),
    "another close tag": (b"</loc>", b"</lok>"),
    "another case": (b"</loc>", b"</Loc>"),
    "an open tag for a close tag": (b"</loc>", b"<loc>"),
    "a close tag without end": (b"</loc>", b"</loc"),
    "a close tag with an attribute": (b"</loc>", b'</loc a="1">'),
    "an open tag without end": (b"<loc>", b"<loc"),
    "no quotes": (b"<url>", b"<url id=1>"),
    "an attribute twice": (b"<url>", b'<url id="1" id="2">'),
    "an attribute with an ampersand": (b"<url>", b'<url id="a&b">'),
    "a control character": (b"/a</loc>", b"/a\x01</loc>"),
    "bytes that are not UTF-8": (b"/a</loc>", b"/a\xe9\xe8</loc>"),
    "a reference to no character": (b"/a</loc>", b"/a&#1;</loc>"),
    "the end of a section": (b"/a</loc>", b"/a]]></loc>"),
    "a comment with --": (b"</loc>", b"</loc><!-- a -- b -->"),
    "a sound comment before the fault": (
        b"<loc>https://example.com/a</loc>",
        b"<!-- a --><loc>https://example.com/a</lok>",
    ),
    "no open tag of the entry": (b"<url>", b""),
    "a comment with -- between entries": (b"</url>", b"</url><!-- a -- b -->"),
    "a close tag twice": (b"</url>", b"</url></url>"),
    "a misspelled open tag": (b"<loc>", b"<lco>"),
    "another misspelled open tag": (b"<lastmod>", b"<lastmodified>"),
    "a misspelled close tag of the entry": (b"</url>", b"</ulr>"),
    "a misspelled close tag in an image": (b"</image:loc>", b"</image:lco>"),
    "another close tag of an unknown element": (b"</loc>", b"</loc><b>text</c>"),
    "an XML declaration": (b"</loc>", b'</loc><?xml version="1.0"?>'),
    "a < in an attribute of the entry": (b"<url>", b'<url id="a<b">'),
    "30 elements that are not closed": (b"</loc>", b"</loc>" + b"<b>" * 30),
}
LOST = {
    "no < of the only address": (b"<loc>", b"loc>"),
    "a section for the end of a tag": (
        b"<loc>https://example.com/a</loc>",
        b"<loc<![CDATA[https://example.com/a]]></loc>",
    ),
}
"""the last entry of a file is left to Python"""


def document(old: bytes, new: bytes) -> bytes:
    entries = b"".join((USUAL if old in USUAL else IMAGE).replace(old, new) + USUAL for _ in range(3))
    return HEAD + entries + b"</urlset>\n"


@pytest.mark.parametrize("name", BROKEN)
def test_common_damage_is_repaired_without_python(name: str) -> None:
    data = document(*BROKEN[name])
    with mock.patch.object(scan, "Salvage", side_effect=AssertionError("salvage.py was asked")):
        compiled = read(data)
    assert any(compiled.troubles)
    judge_reading(data)
    reference = by_reference(data)
    for row in range(len(reference)):
        assert compiled.element(row) == reference.element(row)


@pytest.mark.parametrize("name", LOST)
def test_an_entry_without_an_address_is_lost_without_python(name: str) -> None:
    data = document(*LOST[name])
    with mock.patch.object(scan, "Salvage", side_effect=AssertionError("salvage.py was asked")):
        assert [each.kind for each in read(data).troubles].count(TroubleKind.ENTRY_LOST) == 3
    judge_reading(data)


@pytest.mark.parametrize("opened", [b"<url>", b'<url id="1">'])
def test_the_next_entry_may_have_attributes(opened: bytes) -> None:
    data = document(b"</url>", b"").replace(b"<url>", opened)
    with mock.patch.object(scan, "Salvage", wraps=Salvage) as asked:
        read(data)
    assert asked.call_count <= 1
    judge_reading(data)


@pytest.mark.parametrize(
    ("old", "new", "is_usual"),
    [
        (b"/a</loc>", b"/a<1</loc>", True),
        (b"</loc>", b"", True),
        (b"/a</loc>", b"/a<image:1</loc>", False),
        (b"/a</loc>", b'/a<b xmlns="c"</loc>', False),
        (b"/a</loc>", b'/a<b image:c="d"</loc>', False),
        (b"<url>", b'<url image:id="1" image:id="2">', False),
        (b"</loc>", b"</loc><!-- <image:loc> -- -->", False),
        (b"</loc>", b'</loc><?xml version="1.0"?>', False),
    ],
)
def test_a_repaired_entry_is_vouched_for_unless_a_search_could_find_something(
    old: bytes, new: bytes, *, is_usual: bool
) -> None:
    columns = read(document(old, new)).columns
    assert any(begin <= columns.starts[0] < end for begin, end in columns.usual_ranges) is is_usual


def test_an_entry_that_is_lost_is_not_vouched_for() -> None:
    columns = read(document(*LOST["no < of the only address"])).columns
    assert columns.usual_ranges[0][0] > len(HEAD)


def test_an_entry_that_is_not_closed_is_repaired_after_the_first() -> None:
    data = document(b"</url>", b"")
    with mock.patch.object(scan, "Salvage", wraps=Salvage) as asked:
        assert len(read(data)) == 6
    assert asked.call_count == 1
    judge_reading(data)


@pytest.mark.parametrize(
    "written", ["<é/>", "<é>a&b</é>", "<é", "</é>", "<aé>", "</aé>", "<b:é/>", "<×/>", "</×>", "<loc×a>"]
)
def test_names_of_any_script_are_read_as_by_python(written: str) -> None:
    judge_reading(document(b"</loc>", b"</loc>" + written.encode()))
    judge_reading(document(b"</loc>", b"&</loc>" + written.encode()))


def test_a_name_that_begins_with_a_colon_begins_no_entry() -> None:
    judge_reading(HEAD + USUAL.replace(b"</url>", b"<:url>") + USUAL + b"</urlset>\n")


@pytest.mark.parametrize("seed", range(4))
def test_two_faults_in_one_entry_are_repaired_alike(seed: int) -> None:
    chance = Random(seed)
    for _ in range(25):
        entry = USUAL
        for old, new in chance.sample(list(BROKEN.values()), 2):
            entry = entry.replace(old, new, 1)
        cut = chance.randrange(len(entry)) if chance.random() < 0.3 else len(entry)
        judge_reading(HEAD + entry[:cut] + IMAGE + entry + b"</urlset>\n")
