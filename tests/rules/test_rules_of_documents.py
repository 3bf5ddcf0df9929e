"""Rules that are not loaded for a document would have had nothing to say of it."""

from __future__ import annotations

import pytest

from tests.checking.test_signals_are_sound import EXAMPLES
from tests.reading.scanners import BOTH, chosen
from urlset.checking.engine import check
from urlset.checking.examples import context_of, document_of
from urlset.checking.select import select
from urlset.rules.catalogue import file_rules, may_have_media, rules_of
from urlset.spec.engines import Engine


@pytest.mark.parametrize("scanner", BOTH)
def test_rules_left_out_are_silent(scanner: str) -> None:
    every = select(file_rules(), tuple(Engine))
    with chosen(scanner):
        for _, example in EXAMPLES:
            document = document_of(example)
            loaded = {rule.code for rule in rules_of(document.kind, media=may_have_media(document))}
            left_out = [rule for rule in every if rule.code not in loaded]
            verdict = check(document, left_out, context_of(example, tuple(Engine)))
            assert not verdict.counts, document.data
            assert not verdict.not_checked, document.data


def test_a_plain_sitemap_needs_no_rules_on_media() -> None:
    from urlset.reading.read import read

    plain = read(
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.com/</loc></url></urlset>'
    )
    families = {rule.code[0] for rule in rules_of(plain.kind, media=may_have_media(plain))}
    assert families.isdisjoint("MVNHIR")
