"""Rows that the screen lets pass → no rule on links has anything to say about them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import urlset.rules.hreflang
from tests.rules.rule_folders import rules_in
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.examples import document_of, wrap
from urlset.checking.subjects import LinkSet, Sitemap
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.hreflang.screen import plain_link_rows

RULES = [rule for rule in rules_in(urlset.rules.hreflang) if rule.on is LinkSet]


def complaints(document: Document) -> dict[int, set[str]]:
    sitemap = Sitemap(document, Context())
    found: dict[int, set[str]] = {}
    for row in range(len(document)):
        links = sitemap.listed(row).links
        if links.elements:
            found[row] = {rule.code for rule in RULES for _ in rule.check(links)}
    return found


def assert_sound(document: Document) -> int:
    plain = plain_link_rows(Sitemap(document, Context()))
    found = complaints(document)
    assert [(row, codes) for row, codes in found.items() if codes and plain[row]] == []
    return sum(plain)


def test_every_example() -> None:
    rules: list[AnyRule] = rules_in(urlset.rules.hreflang)
    for rule in rules:
        for bad in rule.bad:
            assert_sound(document_of(bad))
        for good in rule.good:
            assert_sound(document_of(good))


def test_sound_rows_pass() -> None:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="https://example.com/{language}"/>'
        for language in ("en", "de-AT", "zh-Hant", "x-default")
    )
    text = wrap(f"<url><loc>https://example.com/en</loc>{links}</url><url><loc>https://example.com/</loc></url>")
    assert assert_sound(read(text.encode())) == 2


values = st.sampled_from(["en", "de", "en_US", "us", "x-default", "X-DEFAULT", "en-UK", "", " de ", "ch"])
addresses = st.sampled_from(
    ["https://e.com/", "https://e.com", "http://www.e.com/", "/x", "", "https://e.com/de", "https://@/"]
)
attributes = st.fixed_dictionaries(
    {},
    optional={
        "rel": st.sampled_from(["alternate", "Alternate", "canonical", ""]),
        "hreflang": values,
        "href": addresses,
        "media": st.just("print"),
        "type": st.just("text/html"),
        "xhtml:href": addresses,
    },
)


@given(st.lists(st.lists(attributes, max_size=4), min_size=1, max_size=4))
def test_any_links(entries: list[list[dict[str, str]]]) -> None:
    text = "".join(
        "<url><loc>https://e.com/</loc>"
        + "".join("<xhtml:link " + " ".join(f'{k}="{v}"' for k, v in link.items()) + "/>" for link in links)
        + "</url>"
        for links in entries
    )
    assert_sound(read(wrap(text).encode()))
