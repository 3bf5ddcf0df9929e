"""Items of feeds read by compiled code are the items that expat reads, whatever is in them."""

from __future__ import annotations

from random import Random

import pytest

from fuzz.judge import judge_reading
from fuzz.mutate import mutated
from tests.reading.scanners import needs_compiled
from urlset.model.columns import Columns
from urlset.reading import scan
from urlset.reading.read import read

pytestmark = needs_compiled

RSS = (
    "<title>A &amp; b</title>",
    "<link>https://e.com/1?a=1&amp;b=2</link>",
    "<link> https://e.com/2\n</link>",
    "<link/>",
    "<link foo='1'>https://e.com/3</link>",
    "<link>a<b/>c</link>",
    "<Link>https://e.com/4</Link>",
    "<pubDate>Mon, 03 Mar 2025 10:00:00 GMT</pubDate>",
    "<pubdate>2025</pubdate>",
    "<dc:date>2025-01-01</dc:date>",
    "<date>2025-01-02</date>",
    "<guid>https://e.com/5</guid>",
    '<guid isPermaLink="false">6</guid>',
    "<description><![CDATA[<p>Hi</p>]]></description>",
    "<item><link>https://e.com/7</link></item>",
    "<q:date xmlns:q='http://purl.org/dc/elements/1.1/'>2024</q:date>",
    "<x xmlns='urn:x'><link>n</link><item/></x>",
    "<!-- c -->",
    "text",
    "&",
)
ATOM = (
    "<title>One</title>",
    '<link href="https://e.com/1"/>',
    '<link rel="alternate" href="https://e.com/2?a=1&amp;b=2"/>',
    '<link rel="self" href="s"/>',
    '<link rel="alter&#110;ate" href="r"/>',
    '<link href="a\tb"/>',
    '<link rel="alternate"/>',
    '<link a:href="x" href="y"><b/>t</link>',
    "<LINK href='https://e.com/3'/>",
    "<updated>2025-01-01T10:00:00Z</updated>",
    "<modified>2025-01-01</modified>",
    "<published>2024-01-01T00:00:00Z</published>",
    "<Updated>2025</Updated>",
    '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content>',
    "<entry/>",
    "<a:updated>2020</a:updated>",
    "<?p q?>",
)
DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:a="http://www.w3.org/2005/Atom"'


def rss(*items: str, channel: str = "<channel>") -> bytes:
    rows = "".join(f"<item>{item}</item>\n" for item in items)
    return f'<rss version="2.0" {DC}>{channel}<title>T</title>\n{rows}</channel></rss>\n'.encode()


def atom(*items: str) -> bytes:
    rows = "".join(f"<entry>{item}</entry>\n" for item in items)
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {DC}><title>T</title>{rows}</feed>\n'.encode()


@pytest.mark.parametrize("piece", RSS)
@pytest.mark.parametrize("channel", ["<channel>", "<channel xmlns='urn:w'>", "<channel xmlns:dc='urn:q'>"])
def test_each_part_of_an_item(piece: str, channel: str) -> None:
    plain = RSS[1] + RSS[7]
    judge_reading(rss(plain, piece, plain + piece, piece + plain, piece + piece, channel=channel))


@pytest.mark.parametrize("piece", ATOM)
def test_each_part_of_an_entry(piece: str) -> None:
    plain = ATOM[1] + ATOM[9]
    judge_reading(atom(plain, piece, plain + piece, piece + plain, piece + piece))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mixed_and_damaged_feeds(seed: int) -> None:
    chance = Random(seed)
    for _ in range(60):
        make, pieces = chance.choice(((rss, RSS), (atom, ATOM)))
        feed = make(*("".join(chance.sample(pieces, chance.randrange(5))) for _ in range(6)))
        judge_reading(feed if chance.random() < 0.5 else mutated(feed, (rss(*RSS), atom(*ATOM)), chance))


@pytest.mark.parametrize("feed", [rss(*[RSS[0] + RSS[1] + RSS[7]] * 600), atom(*[ATOM[0] + ATOM[2] + ATOM[9]] * 600)])
def test_an_ordinary_feed_needs_expat_for_its_first_item_only(feed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[int] = []
    reference = scan.Scan._reference

    def noted(self: scan.Scan, at: int, rows: int) -> object:
        wanted.append(rows)
        return reference(self, at, rows)

    monkeypatch.setattr(scan.Scan, "_reference", noted)
    columns: Columns = read(feed).columns
    assert len(columns) == 600
    assert len(wanted) <= 3
