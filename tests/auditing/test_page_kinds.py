"""Kinds of pages: precision and recall on labelled addresses, and filters learned from behavior."""

from __future__ import annotations

from collections import Counter

import pytest

from urlset.auditing.page_kinds import KindTally, kind_by_address
from urlset.auditing.symptoms import symptom_of
from urlset.model.page import Canonical
from urlset.model.visit import State, Visit

SITE = "https://www.example.com"
LABELLED = {
    "tag-archive": ("/tag/oak/", "/tags/oak", "/blog/tag/oak/page/1/", "/schlagwort/eiche/", "/product-tag/red"),
    "author-archive": ("/author/jane-doe/", "/blog/authors/jane", "/autor/hans/", "/en/author/jane/"),
    "date-archive": ("/2023/05/", "/2023/05/17/", "/blog/2023/11", "/news/2021/01/"),
    "category-archive": ("/category/lamps/", "/blog/category/news", "/kategorie/lampen/"),
    "internal-search": ("/search?q=oak", "/search/oak", "/?s=oak", "/de/suche/?q=x"),
    "cart-or-account": ("/cart", "/checkout/", "/my-account/orders", "/en/login", "/warenkorb/"),
    "pagination": ("/blog/page/2/", "/tag/oak/page/3/", "/shop?page=4", "/list?sort=1&paged=2"),
}
ORDINARY = (
    *("/", "/about", "/tag-your-friends", "/tags", "/tag/", "/blog/how-to-tag/photos/of/cats", "/authors"),
    *("/author/jane/books/one", "/2023/05/17/a-story", "/2023-review", "/20234", "/page/about", "/blog/page/1/"),
    *(
        "/research/papers",
        "/searchlight",
        "/cartography/maps",
        "/accounting-services",
        "/category",
        "/products/cart-12",
    ),
    *("/shop?page=1", "/recherches-en-cours", "/loginradius-review", "/p/2023/05/17/shoe", "/news/topic-of-the-day"),
)


def test_precision_and_recall_on_labelled_addresses() -> None:
    right: Counter[str] = Counter()
    for kind, paths in LABELLED.items():
        for path in paths:
            found = kind_by_address(f"{SITE}{path}")
            right[kind] += found is not None and found.kind == kind
    wrong = {path: found.kind for path in ORDINARY if (found := kind_by_address(f"{SITE}{path}")) is not None}
    assert {kind: right[kind] / len(paths) for kind, paths in LABELLED.items()} == dict.fromkeys(LABELLED, 1.0)
    assert not wrong


def page(path: str, canonical: str | None = None, fingerprint: int | None = None) -> Visit:
    named = (Canonical(f"{SITE}{canonical}"),) if canonical else ()
    return Visit(url=f"{SITE}{path}", state=State.OK, status=200, canonicals=named, fingerprint=fingerprint)


def tally(visits: list[Visit]) -> KindTally:
    found = KindTally()
    for visit in visits:
        found.add(visit.url, "sitemap.xml", symptom_of(visit, {}, 2), visit.fingerprint)
    return found


def test_a_filter_is_known_by_its_canonicals() -> None:
    found = tally([page(f"/shoes/{number}?color=red&size=2", f"/shoes/{number}") for number in range(30)])
    kind = found.kind_of(f"{SITE}/shoes/99?color=blue")
    assert kind is not None
    assert (kind.kind, kind.evidence) == ("facet", "30 of 30 pages with the parameter color repeat another page")
    assert kind.certainty == pytest.approx(0.89, abs=0.01)
    (share,) = found.shares()
    assert (share.count, share.listed, share.kind) == (30, 30, "facet")


def test_a_filter_is_known_by_repeated_text() -> None:
    base = [page(f"/list/{number}", fingerprint=number) for number in range(20)]
    copies = [page(f"/list/{number}?view=grid", fingerprint=number) for number in range(20)]
    kind = tally([*base, *copies]).kind_of(f"{SITE}/list/1?view=grid")
    assert kind is not None
    assert kind.kind == "facet"


def test_a_parameter_that_chooses_the_page_is_not_a_filter() -> None:
    found = tally([page(f"/view?id={number}", fingerprint=number) for number in range(50)])
    assert found.kind_of(f"{SITE}/view?id=7") is None
    few = tally([page(f"/p/{number}?color=red", f"/p/{number}") for number in range(3)])
    assert few.kind_of(f"{SITE}/p/1?color=red") is None, "three pages are not enough"
    session = tally([page(f"/p/{number}?PHPSESSID=ab", f"/p/{number}") for number in range(30)])
    assert session.kind_of(f"{SITE}/p/1?PHPSESSID=ab") is None


def test_shares_by_sitemap() -> None:
    found = KindTally()
    for number in range(59):
        found.add(f"{SITE}/posts/{number}", "posts.xml", None, number)
    for number in range(41):
        found.add(f"{SITE}/tag/{number}-word/", "posts.xml", None, number)
    (share,) = found.shares()
    assert (share.kind, share.share, share.certainty) == ("tag-archive", 0.41, 0.9)
