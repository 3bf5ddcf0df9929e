"""Kinds of pages: precision and recall on labelled addresses and pages, and filters learned from behavior."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from urlset.auditing.page_kinds import KindTally, PageKind, kind_by_address, kind_by_content
from urlset.auditing.symptoms import symptom_of
from urlset.model.page import SURELY_OVER, Canonical
from urlset.model.visit import State, Visit
from urlset.reading.html import read_page

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


NOW = datetime(2026, 3, 10, tzinfo=UTC)


def described(text: str, **node: Any) -> str:
    return f'<title>A page</title><script type="application/ld+json">{json.dumps(node)}</script><main>{text}</main>'


def product(text: str, *stock: str, **more: Any) -> str:
    offers = [{"@type": "Offer", "price": 5, "availability": f"https://schema.org/{each}"} for each in stock]
    return described(text, **{"@type": "Product", "name": "Lamp", "offers": offers, **more})


def event(start: str, end: str | None = None, kind: str = "MusicEvent", **more: Any) -> str:
    dates = {"startDate": start, **({"endDate": end} if end else {})}
    return described("<h1>A concert</h1>", **{"@type": kind, "name": "Concert", **dates, **more})


GONE = "<p>This product is no longer available.</p>"
OVER = {
    "expired-product": (
        product("<p>Lamp</p>", "Discontinued"),
        product("<p>Lamp</p>", "Discontinued", "Discontinued"),
        product(GONE, "OutOfStock"),
        product("<p>Dieser Artikel ist leider nicht mehr lieferbar</p>", "SoldOut"),
        product("<p>Ce produit n’est plus disponible.</p>", "OutOfStock"),
        "<title>Lamp</title><h1>This item has been discontinued</h1><p>See our other lamps.</p>",
        described(GONE, **{"@graph": [{"@type": "Product", "offers": {"availability": "Discontinued"}}]}),
        '<main itemscope><h1>Lamp</h1><link itemprop=availability href="http://schema.org/Discontinued"></main>',
    ),
    "past-event": (
        event("2025-06-01T19:00", "2025-06-01T23:00"),
        event("2025-06-01"),
        event("2026-03-01T19:00:00+01:00", "2026-03-08", "Festival"),
        event("2024-01-01", "2024-01-02", "BusinessEvent", eventStatus="https://schema.org/EventCancelled"),
        described("", **{"@graph": [{"@type": "WebPage"}, {"@type": "Event", "startDate": "2020-02-02"}]}),
    ),
}
NOT_OVER = (
    product("<p>Lamp</p>", "InStock"),
    product("<p>Lamp</p>", "OutOfStock"),
    product("<p>Lamp</p>", "SoldOut"),
    product("<p>Lamp</p>", "Discontinued", "InStock"),
    product("<p>This product is no longer available in red.</p>", "OutOfStock"),
    product(GONE, "InStock"),
    product("<p>Lamp</p>"),
    described("", **{"@graph": [{"@type": "Product", "offers": {"availability": "Discontinued"}}] * 2}),
    "<title>Support for Windows 10 is no longer available</title><h1>What now?</h1>",
    f"<main><h1>Return policy</h1>{GONE}</main>",
    event("2026-05-01", "2026-05-02"),
    event("2026-01-01", "2026-12-31"),
    event("2026-03-09", "2026-03-09"),
    event("2026-03-05"),
    event("2025-06-01", eventStatus="https://schema.org/EventPostponed"),
    event("2025-06-01", eventSchedule={"repeatFrequency": "P1W"}),
    event("sometime", "later"),
    described("", **{"@graph": [{"@type": "NewsArticle"}, {"@type": "Event", "startDate": "2020-02-02"}]}),
    described("", **{"@type": "Article", "about": {"@type": "Event", "startDate": "2020-02-02"}}),
)


def over(html: str) -> PageKind | None:
    facts = read_page(html.encode())
    visit = Visit(url=f"{SITE}/p", state=State.OK, status=200, lifetime=facts.lifetime)
    return kind_by_content(visit, NOW)


def test_precision_and_recall_of_what_is_over() -> None:
    """What is at least 80 % certain, from which --drop and --exclude-kind act."""
    wrong = [html for html in NOT_OVER if (found := over(html)) is not None and found.certainty >= SURELY_OVER]
    assert not wrong
    for kind, pages in OVER.items():
        judged = [over(html) for html in pages]
        right = [each for each in judged if each is not None and each.kind == kind and each.certainty >= SURELY_OVER]
        assert len(right) == len(pages), kind
        assert all(each.evidence for each in right)


def test_out_of_stock_is_hardly_expired() -> None:
    found = over(product("<p>Lamp</p>", "OutOfStock"))
    assert found is not None
    assert (found.certainty, "may be temporary" in found.evidence) == (0.3, True)
    tally = KindTally()
    tally.add(f"{SITE}/p", "sitemap.xml", None, 1, found)
    assert not tally.shares()


def test_the_share_of_past_events() -> None:
    tally = KindTally()
    for day in range(1, 10):
        tally.add(f"{SITE}/e/{day}", "events.xml", None, day, over(event(f"2025-06-0{day}")))
    tally.add(f"{SITE}/e/10", "events.xml", None, 10, over(event("2027-06-01")))
    (share,) = tally.shares()
    assert (share.kind, share.count, share.share) == ("past-event", 9, 0.9)
    assert share.evidence == "the event began on 2025-06-01"
