"""robots.txt and paths → may a crawler fetch it, and by which line."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading.robots import is_allowed, matcher_for, read_robots


def allowed(text: str, path: str, agent: str = "Googlebot") -> bool:
    return is_allowed(read_robots(text.encode())[0], agent, path).allowed


def rules(*lines: str) -> str:
    return "\n".join(["User-agent: *", *lines, ""])


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/", "/anything", True),
        ("/fish", "/fish", True),
        ("/fish", "/fish.html", True),
        ("/fish", "/fishheads/yummy.html", True),
        ("/fish", "/fish.php?id=anything", True),
        ("/fish", "/Fish.asp", False),
        ("/fish", "/catfish", False),
        ("/fish", "/desert/fish", False),
        ("/fish*", "/fishheads", True),
        ("/fish*", "/Fish", False),
        ("/fish/", "/fish/salmon.htm", True),
        ("/fish/", "/fish", False),
        ("/fish/", "/fish.html", False),
        ("/*.php", "/folder/filename.php?parameters", True),
        ("/*.php", "/filename.php/", True),
        ("/*.php", "/windows.PHP", False),
        ("/*.php$", "/filename.php", True),
        ("/*.php$", "/filename.php?parameters", False),
        ("/*.php$", "/filename.php5", False),
        ("/fish*.php", "/fishheads/catfish.php?parameters", True),
        ("/fish*.php", "/Fish.PHP", False),
        ("/a$", "/a", True),
        ("/a$", "/a/", False),
        ("/*/b/*/c$", "/x/b/y/b/z/c", True),
        ("/*/b/*/c$", "/x/b/c", False),
        ("/*a*a$", "/xa", False),
        ("*", "/x", True),
        ("fish", "/fish", False),
        ("/ツ", "/%E3%83%84", True),
        ("/%e3%83%84", "/%E3%83%84", True),
        ("/a b", "/a%20b", True),
    ],
)
@pytest.mark.parametrize("agent", ["Googlebot", "bingbot"])
def test_a_rule_matches_from_the_beginning_of_the_path(pattern: str, path: str, matches: bool, agent: str) -> None:
    assert allowed(rules(f"Disallow: {pattern}"), path, agent) is not matches


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        (("Allow: /p", "Disallow: /"), "/page", True),
        (("Allow: /folder", "Disallow: /folder"), "/folder/page", True),
        (("Allow: /page", "Disallow: /*.htm"), "/page.htm", False),
        (("Allow: /page", "Disallow: /*.ph"), "/page.php5", True),
        (("Allow: /$", "Disallow: /"), "/", True),
        (("Allow: /$", "Disallow: /"), "/page.htm", False),
        (("Disallow: /x/", "Allow: /x/y"), "/x/y/z", True),
        (("Disallow:",), "/x", True),
        (("Allow:", "Disallow: /"), "/x", False),
        (("Disallow: /",), "/robots.txt", True),
    ],
)
def test_the_longest_rule_wins_and_a_tie_allows(lines: tuple[str, ...], path: str, expected: bool) -> None:
    assert allowed(rules(*lines), path) is expected


def test_length_is_counted_in_octets() -> None:
    text = rules("Allow: /ツツ", "Disallow: /*abcdefgh")
    assert allowed(text, "/%E3%83%84%E3%83%84abcdefgh")


def test_google_compares_escapes_as_written_and_the_rfc_does_not() -> None:
    text = rules("Disallow: /foo/%62%61%7A")
    assert allowed(text, "/foo/baz", "Googlebot")
    assert not allowed(text, "/foo/baz", "bingbot")
    assert not allowed(text, "/foo/%62%61%7A", "Googlebot")


def test_an_escaped_star_or_dollar_means_itself() -> None:
    text = rules("Disallow: /a%2Ab", "Disallow: /c%24")
    for agent in ("bingbot", "yandex"):
        assert not allowed(text, "/a*b", agent)
        assert allowed(text, "/axxb", agent)
        assert not allowed(text, "/c$d", agent)


def test_google_takes_an_allowed_index_page_for_its_folder() -> None:
    text = rules("Disallow: /", "Allow: /shop/index.html")
    assert allowed(text, "/shop/", "Googlebot")
    assert not allowed(text, "/shop/", "bingbot")
    assert not allowed(text, "/shop/x", "Googlebot")


GROUPS = """
User-agent: googlebot-news
Disallow: /n

User-agent: *
Disallow: /star

User-agent: googlebot
Disallow: /g1

User-agent: Other
User-agent: GOOGLEBOT/2.1
Disallow: /g2
"""


@pytest.mark.parametrize(
    ("agent", "forbidden"),
    [
        ("Googlebot", {"/g1", "/g2"}),
        ("googlebot/2.1 (+http://www.google.com/bot.html)", {"/g1", "/g2"}),
        ("Googlebot-News", {"/n"}),
        ("Googlebot-Image", {"/g1", "/g2"}),
        ("Storebot-Google", {"/star"}),
        ("bingbot", {"/star"}),
        ("other", {"/g2"}),
        ("Googlebotter", {"/star"}),
    ],
)
def test_the_most_specific_groups_are_merged_and_the_star_counts_last(agent: str, forbidden: set[str]) -> None:
    paths = {"/n", "/star", "/g1", "/g2"}
    assert {path for path in paths if not allowed(GROUPS, path, agent)} == forbidden


def test_a_group_without_rules_frees_its_agent() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: bingbot\nDisallow:\n"
    assert allowed(text, "/x", "bingbot")
    assert not allowed(text, "/x", "seznambot")


def test_the_deciding_line_is_named() -> None:
    robots, _ = read_robots(b"User-agent: *\nDisallow: /a\nDisallow: /a/b\n")
    match = is_allowed(robots, "x", "/a/b/c")
    assert match.line is not None
    assert (match.line.number, match.line.value) == (3, "/a/b")
    assert is_allowed(robots, "x", "/c").line is None


def test_many_stars_cost_no_time() -> None:
    robots, _ = read_robots(rules("Disallow: /" + "*a" * 200 + "b").encode())
    matcher = matcher_for(robots, "x")
    begun = time.process_time()
    assert matcher.match("/" + "a" * 2000).allowed
    assert time.process_time() - begun < 0.5


@given(st.text("ab*$/", max_size=12), st.text("ab/", max_size=14))
def test_agrees_with_a_plain_regular_expression(pattern: str, tail: str) -> None:
    pattern, path = f"/{pattern}", f"/{tail}"
    body, anchored = pattern.removesuffix("$"), pattern.endswith("$")
    expression = ".*".join(map(re.escape, body.split("*"))) + (r"\Z" if anchored else "")
    assert allowed(rules(f"Disallow: {pattern}"), path) is (re.match(expression, path) is None)


@given(st.text(max_size=40), st.text(max_size=40))
def test_never_raises(pattern: str, path: str) -> None:
    assert isinstance(allowed(rules(f"Disallow: {pattern}"), path), bool)
