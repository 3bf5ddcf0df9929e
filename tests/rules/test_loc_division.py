"""One fault, one rule: near misses between rules on addresses, each with the only codes that may speak."""

from __future__ import annotations

from functools import cache

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Rule
from urlset.checking.engine import run
from urlset.checking.examples import document_of
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.reading.read import read
from urlset.rules import quality
from urlset.rules.loc import duplicates, form, host, location, path
from urlset.spec.engines import Engine

MODULES = (duplicates, form, host, location, path, quality)
WHOLE_FILE = {"Q002", "Q003", "Q005", "Q014", "Q017"}
READERS = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)


@cache
def rules() -> tuple[AnyRule, ...]:
    found = {value.code: value for module in MODULES for value in vars(module).values() if isinstance(value, Rule)}
    return tuple(found[code] for code in sorted(found.keys() - WHOLE_FILE))


def problems(
    text: str | bytes, at: str | None = None, engines: tuple[Engine, ...] = READERS
) -> list[tuple[str, Problem, Severity]]:
    document = document_of(Bad(text, at=at)) if isinstance(text, str) else read(text, url=at)
    minding = [rule for rule in rules() if rule.card.minded_by(engines)]
    context = Context(engines=engines, base_url="https://example.com/")  # example.com is no placeholder here
    tally = run(document, minding, context, cap=None)
    assert not tally.crashes, tally.crashes
    return [(rule.code, problem, finding.made().severity) for rule, problem, finding in tally.problems]


def codes(text: str | bytes, at: str | None = None, engines: tuple[Engine, ...] = READERS) -> list[str]:
    return sorted(code for code, _, _ in problems(text, at, engines))


def loc(text: str) -> str:
    return f"<loc>{text}</loc>"


def urls(*locs: str) -> str:
    return "".join(f"<url><loc>{each}</loc></url>" for each in locs)


HOME = "https://www.example.com/sitemap.xml"

ONE_RULE = [
    (loc(""), None, ["L001"]),
    (loc(" "), None, ["L001"]),
    (urls("", ""), None, ["L001", "L001"]),
    (loc("/a"), None, ["L002"]),
    (loc("example.com"), None, ["L002"]),
    (loc("example.com:8080/a"), None, ["L002"]),
    (loc("“https://example.com/"), None, ["L002"]),
    (loc("ftp://example.com/a"), None, ["L003"]),
    (loc("mailto:me@example.com"), None, ["L003"]),
    (loc(" https://example.com/ "), None, ["L006"]),
    (loc("https://exa mple.com/"), None, ["L033"]),
    (loc("https://example.com/100%sure"), None, ["L008"]),
    (loc("https://example.com/post/%s"), None, ["L034"]),
    (loc("https://example.com/[object Object]"), None, ["L034"]),
    (loc("https://example.com/{{slug}}"), None, ["L034"]),
    (loc("https://example.com/a{1,2}"), None, ["L012"]),
    (loc("https://example.com/%7Bslug%7d"), None, ["L034"]),
    (loc("https://{{Host}}/"), None, ["L034"]),
    (loc("https://example.com/post/#{post.id}"), None, ["L034"]),
    (loc("https://example.com/#ü b|c%"), None, ["L013"]),
    (loc("https://bücher.example.com/"), None, ["L011"]),
    (loc("https://BÜCHER.example.com/"), None, ["L011"]),
    (loc("https://example.com/bücher"), None, ["L009"]),
    (loc("http://203.0.113.5/"), None, ["L032"]),
    (loc("http://10.0.0.5/"), None, ["L031"]),
    (loc("http://localhost:3000/a"), HOME, ["L031"]),
    (loc("https://staging.example.com/"), HOME, ["L031"]),
    (loc("https://example.com/"), HOME, ["L019"]),
    (loc("https://www2.example.com/"), HOME, ["L015"]),
    (loc("http://example.org:8080/"), HOME, ["L015"]),
    (loc("http://www.example.com/a"), HOME, ["L016"]),
    (loc("http://example.com/a"), HOME, ["L016", "L019"]),
    (loc("https://www.example.com:8443/a"), HOME, ["L017"]),
    (loc("https://example.org/b/c"), "https://example.com/a/sitemap.xml", ["L015"]),
    (urls("https://example.com/", "https://example.org/"), None, ["L037"]),
    (urls("https://example.com/", "https://example.org/"), "https://example.com/sitemap.xml", ["L015"]),
    (urls("https://example.com/", "http://localhost/"), None, ["L031"]),
    (urls("https://example.com/a", "https://example.com/a"), None, ["L020"]),
    (urls("https://example.com/a", "https://example.com/a/"), None, ["L024"]),
    (urls("https://example.com/a#x", "https://example.com/a#y"), None, ["L013", "L013"]),
    (urls("https://example.com/?", "https://example.com/"), None, []),
    (urls("http://example.com/a", "https://example.com/a"), None, ["L023"]),
    (loc("https://example.com/sitemap.xml"), None, ["L035"]),
    (loc("https://example.com/a.js.map"), None, ["L035"]),
    (loc("https://example.com/a.js"), None, ["Q013"]),
]


@pytest.mark.parametrize(("text", "at", "expected"), ONE_RULE, ids=[repr(case[0])[:60] for case in ONE_RULE])
def test_one_fault_is_told_by_one_rule(text: str, at: str | None, expected: list[str]) -> None:
    assert codes(text, at) == expected


def test_a_short_origin_is_told_once_also_with_the_schema() -> None:
    both = (Engine.PROTOCOL, Engine.XSD_STRICT)
    assert codes(loc("http://a.io"), engines=both) == ["L005"]
    assert codes(loc("http://a.io"), engines=(Engine.PROTOCOL,)) == ["L039"]


SCHEMA_TAKES = ("a b", "ü", "a|b", "a\\b", "a#b", "a//b", "?utm_source=x")
SCHEMA_REFUSES = {"%zz": "L008", "a[b]": "L012"}


@pytest.mark.parametrize("tail", SCHEMA_TAKES)
def test_the_schema_alone_does_not_mind(tail: str) -> None:
    assert codes(loc(f"https://example.com/{tail}"), engines=(Engine.XSD_STRICT,)) == []
    assert codes(loc(f"https://example.com/{tail}")) != []


@pytest.mark.parametrize(("tail", "code"), SCHEMA_REFUSES.items())
def test_the_schema_minds(tail: str, code: str) -> None:
    assert codes(loc(f"https://example.com/{tail}"), engines=(Engine.XSD_STRICT,)) == [code]


@pytest.mark.parametrize(("scheme"), ["ftp", "mailto", "javascript"])
def test_the_schema_takes_any_scheme(scheme: str) -> None:
    assert codes(loc(f"{scheme}:example.com"), engines=(Engine.XSD_STRICT,)) == []


@pytest.mark.parametrize(
    ("length", "engines", "severities"),
    [
        (2047, READERS, []),
        (2048, READERS, [Severity.WARNING]),
        (2049, READERS, [Severity.ERROR]),
        (2048, (Engine.XSD_STRICT,), []),
        (2049, (Engine.XSD_STRICT,), [Severity.ERROR]),
    ],
)
def test_length_limits(length: int, engines: tuple[Engine, ...], severities: list[Severity]) -> None:
    text = loc("https://example.com/".ljust(length, "a"))
    assert [severity for code, _, severity in problems(text, engines=engines) if code == "L004"] == severities


def test_thousands_of_entries_on_the_wrong_scheme_are_one_finding() -> None:
    text = urls(*(f"http://www.example.com/{number}" for number in range(4812)))
    found = problems(text, HOME)
    assert [(code, problem.count) for code, problem, _ in found] == [("L016", 4812)]
    assert found[0][1].message == "all 4,812 URLs use http://, but the sitemap is at https://; use the same scheme"
    assert found[0][1].fix is not None
    assert len(found[0][1].fix.edits) == 4812


def test_hosts_beyond_the_first_twenty_are_told_together() -> None:
    text = urls(*(f"https://site{number}.example.com/" for number in range(30)))
    found = [problem for code, problem, _ in problems(text, HOME) if code == "L015"]
    assert [problem.count for problem in found] == [1] * 20 + [10]


def test_a_byte_that_could_not_be_decoded_is_not_told_as_a_letter() -> None:
    head = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    assert codes(head + b"<url><loc>https://example.com/\xfc</loc></url></urlset>") == []
    assert codes(b"https://example.com/\xfc\nhttps://example.com/a\n") == []
    written = "<url><loc>https://example.com/\ufffd</loc></url></urlset>".encode()
    assert codes(head + written) == ["L009"]


def test_a_comment_between_spaces_is_not_deleted() -> None:
    found = problems(loc(" <!-- kept --> https://example.com/"))
    assert [code for code, _, _ in found] == ["L006"]
    assert found[0][1].fix is None


@pytest.mark.parametrize(
    ("first", "second", "safety"),
    [
        ("", "", "safe"),
        ("<lastmod>2026-01-01</lastmod>", "", "safe"),
        ("<priority>0.5</priority>", "<priority>0.9</priority>", "review"),
        ("<lastmod>2026-01-01</lastmod>", "<lastmod>2026-01-01T10:00:00Z</lastmod>", "review"),
        ("<lastmod>yesterday</lastmod>", "<lastmod>2026-01-01</lastmod>", "review"),
    ],
)
def test_a_duplicate_is_dropped_without_asking_only_when_nothing_is_lost(first: str, second: str, safety: str) -> None:
    entry = "<url><loc>https://example.com/a</loc>{}</url>"
    found = problems(entry.format(first) + entry.format(second))
    assert [(code, problem.fix and problem.fix.safety) for code, problem, _ in found] == [("L020", safety)]


def test_a_duplicate_with_images_of_its_own_is_not_dropped_without_asking() -> None:
    image = "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
    entry = "<url><loc>https://example.com/a</loc>{}</url>"
    found = problems(entry.format("") + entry.format(image))
    assert [problem.fix and problem.fix.safety for code, problem, _ in found if code == "L020"] == ["review"]


def test_an_older_sitemap_scheme_is_not_forced_on_secure_pages() -> None:
    found = problems(loc("https://example.com/"), "http://example.com/sitemap.xml")
    assert [(code, problem.fix) for code, problem, _ in found] == [("L016", None)]


@pytest.mark.parametrize(
    ("name", "site"),
    [
        ("example.com", "example.com"),
        ("WWW.Example.com.", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("img.ex.de", "ex.de"),
        ("203.0.113.5", "203.0.113.5"),
        ("localhost", "localhost"),
        ("www.example.com-3", "example.com-3"),
    ],
)
def test_the_registered_part_of_a_host(name: str, site: str) -> None:
    assert host.registered(name) == site
