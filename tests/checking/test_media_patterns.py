"""A pattern made of one entry says of all others what a closer look at each says, or nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checking.risky_values import mutations
from tests.reading.scanners import BOTH, chosen
from urlset.checking import media_signals
from urlset.checking.context import Context
from urlset.checking.engine import CAP, run
from urlset.checking.examples import wrap
from urlset.checking.media_patterns import RowLinks
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.rules.hreflang.graph import read_graph

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
PAGE = "<url>\n<loc>https://example.com/{n}?a=1&amp;b=2</loc>\n<lastmod>2026-01-01</lastmod>\n"
LINK = '<xhtml:link rel="alternate" hreflang="{}" href="https://example.com/{}?a=1&amp;b=2"/>\n'
LINKS = "".join(LINK.format(language, path) for language, path in (("en-US", "{n}"), ("de", "de/{n}")))
IMAGE = (
    "<image:image><image:loc>https://example.com/{n}.jpg?w=1&amp;h=2</image:loc><image:title>Ä {n} > B</image:title>"
    "<image:caption>A &amp; B</image:caption></image:image>"
)
VIDEO = (
    "<video:video><video:thumbnail_loc>https://example.com/{n}.jpg</video:thumbnail_loc>"
    "<video:title>日本 {n}</video:title>"
    "<video:description>Words</video:description><video:content_loc>https://example.com/{n}.mp4</video:content_loc>"
    "<video:duration>60</video:duration><video:publication_date>2026-01-0{n}</video:publication_date></video:video>"
)
LAYOUTS = (LINKS, IMAGE, VIDEO, LINKS + IMAGE, IMAGE + LINKS, IMAGE + IMAGE.replace("{n}.", "b{n}."), LINKS + VIDEO)


def judged(document: Document, patterns: int) -> tuple[list[int], dict[int, RowLinks]]:
    links: dict[int, RowLinks] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(media_signals, "_MOST_PATTERNS", patterns)
        patch.setattr(media_signals, "_OFTEN", 1)
        return list(media_signals.media_signals(document, NOW, links)), links


def assert_alike(data: bytes) -> dict[int, RowLinks]:
    document = read(data)
    with_patterns, links = judged(document, 8)
    assert with_patterns == judged(document, 0)[0]
    graph, again = read_graph(document, links), read_graph(document)
    assert [
        (block.links, block.languages, block.whole, block.only_languages, block.rows) for block in graph.blocks
    ] == [(block.links, block.languages, block.whole, block.only_languages, block.rows) for block in again.blocks]
    return links


def rows(layout: str, count: int = 4) -> str:
    return "".join((PAGE + layout + "</url>\n").replace("{n}", str(number + 1)) for number in range(count))


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_entries_of_one_layout(layout: str, scanner: str) -> None:
    with chosen(scanner):
        links = assert_alike(wrap(rows(layout)).encode())
    assert list(links) == (list(range(4)) if LINKS in layout else [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('hreflang="de"', 'hreflang="xx-YY"'),
        ('hreflang="de"', 'hreflang="en-US"'),
        ("https://example.com/3?", "https://example.com/x?"),
        ("/de/3?a", "/de/3#a"),
        ("https://example.com/de/3", "/de/3"),
        ("https://example.com/3.jpg", "https://example.com/b3.jpg"),
        ("日本 3", "\u3000"),
        ("日本 3", "a" * 101),
        ("Words", "&lt;b&gt;"),
        ("Words", "\u00a0"),
        ("2026-01-03", "2027-01-03"),
        ("3.mp4", "3.txt"),
        ("3.mp4", "3?a=1&amp;b=2"),
        ("60", "28801"),
        ("<lastmod>", '<xhtml:link rel="alternate" hreflang="fr" href="https://example.com/fr"/><lastmod>'),
        ("2026-01-01", '<xhtml:link rel="alternate" hreflang="fr" href="https://example.com/fr"/>2026-01-01'),
    ],
)
def test_an_entry_among_them_that_differs(old: str, new: str) -> None:
    for layout in LAYOUTS:
        before, third, behind = re.split(r"(?<=</url>\n)(?=<url>\n<loc>https://example.com/[34])", rows(layout))
        assert_alike(wrap(before + third.replace(old, new) + behind).encode())


@given(st.data(), st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS))
@settings(max_examples=150)
def test_damage(data: st.DataObject, one: str, other: str) -> None:
    assert_alike(data.draw(mutations(wrap(rows(one) + rows(other)).encode())))


def test_problems_beyond_the_cap_are_counted_as_if_each_were_made() -> None:
    document = read(wrap(rows(IMAGE, CAP) + rows(IMAGE.replace("<image:loc>", "<image:loc> "), 3)).encode())
    rule = [rule for rule in all_rules() if rule.code == "M004"]
    capped, all_made = run(document, rule, Context(now=NOW)), run(document, rule, Context(now=NOW), cap=None)
    assert len(all_made.problems) == 2 * (CAP + 3)
    assert len(capped.problems) == CAP
    assert (capped.counts, capped.severities, capped.fixable) == (
        all_made.counts,
        all_made.severities,
        all_made.fixable,
    )
    assert capped.beyond["M004"] == CAP + 6
