"""XML of another format is named once and left alone; a damaged sitemap is still read as one."""

from __future__ import annotations

import pytest

from tests.recall.shapes import NS, SHOP
from tests.recall.source_files import FOREIGN
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.settings.check import CheckSettings
from urlset.workflows.check import check
from urlset.workflows.library.check import fix

_ENTRY = f"<url><loc>{SHOP}/</loc></url>"
SITEMAPS = {
    "another case": (f'<urlSet xmlns="{NS}">{_ENTRY}</urlSet>', Kind.URLSET),
    "capitals": (f"<URLSET><URL><LOC>{SHOP}/</LOC></URL></URLSET>", Kind.URLSET),
    "another namespace": (f'<urlset xmlns="http://example.com/maps">{_ENTRY}</urlset>', Kind.URLSET),
    "no root": (_ENTRY * 3, Kind.URLSET),
    "no root, other field first": (f"<url><title>a</title><loc>{SHOP}/</loc></url>", Kind.URLSET),
    "no root, unclosed field": (f"<url><lastmod>2026-01-01<loc>{SHOP}/</loc></url>", Kind.URLSET),
    "children without root": (f"<sitemap><loc>{SHOP}/a.xml</loc></sitemap>", Kind.SITEMAPINDEX),
    "root named like a row": (f"<sitemap>{_ENTRY}</sitemap>", Kind.SITEMAPINDEX),
    "wrapped": (f'<response><urlset xmlns="{NS}">{_ENTRY}</urlset></response>', Kind.URLSET),
    "behind a warning": (f'<b>Warning</b>: x<br />\n<urlset xmlns="{NS}">{_ENTRY}</urlset>', Kind.URLSET),
    "behind unclosed markup": (f'<p>Notice<br>\n<urlset xmlns="{NS}">{_ENTRY}</urlset>', Kind.URLSET),
    "items without root": (f"<item><title>a</title><link>{SHOP}/</link></item>", Kind.RSS),
    "rss 1.0": (
        (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
            f"<item><link>{SHOP}/</link></item></rdf:RDF>"
        ),
        Kind.RSS,
    ),
    "atom without namespace": (f'<feed><entry><link href="{SHOP}/"/></entry></feed>', Kind.ATOM),
    "atom misspelled": (
        f'<feed xmlns="https://www.w3.org/2005/atom/"><entry><link href="{SHOP}/"/></entry></feed>',
        Kind.ATOM,
    ),
}


@pytest.mark.parametrize(("text", "name"), FOREIGN.values(), ids=FOREIGN)
def test_another_format_is_named_once(text: str, name: str) -> None:
    verdict = check([read(text.encode(), name="sitemap.xml")], CheckSettings())
    assert [finding.code for finding in verdict.findings] == ["S001"]
    assert name in verdict.findings[0].message
    assert verdict.fixable == 0


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("text", [text for text, _ in FOREIGN.values()], ids=FOREIGN)
def test_another_format_is_never_changed(text: str, unsafe: bool) -> None:
    for given in (text, f"\n{text}", text.replace("'", '"'), text.encode("utf-16").decode("latin-1")):
        result = fix(given.encode(), unsafe=unsafe)
        assert result.data == result.original
        assert not result.changed


@pytest.mark.parametrize(("text", "kind"), SITEMAPS.values(), ids=SITEMAPS)
def test_a_damaged_sitemap_is_still_read(text: str, kind: Kind) -> None:
    document = read(text.encode())
    assert document.kind is kind
    assert len(document) > 0


@pytest.mark.parametrize("opening", [b"<p>", b"<a:b>", b"<!-- <a>", b"<sitemap><a>", b"<feed>"])
def test_looking_for_the_format_is_linear(opening: bytes) -> None:
    from time import process_time

    data = opening * (400_000 // len(opening)) + f'<urlset xmlns="{NS}">{_ENTRY}</urlset>'.encode()
    begin = process_time()
    read(data)
    assert process_time() - begin < 10
