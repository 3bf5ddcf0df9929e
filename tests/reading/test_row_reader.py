"""The quick ways to media and to the places of fields give what expat gives, or nothing where they are not sure."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.judge import by_reference
from fuzz.mutate import mutated
from fuzz.seeds import SEEDS
from tests.reading.scanners import BOTH, chosen, needs_compiled
from tests.reading.sitemaps import url, with_extensions
from urlset import Document, read
from urlset.checking.subjects import counted_place
from urlset.model.columns import TEXTS
from urlset.reading.vocabulary import FIELD_NAMES

MEDIA = {
    "single quotes": b"<xhtml:link rel='alternate' hreflang='de' href='https://e.com/?a=1&amp;b=2'/>",
    "white space in a value": b'<xhtml:link hreflang="de" href="a\t\r\nb&#10;c"/>',
    "two prefixes": b"<image:image><video:title>t</video:title><image:loc>i</image:loc></image:image>",
    "repeated": b"<image:image><image:loc>a</image:loc><image:loc>b</image:loc></image:image>",
    "CDATA and references": b"<video:video><video:title>a<![CDATA[<b>]]>&#233;</video:title></video:video>",
    "marked": b"<video:video><video:restriction relationship='allow'>DE AT</video:restriction></video:video>",
    "many": b"<video:video><video:tag>a</video:tag><video:tag>b</video:tag><video:price a='1'>1</video:price>"
    b"</video:video>",
    "show": b"<video:video><video:tvshow><video:show_title>s</video:show_title></video:tvshow></video:video>",
    "news": b"<news:news><news:publication><news:name>N</news:name></news:publication><news:title>t</news:title>"
    b"</news:news>",
    "a comment": b"<image:image><!-- <image:loc>x</image:loc> --><image:loc>a<!-- b -->c</image:loc></image:image>",
    "an element in a text": b"<image:image><image:loc>a<image:b>c</image:b></image:loc></image:image>",
    "unknown": b"<news:other a='1'><news:b/></news:other>",
    "empty": b"<image:image/><video:video/><news:news/><xhtml:link/>",
    "repaired": b"<image:image><image:caption>A & B &copy; C</image:caption></image:image>",
}


def documents(data: bytes, scanner: str) -> tuple[Document, Document]:
    with chosen(scanner):
        quick = read(data)
    return quick, by_reference(data)


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("extra", MEDIA.values(), ids=MEDIA)
def test_media_are_those_of_expat(extra: bytes, scanner: str) -> None:
    quick, reference = documents(with_extensions(url("1", extra), url("2"), url("3", extra * 2)), scanner)
    with chosen(scanner):
        for row in range(3):
            assert quick.media(row) == reference.media(row)
        assert [entry.images for entry in quick.entries()] == [entry.images for entry in reference.entries()]


@needs_compiled
def test_two_iterations_do_not_see_each_other_s_media() -> None:
    with chosen("compiled"):
        document = read(with_extensions(*(url(f"{n}", MEDIA["repeated"]) for n in range(3))))
        first, second = iter(document), iter(document)
        assert [(next(first), next(second)) for _ in range(3)] == [(entry, entry) for entry in document]


@needs_compiled
def test_a_document_with_a_compiled_reader_can_be_pickled() -> None:
    with chosen("compiled"):
        document = read(with_extensions(url("1", MEDIA["marked"])))
        media = document.media(0)
        again = pickle.loads(pickle.dumps(document.row_reader))
        assert again.media(document, 0) == media


def places_agree(document: Document) -> int:
    """How many fields were found without reading the row; each of them where the row has it."""
    found = 0
    for row in range(len(document)):
        for name, column in zip(FIELD_NAMES, TEXTS, strict=True):
            at = document.bare_field(row, name)
            if at is None:
                continue
            found += 1
            text = getattr(document.columns, column)[row]
            element = document.element(row).first(name)
            assert element is not None
            assert element.value.text == text
            assert element.value.place.offset == at
            assert document.data.startswith(text.replace("&", "&amp;").replace("<", "&lt;").encode(), at)
            lead, middle, size = len(text) - len(text.lstrip()), len(text.strip()) // 2, len(text.strip())
            for start, end in ((0, size), (0, middle), (middle, middle + 1), (middle, size)):
                place = element.value.locate(lead + start, end - start)
                assert start == end or counted_place(at, text, start, end) == place
    return found


FIELDS = b"<lastmod>2026-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority>"


@pytest.mark.parametrize("scanner", BOTH)
def test_fields_of_usual_rows_are_found_without_reading_them(scanner: str) -> None:
    with chosen(scanner):
        document = read(with_extensions(url("caf\u00e9 a", FIELDS), url(" b ", FIELDS), url("c", MEDIA["show"])))
        assert places_agree(document) == 9


ODD = (
    b"<url><loc >https://e.com/</loc ><image:image><loc>https://e.com/</loc></image:image></url>",
    url("a&amp;b"), url("a&b"), b"<url><loc><![CDATA[x]]></loc></url>", b"<url><!-- <loc>x</loc> --><loc>x</loc></url>",
    b"<url><lastmod>x</lastmod><loc>x</loc></url>", b"<url><loc>a</loc><loc>b</loc></url>",
    b"<url><loc>a\r\nb</loc></url>",
    b"<url a='<loc>'><loc>x</loc></url>", b"<url></url>", b"<url><loc></loc></url>",
)  # fmt: skip


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("entry", ODD)
def test_what_is_found_without_reading_is_right(entry: bytes, scanner: str) -> None:
    with chosen(scanner):
        places_agree(read(with_extensions(url("1"), entry, url("2"))))


@given(chance=st.randoms(use_true_random=False))
def test_places_in_mutated_files_are_right(chance: Random) -> None:
    places_agree(read(mutated(chance.choice(SEEDS), SEEDS, chance)))
