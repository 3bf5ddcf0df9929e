"""The pattern that a crawl advises matches what it kept out of, and not the pages beside it."""

from __future__ import annotations

import pytest

from urlset.building.patterns import compile_pattern
from urlset.crawling.found import Trap, TrapKind
from urlset.crawling.traps import exclude_pattern

SITE = "https://www.example.com"


@pytest.mark.parametrize(
    ("kind", "place", "example", "pattern", "beside"),
    [
        (TrapKind.FACETS, "/shop?…", "/shop?a=1&b=2", "/shop?*&*", ["/shop", "/shop?a=1", "/shop/x?a=1&b=2"]),
        (TrapKind.RETURN, "/login?next=…", "/login?lang=de&next=/a", "/login?*next=*", ["/login", "/login?lang=de"]),
        (
            TrapKind.REPEATED,
            "…/en/news/en/news/en/news/…",
            "/en/news/en/news/en/news/",
            "*/en/news/en/news/*",
            ["/en/news/", "/en/news/a"],
        ),
        (TrapKind.ENDLESS, "/t?token=…", "/t?token=0123456789abcdef0123", "/t?token=*", ["/t", "/t?x=1"]),
        (
            TrapKind.CALENDAR,
            "/cal/…/…",
            "/cal/2028/01",
            "re:^https?://[^/]+/cal/[0-9]+/[0-9]+$",
            ["/cal/", "/cal/2026/05/concert", "/cal/2026/concert", "/x/cal/2026/05"],
        ),
        (
            TrapKind.ENDLESS,
            "/s/…/next.html",
            "/s/0123456789abcdef/next.html",
            r"re:^https?://[^/]+/s/[0-9A-Za-z-]+/next\.html$",
            ["/s/0123456789abcdef/", "/s/a/b/next.html"],
        ),
        (TrapKind.CALENDAR, "/c?month=…&view=list", "/c?month=2028-01&view=list", "/c?month=*&view=list", ["/c"]),
    ],
)
def test_it_matches_the_trap_and_not_its_neighbours(
    kind: TrapKind, place: str, example: str, pattern: str, beside: list[str]
) -> None:
    found = exclude_pattern(Trap(kind, place, ""), SITE + example)
    assert found == pattern
    matches = compile_pattern(found).matches
    assert matches(SITE + example)
    assert [path for path in beside if matches(SITE + path)] == []


@pytest.mark.parametrize(
    ("kind", "place", "example"),
    [
        (TrapKind.ORDER, "/shop?…", "/shop?b=2&a=1"),
        (TrapKind.SESSION, "/a", "/a?sid=1"),
        (TrapKind.DEEP, "/a/b…", "/a/b/c"),
        (TrapKind.LONG, "/a", "/a"),
        (TrapKind.FACETS, "/sh*p?…", "/sh*p?a=1&b=2"),
    ],
)
def test_none_where_no_pattern_tells_them_apart(kind: TrapKind, place: str, example: str) -> None:
    assert exclude_pattern(Trap(kind, place, ""), SITE + example) is None
