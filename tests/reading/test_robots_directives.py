"""Values of robots meta tags and X-Robots-Tag headers → directives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.page import BotDirectives
from urlset.reading.robots import header_directives, meta_directives


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", ("noindex",)),
        (" NoIndex ,NOFOLLOW", ("noindex", "nofollow")),
        ("max-image-preview:none", ("max-image-preview:none",)),
        ("max-image-preview : none, none", ("max-image-preview:none", "none")),
        ("index,,follow,", ("index", "follow")),
        ("", ()),
        ("noindex nofollow", ("noindex", "nofollow")),
        ("NOINDEX\n  NOFOLLOW", ("noindex", "nofollow")),
        ("noindex follow, max-snippet : 20 noarchive", ("noindex", "follow", "max-snippet:20", "noarchive")),
        (
            "noindex unavailable_after: 25 Jun 2031 15:00:00 GMT",
            ("noindex", "unavailable_after:25 jun 2031 15:00:00 gmt"),
        ),
        ("please do noindex this", ("please do noindex this",)),
        ("noindex-ish nofollow", ("noindex-ish nofollow",)),
        (
            "unavailable_after: Wed, 25 Jun 2031 15:00:00 GMT, noindex",
            ("unavailable_after:wed, 25 jun 2031 15:00:00 gmt", "noindex"),
        ),
    ],
)
def test_meta(content: str, expected: tuple[str, ...]) -> None:
    assert meta_directives(content) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex, nofollow", [("robots", ("noindex", "nofollow"))]),
        ("googlebot: noindex, nofollow", [("googlebot", ("noindex", "nofollow"))]),
        ("nofollow, BingBot: noindex", [("robots", ("nofollow",)), ("bingbot", ("noindex",))]),
        ("googlebot: noindex nofollow", [("googlebot", ("noindex", "nofollow"))]),
        ("noindex nofollow", [("robots", ("noindex", "nofollow"))]),
        ("max-snippet: 20", [("robots", ("max-snippet:20",))]),
        ("a: noindex, b: none", [("a", ("noindex",)), ("b", ("none",))]),
        ("", []),
    ],
)
def test_header(value: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert list(header_directives(value)) == [BotDirectives(*each) for each in expected]


@given(st.text())
def test_never_raises(text: str) -> None:
    meta_directives(text)
    header_directives(text)
