"""Every rule on the URL of a page also checks the URLs of child sitemaps, or its place in an index is stated here."""

from __future__ import annotations

import msgspec
import pytest

from urlset.checking.declare import AnyRule, Bad
from urlset.checking.engine import check
from urlset.checking.examples import complete, context_of, document_of
from urlset.checking.tree import TreeView
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import Engine

INDEX_RULES = {
    "L001": {"I004"},
    "L002": {"I016"},
    "L015": {"I006"},
    "L016": {"I021"},
    "L017": {"I006"},
    "L018": {"I007"},
    "L019": {"I006"},
    "L020": {"I008"},
    "L022": {"I008"},
    "L037": {"I006"},
}
"""rules on pages, and the rules on indexes that report the same"""
FOR_PAGES = {
    "L040": "an index has no filters",
    "L024": "which of two pages is canonical",
    "L026": "a page is indexed under its URL, a sitemap is not",
    "L035": "a feed or a text file may be a child",
    "L039": "the home page is not a sitemap, which I011 reports",
}
RULES = [rule for rule in all_rules() if rule.card.family == "L" and rule.on is not TreeView]


def in_an_index(example: Bad) -> Bad | None:
    text = complete(example.text.replace("«", "").replace("»", ""))
    if "<urlset" not in text:
        return None
    for name, other in (("urlset", "sitemapindex"), ("<url>", "<sitemap>"), ("</url>", "</sitemap>")):
        text = text.replace(name, other)
    return msgspec.structs.replace(example, text=text)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code not in FOR_PAGES], ids=lambda rule: rule.code)
def test_the_same_url_is_reported_in_an_index(rule: AnyRule) -> None:
    reporting = INDEX_RULES.get(rule.code, {rule.code})
    rules = [other for other in all_rules() if other.code in reporting]
    examples = [child for example in rule.bad if (child := in_an_index(example)) is not None]
    assert examples
    silent = [
        child.text
        for child in examples
        if not check(document_of(child), rules, context_of(child, tuple(Engine))).findings
    ]
    # Without the URL of the index, two schemes or spaces around one URL are no different sites.
    assert len(silent) <= (1 if rule.code in ("L016", "L022") else 0), silent


def test_the_tables_name_rules() -> None:
    assert {*INDEX_RULES, *FOR_PAGES} <= {rule.code for rule in RULES}
