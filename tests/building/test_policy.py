"""Candidates → listed or not, and why."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.candidate import Candidate, PolicyReason
from urlset.building.patterns import PatternError, Patterns, compile_pattern
from urlset.building.policy import NEVER_KEPT, ListingPolicy, SectionPolicy, assign_section, section_rules
from urlset.building.spool import KeySet
from urlset.model.entry import Entry
from urlset.reading.robots import read_robots

BASE = "https://www.example.com"


def offer(loc: str, **facts: Any) -> Candidate:
    return Candidate(Entry(loc), "here", **facts)


def decided(loc: str, policy: ListingPolicy | None = None, **facts: Any) -> tuple[str, str]:
    decision = (policy or ListingPolicy(BASE)).decide(offer(loc, **facts))
    assert (decision.loc, decision.origin) == (loc, "here")
    return decision.verdict.value, decision.detail


@pytest.mark.parametrize(
    "loc",
    [
        f"{BASE}/",
        BASE,
        f"{BASE}/a-b_c~d/e.html",
        f"{BASE}/a.b/c",
        f"{BASE}:443/a",
        "HTTPS://WWW.example.com/a",
        f"{BASE}/%C3%BC?x=1&y=2",
        f"{BASE}/pages/feedback/page/1",
        f"{BASE}/?page=1",
        f"{BASE}/?sid=12",
        f"{BASE}/report.pdf",
        f"{BASE}/node.js",
        f"{BASE}/sort/price",
        f"{BASE}/login-tips?next=/a",
        f"{BASE}/help/login?next=",
        f"{BASE}/cart-racing",
        f"{BASE}/blog/cart",
        f"{BASE}/search-engines",
        f"{BASE}/research?q=lamps",
        f"{BASE}/blogin?next=/a",
        f"{BASE}/proxy?url=/a",
        f"{BASE}/next?origin=berlin&destination=rome",
    ],
)
def test_listed(loc: str) -> None:
    assert decided(loc) == ("listed", "")


@pytest.mark.parametrize(
    ("loc", "verdict", "detail"),
    [
        ("", "bad-address", "'': empty"),
        ("/a", "bad-address", "not an http or https URL"),
        ("mailto:a@b.c", "bad-address", "not an http or https URL"),
        (f"{BASE}/a b", "bad-address", "' ': space"),
        (f"{BASE}/ü", "bad-address", "'ü': non-ascii"),
        ("https://me@www.example.com/", "bad-address", "contains a user name"),
        (f"{BASE}/{'a' * 2100}", "bad-address", "2,124 characters, 2,047 are allowed"),
        ("https://example.com/", "other-host", "https://example.com"),
        ("http://www.example.com/", "other-host", "http://www.example.com"),
        ("https://www.example.com.evil.example/", "other-host", "https://www.example.com.evil.example"),
        (f"{BASE}:8443/", "other-host", BASE),
        (f"{BASE}/list/page/2/", "paginated", "/page/2/"),
        (f"{BASE}/list/page-2", "paginated", "/page-2"),
        (f"{BASE}/list?page=3", "paginated", "page=3"),
        (f"{BASE}/list?colour=red&sort=price", "facet", "sort=price"),
        (f"{BASE}/list?filter%5Bx%5D=1", "facet", "filter%5Bx%5D=1"),
        (f"{BASE}/?s=shoes", "facet", "s=shoes"),
        (f"{BASE}/a;jsessionid=1A", "session", ";jsessionid=1A"),
        (f"{BASE}/a?PHPSESSID=k3", "session", "PHPSESSID=k3"),
        (f"{BASE}/a?utm_source=x", "tracking", "utm_source=x"),
        (f"{BASE}/cart", "not-for-search", "a shopping cart, by 'cart'"),
        (f"{BASE}/en-GB/checkout/payment", "not-for-search", "a checkout, by 'checkout'"),
        (f"{BASE}/search?q=lamps", "not-for-search", "a search result, by 'search'"),
        (f"{BASE}/login", "not-for-search", "a page behind a login, by 'login'"),
        (f"{BASE}/de/users/sign_in", "not-for-search", "a page behind a login, by 'users/sign_in'"),
        (f"{BASE}/login?next=/cart", "return-address", "next=/cart"),
        (f"{BASE}/de/Login/?lang=de&returnTo=%2Fde%2F", "return-address", "returnTo=%2Fde%2F"),
        (f"{BASE}/accounts/login/?next=/a/b", "return-address", "next=/a/b"),
        (f"{BASE}/users/sign_in?return_to=/x", "return-address", "return_to=/x"),
        (f"{BASE}/user/register?destination=node/1", "return-address", "destination=node/1"),
        (
            f"{BASE}/wp-login.php?redirect_to=https%3A%2F%2Fwww.example.com%2F",
            "return-address",
            "redirect_to=https%3A%2F%2Fwww.example.com%2F",
        ),
        (f"{BASE}/wiki/Special:UserLogin?returnto=Main+Page", "return-address", "returnto=Main+Page"),
        (f"{BASE}/a.png", "asset", "an image (.png)"),
        (f"{BASE}/a.zip", "asset", "a .zip file"),
        (f"{BASE}/robots.txt", "asset", "robots.txt"),
        (f"{BASE}/sitemap-1.xml", "asset", "sitemap-1.xml is a sitemap"),
        (f"{BASE}/blog/feed.xml", "asset", "a feed"),
        (f"{BASE}/blog/feed/rss", "asset", "a feed"),
    ],
)
def test_addresses_that_do_not_deserve_it(loc: str, verdict: str, detail: str) -> None:
    assert decided(loc) == (verdict, detail)


@pytest.mark.parametrize(
    ("facts", "verdict", "detail"),
    [
        ({"canonical": f"{BASE}/b"}, "not-canonical", f"{BASE}/b"),
        ({"canonical": f"{BASE}/a"}, "listed", ""),
        ({"canonical": "https://WWW.EXAMPLE.com:443/x/../%61#top"}, "listed", ""),
        ({"canonical": "/a"}, "listed", ""),
        ({"directives": ("noindex",)}, "noindex", "noindex"),
        ({"directives": ("none",)}, "noindex", "none"),
        ({"directives": ("max-image-preview:none", "nofollow")}, "listed", ""),
        ({"redirects_to": f"{BASE}/b"}, "redirect", f"{BASE}/b"),
        ({"redirects_to": f"{BASE}/a#x"}, "listed", ""),
        ({"redirects_to": f"{BASE}/b", "directives": ("noindex",)}, "redirect", f"{BASE}/b"),
        ({"is_page": False}, "asset", ""),
        ({"endless": "calendar: it goes on"}, "endless", "calendar: it goes on"),
        ({"endless": "calendar", "directives": ("noindex",)}, "noindex", "noindex"),
    ],
)
def test_what_the_page_says(facts: dict[str, Any], verdict: str, detail: str) -> None:
    assert decided(f"{BASE}/a", **facts) == (verdict, detail)


def test_robots() -> None:
    robots, _ = read_robots(b"User-agent: *\nDisallow: /p\nDisallow: /*?x=\nAllow: /p/ok\n")
    policy = ListingPolicy(BASE, robots=robots)
    assert decided(f"{BASE}/private", policy) == ("disallowed", "robots.txt:2 Disallow: /p")
    assert decided(f"{BASE}/p/ok/1", policy)[0] == "listed"
    assert decided(f"{BASE}/a?x=1", policy) == ("disallowed", "robots.txt:3 Disallow: /*?x=")
    named, _ = read_robots(b"User-agent: bingbot\nDisallow: /\n")
    assert decided(f"{BASE}/a", ListingPolicy(BASE, robots=named))[0] == "listed"
    assert decided(f"{BASE}/a", ListingPolicy(BASE, robots=named, agent="bingbot"))[0] == "disallowed"


def test_duplicates_by_what_they_mean() -> None:
    policy = ListingPolicy(BASE)
    assert decided(f"{BASE}/a", policy) == ("listed", "")
    assert decided(f"{BASE}/a", policy) == ("duplicate", "")
    assert decided(f"{BASE}/%61", policy) == ("duplicate", f"{BASE}/a")
    assert decided(f"{BASE}:443/a", policy) == ("duplicate", f"{BASE}/a")
    assert decided(f"{BASE}/a/", policy) == ("listed", "")


def test_what_was_not_listed_is_no_duplicate() -> None:
    policy = ListingPolicy(BASE)
    assert decided(f"{BASE}/a", policy, directives=("noindex",))[0] == "noindex"
    assert decided(f"{BASE}/a", policy)[0] == "listed"


def test_include_exclude_and_scope() -> None:
    policy = ListingPolicy(f"{BASE}/docs/", include=["/docs/*", "/about"], exclude=["*/draft-*", "re:[?&]print="])
    assert decided(f"{BASE}/docs/a", policy)[0] == "listed"
    assert decided(f"{BASE}/docs/draft-1", policy) == ("excluded", "*/draft-*")
    assert decided(f"{BASE}/docs/a?print=1", policy) == ("excluded", "re:[?&]print=")
    assert decided(f"{BASE}/about", policy) == ("not-included", f"outside {BASE}/docs/")
    narrow = ListingPolicy(BASE, include=["/docs/*"])
    assert decided(f"{BASE}/about", narrow) == ("not-included", "no include pattern matches")


def test_keeping() -> None:
    policy = ListingPolicy(BASE, keep={PolicyReason.PAGINATED, PolicyReason.NOINDEX})
    assert decided(f"{BASE}/list?page=2", policy)[0] == "listed"
    assert decided(f"{BASE}/list?page=3&utm_source=x", policy)[0] == "tracking"
    assert decided(f"{BASE}/a", policy, directives=("noindex",))[0] == "listed"
    for verdict in NEVER_KEPT:
        with pytest.raises(ValueError, match="cannot be kept"):
            ListingPolicy(BASE, keep={verdict})


def test_sections_have_settings_of_their_own() -> None:
    policy = ListingPolicy(
        BASE,
        sections=section_rules(["shop=/shop/*", "blog=/blog/*"]),
        per_section={"shop": SectionPolicy(keep=frozenset({PolicyReason.FACET}), exclude=("/shop/old/*",))},
    )
    assert decided(f"{BASE}/shop/?sort=a", policy)[0] == "listed"
    assert decided(f"{BASE}/blog/?sort=a", policy)[0] == "facet"
    assert decided(f"{BASE}/shop/old/1", policy) == ("excluded", "/shop/old/*")
    assert policy.section_of(offer(f"{BASE}/blog/1")) == "blog"
    assert policy.section_of(offer(f"{BASE}/blog/1", section="mine")) == "mine"
    assert policy.section_of(offer(f"{BASE}/x")) == ""


def test_other_hosts_and_own_output() -> None:
    policy = ListingPolicy(BASE, hosts=["https://shop.example.com/"], own_output=[f"{BASE}/sitemap.html"])
    assert decided("https://shop.example.com/a", policy)[0] == "listed"
    assert decided(f"{BASE}/sitemap.html", policy) == ("own-output", "")


@pytest.mark.parametrize("base", ["", "www.example.com", "ftp://example.com/", "https://"])
def test_a_policy_needs_an_address(base: str) -> None:
    with pytest.raises(ValueError, match="not an http or https URL"):
        ListingPolicy(base)


@pytest.mark.parametrize(
    ("pattern", "loc", "matches"),
    [
        ("/blog/*", "/blog/a/b", True),
        ("/blog/*", "/blog/", True),
        ("/blog/*", "/blog", False),
        ("/blog/*", "/x/blog/a", False),
        ("/blog/*", "/blog/a?x=1", True),
        ("blog/*", "/blog/a", True),
        ("*/blog/*", "/x/blog/a", True),
        ("*.pdf", "/a/b.pdf", True),
        ("*.pdf", "/a?x=b.pdf", False),
        ("/a", "/a", True),
        ("/a", "/ab", False),
        ("/a?x=*", "/a?x=1&y=2", True),
        ("/a?x=*", "/a", False),
        ("/ü/*", "/%C3%BC/a", True),
        ("https://www.example.com/a*", "/ab", True),
        ("https://*.example.com/*", "/x", True),
        ("http://www.example.com/*", "/x", False),
        ("re:/a+$", "/aaa", True),
        ("re:^https", "/x", True),
        ("/a.b", "/axb", False),
        ("/" + "*a" * 40, "/" + "a" * 30, False),
    ],
)
def test_patterns(pattern: str, loc: str, matches: bool) -> None:
    assert compile_pattern(pattern).matches(BASE + loc) is matches
    assert (Patterns(["/never", pattern]).find(BASE + loc) is not None) is matches


@given(st.text("ab*/", max_size=10), st.text("ab/", max_size=12))
def test_a_pattern_means_what_the_shell_means_by_it(pattern: str, path: str) -> None:
    whole = fnmatchcase(f"/{path}", f"/{pattern}")
    assert compile_pattern(f"/{pattern}").matches(f"{BASE}/{path}") is whole


@pytest.mark.parametrize("pattern", ["", "  ", "re:(", "re:[a"])
def test_patterns_that_cannot_be(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("by", "loc", "language", "section"),
    [
        ("path", "/shop/a", None, "shop"),
        ("path", "/Shop%20a/b", None, "shop a"),
        ("path", "/about", None, ""),
        ("path", "/about/", None, ""),
        ("path", "/", None, ""),
        ("path", "", None, ""),
        ("path", "/p/1", None, "products"),
        ("language", "/de/a", None, "de"),
        ("language", "/pt-BR/a", None, "pt-br"),
        ("language", "/about/a", None, ""),
        ("language", "/de/a", "fr", "fr"),
        ("none", "/de/a", "fr", ""),
    ],
)
def test_sections(by: Any, loc: str, language: str | None, section: str) -> None:
    rules = section_rules(["products=/p/*"], by=by)
    assert assign_section(BASE + loc, rules, language=language) == section


@pytest.mark.parametrize("written", ["products", "=x", "A B=/x", "x=", "x=re:(", "-x=/a"])
def test_sections_that_cannot_be(written: str) -> None:
    with pytest.raises(PatternError):
        section_rules([written])


@given(st.lists(st.integers(0, 300).map(str), max_size=400))
def test_seen_is_a_set(keys: list[str]) -> None:
    seen, known = KeySet(), set[str]()
    for key in keys:
        assert seen.add(key) is (key not in known)
        known.add(key)
    assert len(seen) == len(known)


def test_seen_grows() -> None:
    seen = KeySet()
    assert all(seen.add(str(number)) for number in range(100_000))
    assert not any(seen.add(str(number)) for number in range(100_000))


@given(st.text(max_size=60))
def test_any_address(text: str) -> None:
    policy = ListingPolicy(BASE, exclude=["/x*"])
    for loc in (text, f"{BASE}/{text}"):
        policy.decide(offer(loc, canonical=text, redirects_to=text))
