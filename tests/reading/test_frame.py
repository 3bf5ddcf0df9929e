"""What a parser is fed before a stretch of a document: enough to read it, and no more than it needs."""

from __future__ import annotations

from unittest import mock

import pytest

from fuzz.seeds import SEEDS, corpus
from tests.reading.scanners import BOTH, chosen
from tests.reading.test_properties import snapshot
from urlset import read
from urlset.model.trouble import TroubleKind
from urlset.reading import limits, reference
from urlset.reading.reference import OpenTag, opened, opened_ahead

ONE = b"<url><loc>http://a.test/1</loc></url>"
TWO = b"<url><loc>http://a.test/2</loc></url>"
NS = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
MANY = OpenTag(b"<r %s>" % b" ".join(b"xmlns:p%d='urn:%d'" % (number, number) for number in range(1000)))


def test_attributes_are_left_out_and_declarations_are_kept_as_written() -> None:
    tag = OpenTag(b"""<a:urlset b="xmlns:c='d'" xmlns = "&#117;" a:e='>' xmlns:a='x"y'>""")
    assert tag.whole == b"""<a:urlset xmlns="&#117;" xmlns:a='x"y'>"""


def test_of_many_declarations_those_are_fed_that_the_stretch_uses() -> None:
    data = b"<p1:a p2:b='http://p3:4/'><p5:c/></p1:a>"
    assert opened((MANY,), data, 0, 21) in {
        b"<r xmlns:p1='urn:1' xmlns:p2='urn:2'>",
        b"<r xmlns:p2='urn:2' xmlns:p1='urn:1'>",
    }
    assert MANY.around(b"<p7:a/>") == b"<r xmlns:p7='urn:7'>"
    assert MANY.binding(b"<p7:a/><q:b/>") == b"<r xmlns:p7='urn:7' xmlns:q=\"urn:unbound:q\">"


def test_no_tag_crosses_the_end_of_the_stretch() -> None:
    data = b"<p1:a/><p2:b/><p3:c/>"
    assert opened_ahead((MANY,), data, 0, 10) == (b"<r xmlns:p1='urn:1'>", 7)
    assert opened_ahead((MANY,), data, 1, 3) == (b"<r>", 1)
    assert opened_ahead((OpenTag(NS),), data, 0, 10) == (NS, len(data))


@pytest.mark.parametrize("scanner", BOTH)
def test_a_short_look_ahead_reads_the_same(scanner: str) -> None:
    wide, narrow = [], []
    with chosen(scanner):
        for data in (*SEEDS, *corpus()):
            wide.append(snapshot(read(data)))
            with (
                mock.patch.object(reference, "_are_short", return_value=False),
                mock.patch.object(limits, "FIRST_CHUNK", 40),
            ):
                narrow.append(snapshot(read(data)))
    assert wide == narrow


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize(
    ("body", "comments"),
    [
        (ONE + b"<a><p:x/></a>" + TWO, 0),
        (b"<a>" + ONE + b"</a><p:x/>" + TWO, 0),
        (ONE + b"<!-- c --><p:x/>" + TWO, 1),
        (b"<url><loc>http://a.test/1</loc><!-- c --><p:x/></url>" + TWO, 1),
    ],
)
def test_nothing_is_read_twice_behind_an_undeclared_prefix(body: bytes, comments: int, scanner: str) -> None:
    with chosen(scanner):
        document = read(NS + body + b"</urlset>")
    assert [entry.loc for entry in document] == ["http://a.test/1", "http://a.test/2"]
    assert [trouble.kind for trouble in document.troubles] == [TroubleKind.UNBOUND_PREFIX]
    assert len(document.columns.comments) == comments
    assert len(set(document.columns.outside)) == len(document.columns.outside)


@pytest.mark.parametrize("scanner", BOTH)
def test_stray_text_before_an_undeclared_prefix_is_reported(scanner: str) -> None:
    with chosen(scanner):
        document = read(NS + ONE + b" stray <p:x/>" + TWO + b"</urlset>")
    assert {trouble.kind for trouble in document.troubles} == {TroubleKind.STRAY_TEXT, TroubleKind.UNBOUND_PREFIX}
