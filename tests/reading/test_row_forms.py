"""Entries read by their form are what the reference reader makes of them, and it is asked once for each form."""

from __future__ import annotations

import pytest

from tests.reading.scanners import chosen
from tests.reading.sitemaps import url, with_extensions
from tests.reading.test_fast_path import assert_agree
from urlset import read
from urlset.reading import row_forms
from urlset.reading.forms import OFTEN
from urlset.reading.reference import Pass
from urlset.reading.scanner import PYTHON

IMAGE = b"<image:image><image:loc>https://e.com/%d.png</image:loc></image:image>"
FORMS = {
    "fields in another order": b"<url><lastmod>2026-01-01</lastmod>\n<loc>https://e.com/%d</loc></url>",
    "media before a field": b"<url><loc>https://e.com/%d</loc>" + IMAGE + b"<lastmod>2026-01-01</lastmod></url>",
    "attributes": b'<url id="u%d" xml:lang="en"><loc a="1">https://e.com/%d</loc></url >'.replace(
        b"</url >", b"</url>"
    ),
    "section": b"<url><loc>\r\n <![CDATA[https://e.com/?a=%d&b=]]] > 2]]>\r\n</loc></url>",
    "comments": b"<!-- %d --><url><!-- a-b %d --><loc>https://e.com/%d</loc><!-- <loc>x</loc> --></url>",
    "references": b"<url><loc>https://e.com/%d?a=1&#38;b=2&#xE9;&amp;lt;</loc><lastmod>\r\n2026\r\n</lastmod></url>",
    "namespaces": b'<url xmlns:i="urn:i"><loc>https://e.com/%d</loc><i:a xmlns:j="urn:%d"><j:b/></i:a></url>',
    "three levels": b"<url><loc>https://e.com/%d</loc><news:news><news:a><news:b>%d</news:b></news:a></news:news></url>",
    "quotes": b"<url><loc>https://e.com/%d</loc><xhtml:link rel='alternate' hreflang='de' href='https://e.com/%d'/></url>",
    "no address": b"<url><lastmod>2026-01-%d</lastmod></url>",
    "empty": b"<url><loc> </loc><priority>0.%d</priority></url>",
    "instruction": b"<url><?php %d?><loc>https://e.com/%d</loc></url>",
    "stray text": b"<url>%d<loc>https://e.com/%d</loc></url>",
    "blank as stray text": b"<url>\xc2\xa0<loc>https://e.com/%d</loc></url>",
    "two addresses": b"<url><loc>https://e.com/%d</loc><loc>https://e.com/%d</loc></url>",
}
ONE_BY_ONE = {"instruction", "stray text", "two addresses", "blank as stray text"}
HARMFUL = (
    b"]]>",
    b"&eacute;",
    b"&#1;",
    b"&#x1F;",
    b"\x01",
    b"\0",
    b"\xff",
    b"\xef\xbf\xbf",
    b"<",
    b"-->",
    b"--",
    b'"',
    b"?>",
)


def rows(form: bytes, count: int) -> bytes:
    return b"\n".join(form.replace(b"%d", b"%d" % (1000 + number)) for number in range(count))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_both_agree_on_many_entries_of_one_form(form: bytes) -> None:
    assert_agree(with_extensions(rows(form, OFTEN + 3)), PYTHON)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_value_that_changes_the_markup_is_not_taken_by_form(form: bytes) -> None:
    known = rows(form, 3)
    for harmful in HARMFUL:
        assert_agree(with_extensions(known + form.replace(b"%d", harmful) + known), PYTHON)


@pytest.mark.parametrize("name", FORMS)
def test_the_reference_reads_one_entry_of_a_form(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by_it = []

    class Counted(Pass):
        def run(self, start: int, stop: int, *, rows: int = -1) -> object:  # type: ignore[override]
            read_by_it.append(start)
            return super().run(start, stop, rows=rows)

    monkeypatch.setattr(row_forms, "Pass", Counted)
    monkeypatch.setattr("urlset.reading.scan.Pass", Counted)
    with chosen(PYTHON):
        assert len(read(with_extensions(rows(FORMS[name].replace(b"urn:%d", b"urn:1"), 50)))) == 50
    assert (len(read_by_it) > 2 + 1) == (name in ONE_BY_ONE)


def test_entries_without_a_common_form_are_not_learned_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = b"\n".join(url(f"{number}", b"<!-- c --><b:a%d/>" % number) for number in range(200))
    monkeypatch.setattr(row_forms.RowForms, "_read", lambda _self, key: learned.append(key))
    learned: list[bytes] = []
    with chosen(PYTHON):
        assert len(read(with_extensions(forms))) == 200
    assert len(learned) <= row_forms.FEW_FORMS
