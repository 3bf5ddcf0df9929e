"""robots.txt files, tidy and not → groups, Sitemap lines, exact places, troubles for lines that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.document import LineKind, Robots
from urlset.model.trouble import TroubleKind as Kind
from urlset.reading.robots import read_robots, recognizes


def groups(robots: Robots) -> list[tuple[tuple[str, ...], list[str]]]:
    return [(g.agents, [f"{line.kind} {line.value}" for line in g.lines]) for g in robots.groups]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"User-agent: *\nDisallow:\n", True),
        (b"\xef\xbb\xbfUser-agent: *", True),
        (b"# hello\r\r  sitemap : https://e.com/s.xml", True),
        (b"useragent: *", True),
        (b"ALLOW: /", True),
        (b"#\n" * 500 + b"Site-map: x", True),
        (b"", False),
        (b"# only a comment", False),
        (b"https://e.com/\n", False),
        (b"<html>\nUser-agent: *\n</html>", False),
        (b" \n<?xml version='1.0'?>\nAllow: no", False),
        (b"we disallow: nothing", False),
    ],
)
def test_what_robots_txt_looks_like(data: bytes, expected: bool) -> None:
    assert recognizes(data) is expected


@pytest.mark.parametrize(
    ("line", "kind", "written", "value"),
    [
        ("User-agent: Googlebot", LineKind.USER_AGENT, "User-agent", "Googlebot"),
        ("useragent: *", LineKind.USER_AGENT, "useragent", "*"),
        ("user agent: *", LineKind.USER_AGENT, "user agent", "*"),
        ("USER-AGENT *", LineKind.USER_AGENT, "USER-AGENT", "*"),
        ("Allow:/a", LineKind.ALLOW, "Allow", "/a"),
        ("Disallow :\t/a b ", LineKind.DISALLOW, "Disallow", "/a b"),
        ("Disallow:", LineKind.DISALLOW, "Disallow", ""),
        ("dissallow: /", LineKind.DISALLOW, "dissallow", "/"),
        ("Diasllow /x", LineKind.DISALLOW, "Diasllow", "/x"),
        ("  Sitemap: https://e.com/s.xml # all", LineKind.SITEMAP, "Sitemap", "https://e.com/s.xml"),
        ("Sitemaps: https://e.com/s.xml", LineKind.SITEMAP, "Sitemaps", "https://e.com/s.xml"),
        ("Site-map: /s.xml", LineKind.SITEMAP, "Site-map", "/s.xml"),
        ("Sitemap https://e.com/s.xml", LineKind.SITEMAP, "Sitemap", "https://e.com/s.xml"),
        ("Sitemap /s.xml", LineKind.SITEMAP, "Sitemap", "/s.xml"),
        ("Crawl-delay: 10", LineKind.CRAWL_DELAY, "Crawl-delay", "10"),
        ("Host: e.com", LineKind.HOST, "Host", "e.com"),
        ("Clean-param: ref /a", LineKind.CLEAN_PARAM, "Clean-param", "ref /a"),
        ("Noindex: /a", LineKind.NOINDEX, "Noindex", "/a"),
        ("Request-rate: 1/5", LineKind.OTHER, "Request-rate", "1/5"),
        ("Sitemap: https://e.com/ü.xml", LineKind.SITEMAP, "Sitemap", "https://e.com/ü.xml"),
    ],
)
def test_lines(line: str, kind: LineKind, written: str, value: str) -> None:
    data = f"# first\n\r\n{line}\r\n".encode()
    robots, troubles = read_robots(data)
    (found,) = robots.lines
    assert (found.kind, found.written, found.value, found.number) == (kind, written, value, 3)
    assert found.place.cut(data).decode() == line
    assert found.value_place.cut(data).decode() == value
    assert troubles == []
    assert robots.sitemaps == ((found,) if kind is LineKind.SITEMAP else ())


@pytest.mark.parametrize("line", ["hello", "hello world", "User-agent a b", ": value", "Disallow", "<html>"])
def test_lines_that_say_nothing(line: str) -> None:
    data = f"User-agent: *\n {line}# why\nDisallow: /\n".encode()
    robots, troubles = read_robots(data)
    assert [(t.kind, t.detail) for t in troubles] == [(Kind.BAD_LINE, line)]
    assert troubles[0].place.cut(data).decode() == f" {line}# why"
    assert groups(robots) == [(("*",), ["disallow /"])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("User-agent: a\n", [(("a",), [])]),
        ("User-agent: a\nUser-agent: b\nDisallow: /", [(("a", "b"), ["disallow /"])]),
        (
            "User-agent: a\nDisallow: /x\nUser-agent: b\nAllow: /",
            [(("a",), ["disallow /x"]), (("b",), ["allow /"])],
        ),
        (
            "User-agent: a\n\n# why\n\nDisallow: /x\n\nDisallow: /y",
            [(("a",), ["disallow /x", "disallow /y"])],
        ),
        # a Sitemap line neither ends the list of agents nor the group
        ("User-agent: a\nSitemap: s\nUser-agent: b\nDisallow: /", [(("a", "b"), ["disallow /"])]),
        ("User-agent: a\nDisallow: /x\nSitemap: s\nDisallow: /y", [(("a",), ["disallow /x", "disallow /y"])]),
        # nor does any other line that is no rule
        (
            "User-agent: a\nCrawl-delay: 5\nUser-agent: b\nAllow: /",
            [(("a", "b"), ["crawl-delay 5", "allow /"])],
        ),
        ("User-agent: a\nDisallow: /\nCrawl-delay: 5\nHost: h", [(("a",), ["disallow /", "crawl-delay 5"])]),
        # rules of nobody
        ("Disallow: /\nUser-agent: a\nUser-agent: b\nAllow: /", [(("a", "b"), ["allow /"])]),
        # the same agent twice stays two groups: merging them is the matcher's business
        (
            "User-agent: a\nAllow: /x\nUser-agent: a\nAllow: /y",
            [(("a",), ["allow /x"]), (("a",), ["allow /y"])],
        ),
        ("User-agent: *\nDisallow:", [(("*",), ["disallow "])]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_groups(text: str, expected: list[tuple[tuple[str, ...], list[str]]], end: str) -> None:
    robots, troubles = read_robots(text.replace("\n", end).encode())
    assert groups(robots) == expected
    assert troubles == []


def test_line_numbers_count_every_kind_of_line_end() -> None:
    robots, _ = read_robots(b"Allow: 1\rAllow: 2\nAllow: 3\r\nAllow: 4\n\nAllow: 6\r\rAllow: 8\n\rAllow: 10")
    assert [str(line.number) for line in robots.lines] == [line.value for line in robots.lines]


def test_a_byte_order_mark_is_ignored() -> None:
    data = b"\xef\xbb\xbfUser-agent: *\nDisallow: /"
    robots, troubles = read_robots(data)
    assert (groups(robots), troubles) == ([(("*",), ["disallow /"])], [])
    assert robots.lines[0].place.cut(data) == b"User-agent: *"


def test_bad_bytes_are_reported_and_the_line_kept() -> None:
    data = b"Sitemap: https://e.com/\xe9.xml # \xff"
    robots, troubles = read_robots(data)
    assert robots.sitemaps[0].value == "https://e.com/\ufffd.xml"
    assert [(t.kind, t.detail, t.place.cut(data)) for t in troubles] == [(Kind.BAD_UTF8, "E9", b"\xe9")]


def test_only_so_much_is_read() -> None:
    line = b"Disallow: /" + b"x" * 1000 + b"\n"
    robots, troubles = read_robots(b"User-agent: *\n" + line * 9000)
    assert [t.kind for t in troubles] == [Kind.TOO_LARGE]
    assert {len(line.value) for line in robots.lines[1:]} == {1001}
    assert robots.lines[-1].place.end < 8 << 20
    many, troubles = read_robots(b"a:\n" * 300_000)
    assert len(many.lines) == 200_000
    assert [t.kind for t in troubles] == [Kind.TOO_LARGE]


PIECES = st.sampled_from([b"User-agent", b"Sitemap", b"Allow", b":", b" ", b"\n", b"\r", b"#", b"https://", b"\xff"])


@given(st.lists(PIECES | st.binary(max_size=6)).map(b"".join))
def test_any_bytes_are_survived(data: bytes) -> None:
    recognizes(data)
    robots, troubles = read_robots(data)
    for line in robots.lines:
        assert line.written
        assert line.value_place.cut(data).decode("utf-8", "replace") == line.value
        assert line.place.offset <= line.value_place.offset
        assert line.value_place.end <= line.place.end
    assert all(t.place.end <= len(data) for t in troubles)
    numbers = [line.number for line in robots.lines]
    assert numbers == sorted(set(numbers))
