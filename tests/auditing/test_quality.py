"""Soft 404, thin pages and fingerprints on labelled pages: precision and recall must not fall below these floors."""

from __future__ import annotations

import pytest

from tests.auditing.quality import (
    Quality,
    fingerprint_changes,
    fingerprint_quality,
    first_set,
    judge,
    second_set,
)


def assert_at_least(found: Quality, precision: float, recall: float) -> None:
    assert found.precision >= precision, found
    assert found.recall >= recall, found


def test_there_is_enough_to_measure_on() -> None:
    pages = [page for site in (*first_set(), *second_set()) for page in site.pages]
    assert len(pages) > 3000
    assert sum(page.missing for page in pages) > 500
    assert sum(page.thin for page in pages) > 300
    assert len({site.language for site in first_set()}) >= 14


@pytest.mark.parametrize(("probe", "precision", "recall"), [(True, 0.99, 0.98), (False, 0.99, 0.96)])
def test_pages_that_the_weights_were_set_on(*, probe: bool, precision: float, recall: float) -> None:
    found = judge(first_set(28), probe=probe)
    assert_at_least(found["soft 404"], precision, recall)
    assert_at_least(found["thin"], 0.99, 0.98)


@pytest.mark.parametrize(("probe", "precision", "recall"), [(True, 0.98, 0.90), (False, 0.98, 0.70)])
def test_pages_in_other_words(*, probe: bool, precision: float, recall: float) -> None:
    found = judge(second_set(28), probe=probe)
    assert_at_least(found["soft 404"], precision, recall)
    assert_at_least(found["thin"], 0.98, 0.98)


def test_nothing_is_said_wrongly_where_the_site_is_not_known() -> None:
    found = judge(second_set(28), probe=False, boilerplate=False)
    assert found["soft 404"].precision >= 0.97
    assert found["thin"].precision >= 0.98


def test_fingerprints_see_content_and_little_else() -> None:
    changes = list(fingerprint_changes(sites=6))
    found = fingerprint_quality(changes)
    assert_at_least(found, 0.98, 1.0)
    blind = {"another footer", "a menu entry more", "a view counter", "a banner on all pages", "other markup"}
    blind |= {"a stamp of the build", "other pages recommended", "days ago"}
    assert not [name for name, real, seen in changes if seen and not real and name in blind]
