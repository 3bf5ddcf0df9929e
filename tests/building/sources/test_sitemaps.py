"""Existing sitemaps, feeds and Python iterables → candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building.sources.sites import BASE, candidates, lay_out, troubles
from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.sources.iterable import from_iterable
from urlset.building.sources.sitemaps import from_sitemaps
from urlset.building.sources.source import ROWS, SourceOptions, items_of
from urlset.model.entry import Entry, Image, Media

XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'


def urlset(*rows: str) -> str:
    return f"<urlset {XMLNS} {IMAGE}>\n" + "\n".join(rows) + "\n</urlset>\n"


def url(name: str, more: str = "") -> str:
    return f"<url><loc>{BASE}{name}</loc>{more}</url>"


def test_a_tree_with_what_is_missing_and_lost(tmp_path: Path) -> None:
    index = f"<sitemapindex {XMLNS}>" + "".join(
        f"<sitemap><loc>{BASE}{name}</loc></sitemap>" for name in ("one.xml", "gone.xml")
    )
    folder = lay_out(
        tmp_path,
        {
            "sitemap.xml": index + "</sitemapindex>",
            "one.xml": urlset(
                url(
                    "a",
                    "<lastmod>2024-05-01</lastmod><image:image><image:loc>https://i/a.jpg</image:loc></image:image>",
                ),
                url("b c", "<lastmod>soon</lastmod>"),
                "<url><loc></loc></url>",
            ),
        },
    )
    found = list(items_of(from_sitemaps(folder / "sitemap.xml", SourceOptions())))
    first, second = candidates(found)
    assert (first.loc, first.evidence[0].kind, first.evidence[0].lastmod) == (
        f"{BASE}a",
        EvidenceKind.GIVEN,
        "2024-05-01",
    )
    assert first.entry.images == (Image("https://i/a.jpg"),)
    assert first.origin.endswith("one.xml:2")
    assert (second.loc, second.entry.lastmod, second.evidence) == (f"{BASE}b%20c", None, ())
    reasons = [each.reason for each in troubles(found)]
    assert len(reasons) == 3
    assert reasons[0].startswith("lastmod: 'soon'")
    assert reasons[1] == "empty URL"
    assert reasons[2].startswith(f"{BASE}gone.xml: no file")


FEED = f"""<rss version="2.0"><channel><title>t</title><link>{BASE}</link><description>d</description>
<item><title>x</title><link>{BASE}post</link><pubDate>Wed, 01 May 2024 10:00:00 +0200</pubDate></item>
</channel></rss>"""
ATOM = f"""<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><title>x</title>
<link href="{BASE}post"/><updated>2024-05-01T10:00:00+02:00</updated></entry></feed>"""


ARTICLES = f"""<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>t</title>
<item><title>x</title><link>{BASE}post</link><content:encoded><![CDATA[<p>All of it</p>]]></content:encoded></item>
</channel></rss>"""


def test_the_articles_of_a_feed_are_no_part_of_a_sitemap(tmp_path: Path) -> None:
    """They were copied into the entry as an unknown element."""
    folder = lay_out(tmp_path, {"feed.xml": ARTICLES})
    (found,) = candidates(items_of(from_sitemaps(folder / "feed.xml", SourceOptions())))
    assert found.entry == Entry(f"{BASE}post")


@pytest.mark.parametrize("text", [FEED, ATOM])
def test_feeds(tmp_path: Path, text: str) -> None:
    folder = lay_out(tmp_path, {"feed.xml": text})
    (found,) = candidates(items_of(from_sitemaps(folder / "feed.xml", SourceOptions())))
    assert (found.loc, found.entry.lastmod) == (f"{BASE}post", "2024-05-01T10:00:00+02:00")
    assert found.evidence[0].kind is EvidenceKind.GIVEN


def test_iterables() -> None:
    ready = Candidate(Entry(f"{BASE}d"), "mine")
    media = Media(images=(Image("https://i/a.jpg"),))
    offers = [f"{BASE}a", Entry(f"{BASE}b", "Wed, 01 May 2024 10:00:00 GMT", media=media), {"url": "/c"}, ready, 5, "x"]
    found = list(items_of(from_iterable(offers, SourceOptions(base_url=BASE))))  # type: ignore[arg-type]
    assert [(each.loc.removeprefix(BASE), each.origin) for each in candidates(found)] == [
        ("a", "item:1"),
        ("b", "item:2"),
        ("c", "item:3"),
        ("d", "mine"),
    ]
    assert candidates(found)[1].entry == Entry(f"{BASE}b", "2024-05-01T10:00:00Z", media=media)
    assert [(each.origin, each.reason) for each in troubles(found)] == [
        ("item:5", "int is not a URL, entry or mapping"),
        ("item:6", "'x' is not an http or https URL"),
    ]


def test_an_iterable_is_asked_for_some_thousand_at_a_time() -> None:
    taken = []

    def offers() -> object:
        for number in range(10 * ROWS):
            taken.append(number)
            yield f"{BASE}{number}"

    items = items_of(from_iterable(offers()))  # type: ignore[arg-type]
    next(items)
    assert len(taken) == ROWS
