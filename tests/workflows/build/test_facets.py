"""Builds of product pages over several days → which parts of a page move its date, and what the evidence names."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from urlset.building.ledger import Ledger
from urlset.reading.fingerprint import pack, text_of, unpack

BASE = "https://shop.example.com/"
FIRST_DAY = 1767225600
"""2026-01-01"""
MOVED = "2026-01-02"


def product(**other: Any) -> str:
    """A page of a shop, as its theme writes it; named parts are replaced."""
    said = {
        "image": "/img/oak-1200x800.jpg?v=1",
        "preview": f"{BASE}img/oak.jpg?v=1",
        "price": "19.99",
        "stock": "InStock",
        "reviews": 12,
        "name": "Oak lamp",
        "color": "brown",
        "text": "A lamp of oak, oiled by hand.",
        "indent": None,
        **other,
    }
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": said["name"],
        "color": said["color"],
        "image": [said["preview"]],
        "offers": {
            "@type": "Offer",
            "price": said["price"],
            "priceCurrency": "EUR",
            "availability": f"https://schema.org/{said['stock']}",
        },
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.5, "reviewCount": said["reviews"]},
    }
    if said["indent"]:
        data = dict(reversed(data.items()))
    shown = "In stock" if said["stock"] == "InStock" else "Sold out"
    return (
        "<!doctype html><html lang=en><head><title>Oak lamp</title>"
        f'<meta property="og:image" content="{said["preview"]}">'
        f'<script type="application/ld+json">{json.dumps(data, indent=said["indent"])}</script></head><body>'
        '<header><img src="/logo.svg" width="200" height="80"></header>'
        f'<main><h1>Oak lamp</h1><img src="{said["image"]}" width="600" height="400">'
        f"<p>{said['text']}</p><p>€ {said['price']}</p><p>{shown}</p><p>({said['reviews']} reviews)</p></main></body>"
    )


OTHERS = {
    name: f'<title>{name}</title><meta property="og:image" content="/share.png"><main><p>All about {name}.</p></main>'
    for name in ("a", "b", "c", "d", "e")
}


class Shop:
    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.state, self._patch, self._day = home / "public", home / "state", monkeypatch, 0
        self.folder.mkdir()
        for name, text in OTHERS.items():
            (self.folder / f"{name}.html").write_text(text)

    def build(self, page: str, *options: str) -> tuple[str | None, str | None]:
        """The date of the page and the evidence, as the ledger and `explain` have them."""
        (self.folder / "lamp.html").write_text(page, encoding="utf-8")
        self._patch.setenv("SOURCE_DATE_EPOCH", str(FIRST_DAY + self._day * 86400))
        self._day += 1
        ran = run("build", self.folder, "--base-url", BASE, "--state", self.state, *options)
        assert ran.code == 0, ran.err + ran.text
        with Ledger.open_to_read(self.state / "ledger.db") as ledger:
            row = ledger.page(f"{BASE}lamp.html")
        assert row is not None
        return row.lastmod, row.evidence_detail

    def forget_facets(self) -> None:
        """Leave the ledger as the version before wrote it."""
        with closing(sqlite3.connect(self.state / "ledger.db")) as ledger:
            rows = ledger.execute("SELECT id, blocks FROM pages WHERE blocks IS NOT NULL").fetchall()
            ledger.executemany(
                "UPDATE pages SET blocks = ? WHERE id = ?",
                [(pack(text_of(unpack(blocks))), number) for number, blocks in rows],
            )
            ledger.execute(
                "CREATE TABLE sealed AS SELECT name, section, sha256, '' AS unpacked, origin, count, builds FROM backed"
            )
            ledger.execute("DROP TABLE backed")
            ledger.execute("DELETE FROM migrations WHERE number > 2")
            ledger.commit()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, monkeypatch)


SAME: dict[str, dict[str, Any]] = {
    "nothing": {},
    "order of keys, whitespace": {"indent": 4},
    "another version of the image": {"image": "/img/oak-1200x800.jpg?v=123", "preview": f"{BASE}img/oak.jpg?v=123"},
    "another size and format": {"image": "/img/oak-600x400.webp?v=1&width=600"},
    "another host": {"preview": "//cdn.example.net/img/oak.jpg"},
    "the price": {"price": "24.99"},
    "the price, spelled otherwise": {"price": "19.990"},
    "the stock": {"stock": "OutOfStock"},
    "the number of reviews": {"reviews": 13},
}


@pytest.mark.parametrize("what", SAME)
def test_what_moves_no_date(shop: Shop, what: str) -> None:
    shop.build(product())
    assert shop.build(product(**SAME[what])) == (None, None)


MOVING: dict[str, dict[str, Any]] = {
    "a key image": {"image": "/img/oak-at-night.jpg"},
    "the structured data": {"color": "black"},
    "the main content": {"text": "A lamp of oak, waxed by hand."},
    "the main content and a key image": {"text": "Another lamp.", "preview": "/img/other.jpg"},
}


@pytest.mark.parametrize("what", MOVING)
def test_what_moves_a_date_is_named(shop: Shop, what: str) -> None:
    shop.build(product())
    moved = (MOVED, f"{what} changed since the last build")
    assert shop.build(product(**MOVING[what])) == moved
    assert shop.build(product(**MOVING[what])) == moved, "it stays where it is"
    explained = run("explain", f"{BASE}lamp.html", "--state", shop.state)
    assert f"{what} changed" in explained.text


CHOSEN: dict[str, tuple[dict[str, Any], str]] = {
    "price": ({"price": "24.99"}, "the price"),
    "availability": ({"stock": "SoldOut"}, "the availability"),
    "rating": ({"reviews": 13}, "the rating"),
}


@pytest.mark.parametrize("facet", CHOSEN)
def test_a_chosen_part_moves_the_date(shop: Shop, facet: str) -> None:
    other, named = CHOSEN[facet]
    shop.build(product())
    moved = MOVED, f"{named} changed since the last build"
    assert shop.build(product(**other), "--date-changes", f"text,{facet}") == moved


def test_a_part_that_is_not_chosen_moves_nothing(shop: Shop) -> None:
    shop.build(product())
    assert shop.build(product(image="/img/new.jpg", color="red"), "--date-changes", "text") == (None, None)


def test_an_image_for_the_whole_site_moves_nothing(shop: Shop) -> None:
    shop.build(product())
    for name, text in OTHERS.items():
        (shop.folder / f"{name}.html").write_text(text.replace("/share.png", "/winter.png"))
    shop.build(product())
    with Ledger.open_to_read(shop.state / "ledger.db") as ledger:
        assert {row.lastmod for row in ledger.pages()} == {None}


def test_a_ledger_of_the_version_before_dates_nothing_anew(shop: Shop) -> None:
    shop.build(product())
    shop.forget_facets()
    assert shop.build(product(image="/img/new.jpg")) == (None, None), "what it showed before is not known"
    assert shop.build(product(image="/img/newer.jpg"))[0] == "2026-01-03"
    shop.forget_facets()
    with Ledger.open_to_read(shop.state / "ledger.db") as ledger:
        before = {row.url: row.lastmod for row in ledger.pages()}
    shop.build(product(image="/img/newer.jpg"))
    with Ledger.open_to_read(shop.state / "ledger.db") as ledger:
        assert {row.url: row.lastmod for row in ledger.pages()} == before


def test_an_unknown_part_is_refused(shop: Shop) -> None:
    ran = run("build", shop.folder, "--base-url", BASE, "--date-changes", "colour")
    assert ran.code == 2
    assert "availability" in ran.err
