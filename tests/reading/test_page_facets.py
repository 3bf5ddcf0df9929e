"""Key images and stated facts of a page → one spelling each; two versions → the parts that differ."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading.fingerprint import changed_facets, page_blocks, plain_number
from urlset.reading.html import read_page
from urlset.reading.html_facets import image_key
from urlset.spec.page_facets import Facet

EVERY = tuple(Facet)


def stated(html: str) -> dict[Facet, set[str]]:
    found: dict[Facet, set[str]] = {}
    for facet, said in read_page(html.encode(), facets=True).stated or ():
        found.setdefault(facet, set()).add(said)
    return found


def linked_data(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def changes(before: str, after: str) -> tuple[Facet, ...] | None:
    one, two = (page_blocks(read_page(html.encode(), facets=True)) for html in (before, after))
    return changed_facets(one, two, (), EVERY)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("/a.jpg?v=1", "/a.jpg?v=2", True),
        ("/a.jpg?20260101", "/a.jpg", True),
        ("https://cdn.example.net/a.jpg", "../a.webp", True),
        ("/a-300x200.jpg", "/a-1024x768.jpg", True),
        ("/a%20b.jpg", "/a b.jpg", True),
        ("/a.jpg", "/b.jpg", False),
        ("/show.php?id=1&v=1", "/show.php?id=2&v=1", False),
        ("/_next/image?url=%2Fa.jpg&w=64&q=75", "/_next/image?url=%2Fb.jpg&w=64&q=75", False),
        ("/_next/image?url=%2Fa.jpg&w=64&q=75", "/_next/image?url=%2Fa.jpg&w=96&q=80", True),
    ],
)
def test_images(one: str, two: str, same: bool) -> None:
    assert (image_key(one) == image_key(two)) is same


def test_an_image_inside_the_page_has_no_address() -> None:
    assert image_key("data:image/png;base64,AA==") is None
    assert image_key("") is None


@pytest.mark.parametrize("spelled", ["1299", "1,299", "1.299,00", "1 299.0", "1299.00", "1'299"])
def test_numbers(spelled: str) -> None:
    assert plain_number(spelled) == "1299"


def test_key_images_are_the_first_and_the_large_ones() -> None:
    found = stated(
        "<nav><img src=/menu.png></nav><main><img src=/dot.png width=1 height=1><img src=/hero.jpg>"
        "<img src=/avatar.jpg><img src=/large.jpg width=800 height=600></main><footer><img src=/foot.jpg></footer>"
    )
    assert found == {Facet.IMAGES: {"hero", "large"}}


def test_microdata() -> None:
    found = stated(
        '<main itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Lamp</h1>'
        "<meta itemprop=sku content=L7>"
        '<img itemprop=image src=/lamp.jpg><b itemprop=price content="19.90">19,90 €</b>'
        '<link itemprop=availability href="https://schema.org/InStock"><i itemprop=reviewCount>12</i></main>'
    )
    assert found == {
        Facet.DATA: {"sku=l7"},
        Facet.IMAGES: {"lamp"},
        Facet.PRICE: {"price=19.9"},
        Facet.AVAILABILITY: {"availability=instock"},
        Facet.RATING: {"reviewCount=12"},
    }


def test_dates_identifiers_and_the_site_are_no_facts() -> None:
    graph = [
        {"@type": "Article", "@id": "#1", "headline": "Oak", "dateModified": "2026-01-01", "wordCount": 300},
        {"@type": "Organization", "name": "Lamps Ltd", "telephone": "1"},
        {"@type": ["WebPage", "ItemPage"], "name": "Oak | Lamps"},
        {"@type": "Person", "name": "Jane"},
    ]
    assert stated(linked_data({"@graph": graph})) == {Facet.DATA: {"article.headline=oak"}}


def test_each_part_is_told_apart() -> None:
    def page(price: int = 5, count: int = 3, name: str = "Lamp", image: str = "/a.jpg") -> str:
        offer = {"@type": "AggregateOffer", "lowPrice": price}
        node = {"@type": "Product", "name": name, "image": {"url": image}, "offers": [offer]}
        return linked_data({**node, "aggregateRating": {"ratingCount": count}}) + "<main><p>A lamp.</p></main>"

    assert changes(page(), page()) == ()
    assert changes(page(), page(price=6)) == (Facet.PRICE,)
    assert changes(page(), page(count=4)) == (Facet.RATING,)
    assert changes(page(), page(name="Light", image="/b.jpg")) == (Facet.IMAGES, Facet.DATA)


def test_a_shown_price_is_text_where_nothing_states_it() -> None:
    assert changes("<main><p>€ 5</p></main>", "<main><p>€ 6</p></main>") == (Facet.TEXT,)


def test_a_sentence_with_the_price_is_text() -> None:
    def page(price: int) -> str:
        said = f"At {price} euros this is the lamp we would buy ourselves, again and again, for every room we have."
        return linked_data({"@type": "Product", "offers": {"price": price}}) + f"<main><p>{said}</p></main>"

    assert changes(page(5), page(6)) == (Facet.TEXT, Facet.PRICE)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "@graph", "name", "offers", "price", "image", "aggregateRating", "availability"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_structured_data_is_read_and_equals_itself(value: Any) -> None:
    html = linked_data(value) + "<main>Text</main>"
    assert changes(html, html) == ()
