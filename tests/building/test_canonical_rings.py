"""Pages that name each other as canonical: exactly one of each circle is listed, by a rule that can be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.candidate import Candidate, PolicyReason
from urlset.building.policy import CanonicalRings, ListingPolicy, _rings
from urlset.model.entry import Entry

BASE = "https://www.example.com"


def page(path: str, canonical: str, **facts: Any) -> Candidate:
    return Candidate(Entry(BASE + path), path, canonical=BASE + canonical, **facts)


def settled(tmp_path: Path, *pages: Candidate, redirects: dict[str, str] | None = None) -> tuple[list[str], list[str]]:
    """Paths that are listed, and the notes."""
    rings = CanonicalRings(tmp_path / "rings")
    policy = ListingPolicy(BASE + "/")
    for each in pages:
        assert policy.decide(each).verdict is PolicyReason.NOT_CANONICAL
        rings.hold(each)
    for loc, target in (redirects or {}).items():
        rings.redirects(BASE + loc, BASE + target)
    decisions = [decision for decision, _ in rings.settle(policy)]
    assert [decision.loc for decision in decisions] == [each.loc for each in pages]
    for decision, each in zip(decisions, pages, strict=True):
        if decision.verdict is not PolicyReason.LISTED:
            assert (decision.verdict, decision.detail) == (PolicyReason.NOT_CANONICAL, each.canonical)
    listed = [each.loc.removeprefix(BASE) for each in decisions if each.verdict is PolicyReason.LISTED]
    return listed, list(rings.notes())


@pytest.mark.parametrize(
    ("pages", "listed"),
    [
        ([("/aa", "/b"), ("/b", "/aa")], ["/b"]),
        ([("/b", "/a"), ("/a", "/b")], ["/b"]),
        ([("/aa", "/b"), ("/b", "/aa"), ("/c", "/aa")], ["/aa"]),
        ([("/a", "/b"), ("/b", "/c"), ("/c", "/a"), ("/d", "/a")], ["/a"]),
        ([("/a", "/b"), ("/b", "/a"), ("/c", "/dd"), ("/dd", "/c")], ["/a", "/c"]),
        ([("/a", "/%62"), ("/b", "/a#top")], ["/a"]),
        ([("/a", "/b"), ("/b", "/c")], []),
        ([("/a?sort=x", "/longer"), ("/longer", "/a?sort=x")], ["/longer"]),
    ],
    ids=["shorter", "first", "most named", "three", "two circles", "spellings", "no circle", "one is a variant"],
)
def test_one_of_each_circle(pages: list[tuple[str, str]], listed: list[str], tmp_path: Path) -> None:
    found, notes = settled(tmp_path, *(page(*each) for each in pages))
    assert found == listed
    assert len(notes) == bool(listed)


def test_a_canonical_that_redirects_back(tmp_path: Path) -> None:
    """Whole sites name the address without the slash, which redirects to the one with it."""
    found, notes = settled(tmp_path, page("/a/", "/a"), page("/b/", "/b"), redirects={"/a": "/a/", "/b": "/b/"})
    assert found == ["/a/", "/b/"]
    assert notes == [f"canonicals form 2 loops; one page of each is listed, such as {BASE}/a/ and not {BASE}/a"]


def test_a_page_that_is_not_worth_listing_is_not_chosen(tmp_path: Path) -> None:
    found, notes = settled(tmp_path, page("/a", "/bb", thin="3 words"), page("/bb", "/a"))
    assert found == ["/bb"]
    assert notes == [f"canonicals form a loop: {BASE}/bb is listed, {BASE}/a is not"]


@given(st.dictionaries(st.integers(0, 12), st.integers(0, 12), max_size=12))
def test_circles_are_what_comes_back_to_itself(following: dict[int, int]) -> None:
    def comes_back(start: int) -> set[int]:
        seen, at = set(), following[start]
        while at in following and at not in seen:
            seen.add(at)
            at = following[at]
        return seen

    expected = {each for each in following if each in comes_back(each)}
    found = _rings(following)
    assert set(found) == expected
    for each in expected:
        assert found[each] == found[following[each]]
        assert {other for other in found if found[other] == found[each]} == comes_back(each)
