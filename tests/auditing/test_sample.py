"""Listed pages → samples with some of each kind, the same for the same seed, and intervals that hold."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from urlset.auditing.sample import Estimator, SampleSize, Strata, wilson
from urlset.auditing.sections import path_shape

Listing = list[tuple[str, str]]


def listing(**sizes: int) -> Listing:
    return [("map.xml", f"https://e.test/{name}/{number}") for name, size in sizes.items() for number in range(size)]


def sampled(pages: Listing, wanted: str, seed: int = 0, most: int = 2000) -> Listing:
    strata = Strata(most)
    for page in pages:
        strata.add(*page)
    taker = strata.taker(SampleSize.parse(wanted), seed)
    return [page for page in pages if taker.takes(*page)]


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("https://e.test/", "/"),
        ("https://e.test", "/"),
        ("https://e.test/about", "/*"),
        ("https://e.test/p/123", "/p/*"),
        ("https://e.test/en/p/red?size=4", "/en/p/*?"),
        ("https://e.test/blog/2024/01/x/", "/blog/*/*/*/"),
        ("https://e.test/2024/x", "/*/*"),
        ("no address", "*"),
    ],
)
def test_shapes(url: str, shape: str) -> None:
    assert path_shape(url) == shape


def test_the_share_of_each_kind_is_kept_and_none_is_forgotten() -> None:
    pages = listing(p=9000, blog=900, help=99, rare=1)
    random.Random(1).shuffle(pages)
    found = Counter(path_shape(url) for _, url in sampled(pages, "500"))
    assert found.total() == 500
    assert found["/rare/*"] == 1
    assert 440 <= found["/p/*"] <= 455
    assert 43 <= found["/blog/*"] <= 47


def test_the_same_seed_takes_the_same_pages() -> None:
    pages = listing(p=2000, blog=100)
    assert sampled(pages, "5%", seed=3) == sampled(pages, "5%", seed=3)
    assert sampled(pages, "5%", seed=3) != sampled(pages, "5%", seed=4)


@pytest.mark.parametrize(
    ("wanted", "count"), [("1", 1), ("3", 3), ("50%", 55), ("100%", 110), ("999999", 110), ("0.1%", 1)]
)
def test_exactly_as_many_as_were_asked_for(wanted: str, count: int) -> None:
    assert len(sampled(listing(a=100, b=5, c=3, d=1, e=1), wanted)) == count


def test_files_are_kinds_too() -> None:
    pages = [(f"map{number % 10}.xml", f"https://e.test/p/{number}") for number in range(1000)]
    assert len({source for source, _ in sampled(pages, "20")}) == 10


def test_more_kinds_than_can_be_kept() -> None:
    pages = [("m", f"https://e.test/{chr(97 + n % 26) * (1 + n % 7)}/x{n}") for n in range(5000)]
    assert len(sampled(pages, "100", most=5)) == 100


@pytest.mark.parametrize("text", ["", "0", "x", "5.5", "0%", "101%", "-3", "5 pages"])
def test_what_is_no_sample_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        SampleSize.parse(text)


def test_an_interval_that_is_known_from_books() -> None:
    low, high = wilson(0.1, 100)
    assert (round(low, 4), round(high, 4)) == (0.0552, 0.1744)
    assert wilson(0.0, 100)[0] == 0.0
    assert wilson(0.0, 100)[1] == pytest.approx(0.037, abs=0.001)


def test_a_sample_of_everything_leaves_no_doubt() -> None:
    strata = Strata()
    pages = listing(p=40, q=10)
    for page in pages:
        strata.add(*page)
    estimator = Estimator(strata)
    for number, page in enumerate(pages):
        estimator.add(*page, kinds=["A001"] if number < 5 else [])
    found = estimator.estimates()["A001"]
    assert (found.seen, found.of, found.pages_low, found.pages_high) == (5, 50, 5, 5)


def test_what_was_not_seen_may_be_there_all_the_same() -> None:
    strata = Strata()
    pages = listing(p=1000)
    for page in pages:
        strata.add(*page)
    estimator = Estimator(strata)
    assert estimator.unseen() is None
    for page in pages[:100]:
        estimator.add(*page, kinds=[])
    unseen = estimator.unseen()
    assert unseen is not None
    assert (unseen.share, unseen.low, unseen.pages_low) == (0, 0, 0)
    assert 0.03 < unseen.high < 0.04  # Wilson for 0 of 100, narrowed by the tenth that was seen


def test_pages_that_were_seen_without_it_do_not_have_it() -> None:
    strata = Strata()
    pages = listing(p=10)
    for page in pages:
        strata.add(*page)
    estimator = Estimator(strata)
    for number, page in enumerate(pages[:9]):
        estimator.add(*page, kinds=["x"] if number < 4 else [])
    found = estimator.estimates()["x"]
    assert (found.pages_low, found.pages_high) == (4, 5)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """A rare kind is drawn more often than its share; the projection must not be bent by that."""
    pages = listing(p=3000, blog=300, rare=30)
    faulty = {url for number, (_, url) in enumerate(pages) if (number % 11 == 0 and "/p/" in url) or "/rare/" in url}
    strata = Strata()
    for page in pages:
        strata.add(*page)
    held = 0
    for seed in range(200):
        taker, estimator = strata.taker(SampleSize(pages=200), seed), Estimator(strata)
        for page in pages:
            if taker.takes(*page):
                estimator.add(*page, kinds=["x"] if page[1] in faulty else [])
        found = estimator.estimates()["x"]
        held += found.pages_low <= len(faulty) <= found.pages_high
    assert held >= 184
