"""Labels of Search Console in their spellings lead to one reason each."""

from __future__ import annotations

import json

import pytest

from tests.house.source_tree import ROOT
from urlset.spec.index_reasons import REASONS, Advice, reason_of

FACTS = ROOT.parent / "shared" / "engines" / "page-indexing-reasons.json"


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Crawled - currently not indexed", "crawled-not-indexed"),
        ("crawled \u2013 currently not indexed", "crawled-not-indexed"),
        ("Excluded by \u2018noindex\u2019 tag", "noindex"),
        ("Alternative page with proper canonical tag", "alternate-canonical"),
        ("Duplicate, Google chose different canonical than user", "duplicate-google-chose"),
    ],
)
def test_spellings(label: str, expected: str) -> None:
    found = reason_of(label)
    assert found is not None
    assert found.id == expected


def test_an_unknown_label_is_no_error() -> None:
    assert reason_of("Tarand\u0131, \u015fu anda dizine eklenmi\u015f de\u011fil") is None


def test_no_label_means_two_things() -> None:
    labels = [label for reason in REASONS for label in reason.labels]
    assert len(labels) == len(set(labels))
    assert {reason.advice for reason in REASONS} <= set(Advice)


@pytest.mark.skipif(not FACTS.is_file(), reason="the collected facts are not beside this checkout")
def test_every_collected_reason_is_known() -> None:
    collected = json.loads(FACTS.read_text(encoding="utf-8"))["reasons"]
    for each in collected:
        for label in (each["label"], *each["variants"]):
            found = reason_of(label)
            assert found is not None, label
            assert found.id == each["id"]
