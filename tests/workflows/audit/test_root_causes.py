"""Labelled sites: every planted cause is reported once, nothing is invented, and all formats show the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.labelled_sites import blog, docs, languages, mixed, shop
from tests.workflows.root_causes import Outcome, outcome_of
from urlset.workflows.explain import explain_audited

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def small_shop(state: Path) -> Outcome:
    return outcome_of(shop(500), state)


def is_right(found: Outcome) -> bool:
    """Each planted cause has a number of its own, and pages without a fault have none."""
    numbers = [found.reported_as(planted) for planted in found.planted]
    assert all(len(each) == 1 and None not in each for each in numbers), found.pages
    assert len({number for each in numbers for number in each}) == len(found.planted), found.pages
    assert found.reported_as(None) == {None}
    return len(found.causes) == len(found.planted)


def test_a_shop(small_shop: Outcome) -> None:
    assert is_right(small_shop)
    assert len(small_shop.causes) == 12
    for planted, count in small_shop.planted.items():
        (number,) = small_shop.reported_as(planted)
        assert number is not None
        cause = small_shop.causes[number - 1]
        assert (cause.kind, cause.count, cause.lost) == (planted.kind, count, count if planted.lost else 0)
    worst = [small_shop.reported_as(planted) for planted in small_shop.by_damage()[:3]]
    assert worst == [{1}, {2}, {3}]


def test_what_follows_is_folded_into_its_cause(small_shop: Outcome) -> None:
    slash = next(each for each in small_shop.causes if each.title == "missing trailing slash")
    assert [(each.code, each.count) for each in slash.consequences] == [("H024", 15)]
    assert slash.affected == slash.count + 15
    assert not any(each.code == "H024" for each in small_shop.causes)


def test_numbers_are_equal_in_all_formats(small_shop: Outcome) -> None:
    assert small_shop.causes
    assert small_shop.differing() == []
    assert all(cause.advice for cause in small_shop.causes)


def test_login_walls_and_blocked_sections(small_shop: Outcome) -> None:
    rows = json.loads(small_shop.json)["pages"]
    walls = [row for row in rows if "/account/" in row["url"]]
    assert {(row["state"], tuple(row["codes"]), row["remedy"]) for row in walls} == {
        ("requires login", ("A022",), None)
    }
    closed = [row for row in rows if "/lamps/" in row["url"]]
    assert {(row["asked"], row["state"], row["cause"]) for row in closed} == {(False, "unknown", 2)}


def test_a_page_is_explained_by_its_cause(small_shop: Outcome, state: Path) -> None:
    body = json.loads(small_shop.json)
    origin = body["target"].rstrip("/")
    said = "\n".join(explain_audited(state, f"{origin}/lamps/3"))
    assert "cause 2 of the audit: 38 disallowed: Disallow: /lamps/ (line 2 of robots.txt)" in said
    assert "to do: remove the line from robots.txt" in said
    said = "\n".join(explain_audited(state, f"{origin}/account/1"))
    assert "cart-or-account (90% certain: a folder for customers)" in said
    assert "cause" not in "\n".join(explain_audited(state, f"{origin}/tables/1-item"))


def test_a_canonical_to_the_home_page_is_not_listed_instead(small_shop: Outcome) -> None:
    body = json.loads(small_shop.json)
    gifts = [row for row in body["pages"] if "/gifts/" in row["url"]]
    assert {row["remedy"] and row["remedy"]["action"] for row in gifts} == {None}
    (said,) = {each["message"].partition(", ")[2] for each in body["findings"] if "/gifts/" in (each["subject"] or "")}
    assert said.startswith("the home page, so search engines drop this page; correct the canonical")


@pytest.mark.parametrize("make", [blog, docs, languages, mixed])
def test_sites_of_other_shapes(make: object, tmp_path: Path) -> None:
    assert callable(make)
    assert is_right(outcome_of(make(250), tmp_path))
