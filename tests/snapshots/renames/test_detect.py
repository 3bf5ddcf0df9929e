"""Labelled migrations → renames found with precision of 99 % and recall of 95 % at least; and single cases."""

from __future__ import annotations

import pytest

from tests.snapshots.renames.migrations import migration
from urlset.snapshots.delta import Loose
from urlset.snapshots.renames import find_renames

SITE = "https://e.com"


def test_precision_and_recall_on_labelled_migrations() -> None:
    right = claimed = true = 0
    for seed in range(4):
        made = migration(seed)
        found = {each.old: each.new for each in find_renames(made.removed, made.added)}
        right += sum(made.truth.get(old) == new for old, new in found.items())
        claimed += len(found)
        true += len(made.truth)
    assert right / claimed >= 0.99
    assert right / true >= 0.95


def renames(old: list[Loose], new: list[Loose], **more: dict[str, str]) -> list[tuple[str, str, str]]:
    found = find_renames(old, new, **more)
    return [(each.old.removeprefix(SITE), each.new.removeprefix(SITE), each.evidence) for each in found]


def at(path: str, **facts: object) -> Loose:
    return Loose(SITE + path, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "evidence"),
    [
        (at("/a", final_url=f"{SITE}/x/"), at("/x"), "redirect"),
        (at("/a", canonical=f"{SITE}/x"), at("/x"), "canonical"),
        (at("/a", canonical=f"{SITE}/c"), at("/x", canonical=f"{SITE}/c"), "canonical"),
        (at("/a", fingerprint=7), at("/x", fingerprint=7), "content"),
        (at("/a", images='[{"loc":"i"}]'), at("/x", images='[{"loc":"i"}]'), "content"),
        (at("/About_Us.html"), at("/about-us/"), "path"),
        (at("/blog/how-to-tie-a-shoe"), at("/articles/how-to-tie-a-shoe"), "path"),
    ],
)
def test_evidence_is_named(old: Loose, new: Loose, evidence: str) -> None:
    assert renames([old], [new]) == [(old.loc.removeprefix(SITE), new.loc.removeprefix(SITE), evidence)]


def test_a_given_redirect_is_evidence() -> None:
    assert renames([at("/a")], [at("/x")], redirects={f"{SITE}/a": f"{SITE}/x"}) == [("/a", "/x", "redirect")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([at("/a")], [at("/b")]),
        ([at("/shop/blue-shirt-1")], [at("/shop/blue-shirt-2")]),
        ([at("/en/red-shoe-guide")], [at("/de/red-shoe-guide")]),
        ([at("/a", fingerprint=7), at("/b", fingerprint=7)], [at("/x", fingerprint=7)]),
        ([at("/p/red-cotton-shirt"), at("/p/red-cotton-skirt")], [at("/p/red-linen-shirt"), at("/p/blue-linen-skirt")]),
    ],
)
def test_what_is_not_certain_stays_removed_and_added(old: list[Loose], new: list[Loose]) -> None:
    assert renames(old, new) == []


def test_of_several_pages_merged_into_one_only_the_closest_was_renamed() -> None:
    old = [at("/x/shoes", final_url=f"{SITE}/y/shoes"), at("/x/boots", final_url=f"{SITE}/y/shoes")]
    assert renames(old, [at("/y/shoes")]) == [("/x/shoes", "/y/shoes", "redirect")]
