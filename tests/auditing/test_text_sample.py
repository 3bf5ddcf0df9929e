"""Whose texts are kept: all of a small site, a thousand of a large one, the same again; long pages do without."""

from __future__ import annotations

import msgspec
import pytest

from tests.servers import pages
from urlset.auditing.facts import seen_of
from urlset.auditing.page_text import ENOUGH, TextSample
from urlset.auditing.soft404 import probe_of
from urlset.model.answer import Answer


def answer(body: bytes) -> Answer:
    url = "https://example.com/a"
    headers = (("content-type", "text/html; charset=utf-8"),)
    return Answer(url, final_url=url, status=200, headers=headers, body=body, wire_bytes=len(body))


def test_a_small_site_is_kept_whole() -> None:
    assert all(page in TextSample(2 * ENOUGH - 1) for page in range(2 * ENOUGH))


@pytest.mark.parametrize("count", [5_000, 50_000, 1_000_000])
def test_of_a_large_site_about_a_thousand_are_kept(count: int) -> None:
    sample = TextSample(count)
    kept = [page for page in range(1, count + 1) if page in sample]
    assert 0.85 * ENOUGH < len(kept) < 1.15 * ENOUGH
    assert kept == [page for page in range(1, count + 1) if page in TextSample(count)]
    # spread over the whole listing
    assert all(
        0.15 < sum(at < page <= at + count // 4 for page in kept) / len(kept) < 0.35
        for at in range(0, count - 3, count // 4)
    )


def test_a_long_page_says_the_same_without_its_text() -> None:
    body = pages.article(7, words=4_000, head='<link rel="canonical" href="/b"><meta name="robots" content="noindex">')
    whole, brief = seen_of(answer(body)), seen_of(answer(body), in_full=False)
    assert whole.blocks
    assert not brief.blocks
    assert whole.visit.sketch
    assert brief.visit == msgspec.structs.replace(whole.visit, sketch=b"")
    assert brief.visit.marks is None


def test_a_short_page_is_read_in_full_all_the_same() -> None:
    body = pages.article(7, words=300)
    assert seen_of(answer(body), in_full=False) == seen_of(answer(body))


def test_words_of_the_frame_make_no_page_long() -> None:
    menu = "<nav>" + "<p>home page of ours</p>" * 1_000 + "</nav>"
    body = f"<!doctype html><title>A</title><body>{menu}<p>Not found.".encode()
    seen = seen_of(answer(body), in_full=False)
    assert seen.visit.marks is not None
    assert seen == seen_of(answer(body))


def test_words_of_the_error_page_make_no_page_long() -> None:
    menu = "".join(f"<div>way {number} to somewhere else</div>" for number in range(600))
    probe = probe_of([answer(f"<title>Oops</title><body>{menu}<p>Nothing here.".encode())])
    body = f"<title>A</title><body>{menu}<p>Six words of this page alone.".encode()
    seen = seen_of(answer(body), baseline=probe, in_full=False)
    assert seen.visit.marks is not None
    assert seen == seen_of(answer(body), baseline=probe)
