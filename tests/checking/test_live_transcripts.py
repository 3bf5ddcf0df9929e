"""Transcripts are read as they look, written back the same, and refused where they cannot be meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checking.made_up_rules import context
from tests.checking.transcripts import asset_of, comparison_of, delivery_of, page_of, parse, write
from urlset.checking.live_page import LIVE
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.model.entry import Alternate
from urlset.model.visit import State
from urlset.reading.host_robots import Access
from urlset.rules.catalogue import all_rules

CHAIN = """
listed: https://example.com/a lastmod=2026-01-01 in=sitemap.xml row=3
alternate: de https://example.com/de/a
ledger: 2026-02-02
soft 404: 0.9 a sign; another
> GET https://example.com/robots.txt
< 200
Content-Type: text/plain

User-agent: *
Disallow: /b

> GET https://example.com/a
< 301
Location: /b

> GET https://example.com/b
< 200 after 1.5 s (tried 2 times)
Content-Type: text/html
X-Robots-Tag: nofollow

<title>B</title>

<p>Words.

> GET https://example.com/de/a
! tls_expired since yesterday
"""


def test_answers_are_put_together() -> None:
    robots, page, other = parse(CHAIN).answers
    assert (robots.status, robots.body) == (200, b"User-agent: *\nDisallow: /b\n")
    assert page.hops == (Hop("https://example.com/a", 301, "/b"),)
    assert (page.url, page.final_url, page.status) == ("https://example.com/a", "https://example.com/b", 200)
    assert (page.seconds, page.tries) == (1.5, 2)
    assert page.headers == (("content-type", "text/html"), ("x-robots-tag", "nofollow"))
    assert page.body == b"<title>B</title>\n\n<p>Words.\n"
    assert other.failure == Failure(FailureKind.TLS_EXPIRED, "since yesterday")


def test_a_page_knows_its_surroundings() -> None:
    page = page_of(CHAIN, context())
    assert (page.visit.state, page.visit.title, page.final_url) == (State.REDIRECTED, "B", "https://example.com/b")
    assert (page.listing.source, page.listing.row, page.listing.lastmod) == ("sitemap.xml", 3, "2026-01-01")
    assert page.listing.alternates == (Alternate("de", "https://example.com/de/a"),)
    assert page.seen_changed == "2026-02-02"
    assert page.visit.soft_404 is not None
    assert (page.visit.soft_404.certainty, page.visit.soft_404.signs) == (0.9, ("a sign", "another"))
    other = page.find("https://EXAMPLE.com/de/a")
    assert other is not None
    assert other.state is State.ERROR
    assert page.find("https://example.com/nowhere") is None
    assert page.robots is not None
    assert not page.robots.match("urlset", "https://example.com/b").allowed


def test_a_delivery_is_that_of_the_last_sitemap() -> None:
    text = (
        "named by: https://example.com/index.xml row=2\n"
        "> GET https://example.com/robots.txt\n< 404\n\n"
        "> GET https://example.com/a.xml\n< 200\nContent-Type: application/xml\n\n"
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/</loc></url></urlset>\n'
    )
    delivery = delivery_of(text, context())
    assert (delivery.url, delivery.parent, delivery.row) == (
        "https://example.com/a.xml",
        "https://example.com/index.xml",
        2,
    )
    assert delivery.document is not None
    assert len(delivery.document) == 1
    assert delivery.robots is not None
    assert (delivery.robots.access, delivery.is_robots) == (Access.EVERYTHING, False)
    assert delivery_of("> GET https://example.com/robots.txt\n< 503\n", context()).is_robots


def test_bytes_that_are_no_text() -> None:
    text = (
        "asked for: thumbnail\n> GET https://example.com/a\n< 200\n\n[hex 8950 4e47]\n[1,000 more bytes]\n[truncated]\n"
    )
    answer = asset_of(text, context()).answer
    assert answer.body == b"\x89PNG" + b" " * 1000
    assert answer.truncated


def test_a_comparison() -> None:
    text = (
        "listed: https://e.com/a\ncrawl: a; b\nfound: https://e.com/ start\nfound: https://e.com/b on https://e.com/\n"
    )
    found = comparison_of(text, context())
    assert (found.complete, found.reasons) == (False, ("a", "b"))
    assert [page.url for page in found.unlisted()] == ["https://e.com/", "https://e.com/b"]
    assert [listing.loc for listing in found.unlinked()] == ["https://e.com/a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GET https://example.com/\n", "neither a fact nor a request"),
        ("> GET https://example.com/\n", "no response"),
        ("> GET https://example.com/a\n< 301\nLocation: /b\n", "not requested"),
        ("> GET https://example.com/a\n< 301\nLocation: /b\n\n> GET https://example.com/c\n< 200\n", "not requested"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse(text)


@pytest.mark.slow
def test_every_example_of_a_live_rule_is_written_as_it_is_read() -> None:
    for rule in all_rules():
        if rule.on in LIVE:
            for text in (*(each.text for each in rule.bad), *(each.text for each in rule.good)):
                answers = parse(text).answers
                assert parse(write(answers)).answers == answers, rule.code


NAMES = st.sampled_from(("content-type", "x-robots-tag", "link", "retry-after"))
VALUES = st.from_regex(r"[a-z0-9/;=<>\"-]{1,20}", fullmatch=True)
PATHS = st.from_regex(r"/[a-z0-9]{0,8}", fullmatch=True)


@given(
    PATHS,
    st.lists(st.tuples(NAMES, VALUES), max_size=3),
    st.one_of(st.just(b""), st.from_regex(rb"([a-z<>\"=]{1,20}\n){1,3}", fullmatch=True), st.just(b"\xff\x00\xfe")),
    st.sampled_from((None, FailureKind.CUT_SHORT)),
    st.integers(1, 4),
)
def test_any_answer_survives(
    path: str, headers: list[tuple[str, str]], body: bytes, failure: FailureKind | None, tries: int
) -> None:
    url = f"https://example.com{path}"
    answer = Answer(
        url,
        hops=(Hop(url, 302, "/end"),),
        final_url="https://example.com/end",
        status=200,
        headers=tuple(headers),
        body=body,
        failure=Failure(failure, "detail") if failure else None,
        wire_bytes=len(body),
        tries=tries,
    )
    assert parse(write([answer])).answers == (answer,)
