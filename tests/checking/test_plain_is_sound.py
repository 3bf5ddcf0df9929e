"""The screens only save time: with and without them every file gets the very same findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.clean_files import EXTENSIONS, CleanFile, urlsets
from urlset.checking import engine
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import run
from urlset.checking.examples import build, context_of, wrap
from urlset.checking.plain import plain_rows
from urlset.checking.select import select
from urlset.checking.subjects import Listed, Sitemap
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.rules.hreflang import screen
from urlset.rules.hreflang.screen import plain_link_rows
from urlset.spec import wild
from urlset.spec.engines import DEFAULT_ENGINES, Engine

SEVERAL = tuple(item for item in Engine if item is not Engine.XSD_STRICT)
RULES = {engines: select(all_rules(), engines) for engines in (DEFAULT_ENGINES, SEVERAL, tuple(Engine))}
ENGINES = st.sampled_from(tuple(RULES))
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
HUGE = 20_000
"""examples above this have nothing to add"""


def examples(rule: AnyRule) -> Iterator[Bad | Good]:
    yield from rule.bad
    yield from rule.good


EXAMPLES = [
    (rule, example)
    for rule in all_rules()
    for example in examples(rule)
    if not example.files and len(build(example).data) < HUGE
]

Said = list[tuple[str, int | None, int, str, int]]


@contextmanager
def no_screens() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "plain_rows", lambda sitemap: bytearray(len(sitemap.columns)))
        patch.setattr(engine._MediaScreen, "clears", lambda *_: False)
        yield


def said(document: Document, context: Context) -> Said:
    tally = run(document, RULES[context.engines], context)
    assert tally.crashes == []
    return sorted((each.code, each.offset, each.length, each.message, each.count) for _, _, each in tally.problems)


def assert_same(data: bytes, context: Context, url: str | None = None) -> None:
    """Read twice, because a document keeps what it was asked for."""
    screened = said(read(data, name="example", url=url), context)
    with no_screens():
        everything = said(read(data, name="example", url=url), context)
    assert screened == everything


@pytest.mark.parametrize("engines", RULES, ids=["default", "several", "all"])
def test_no_example_is_screened_away(engines: tuple[Engine, ...]) -> None:
    for _, example in EXAMPLES:
        assert_same(build(example).data, context_of(example, engines), example.at)


def test_no_bad_entry_is_plain() -> None:
    """Directly: the row of a mark is never a plain one."""
    for rule, example in EXAMPLES:
        if rule.on is not Listed or isinstance(example, Good):
            continue
        built = build(example)
        document = read(built.data, name="example", url=example.at)
        plain = plain_rows(Sitemap(document, context_of(example, tuple(rule.card.severities))))
        for mark in built.marks:
            rows = [
                row
                for row in range(len(document))
                if document.place(row).offset <= mark.offset < document.place(row).end
            ]
            assert [row for row in rows if plain[row]] == [], (rule.code, example)


PIECES = (
    *(
        b"&",
        b"<",
        b">",
        b'"',
        b"'",
        b" ",
        b"\n",
        b"\t",
        b"%",
        b"%41",
        b"%c3",
        b"#",
        b"?",
        b"/",
        b"//",
        b"/../",
        b"/./",
        b":",
    ),
    *(
        b"@",
        b"|",
        b"[",
        b"]",
        b"\\",
        b"{",
        b"}",
        b"A",
        b"_",
        b"-",
        b".",
        b"..",
        b"0",
        b"9",
        b"-",
        b"+",
        b"Z",
        b"z",
        b"T",
        b"t",
    ),
    *(
        b"\xc3\xbc",
        b"\xff",
        b"\x00",
        b"\xe2\x80\x8b",
        b"\xc2\xa0",
        b"<!-- x -->",
        b"<?x?>",
        b"<![CDATA[",
        b"]]>",
        b"&amp;",
    ),
    *(
        b"</url>",
        b"<url>",
        b"<loc>",
        b"</loc>",
        b"<lastmod/>",
        b"<priority>",
        b"https://",
        b"http:",
        b"x",
        b"undefined",
        b"null",
    ),
    *(
        b"page/2",
        b"/cart",
        b"/feed/",
        b"utm_source=a",
        b"sid=9f86d081884c7d659a2f",
        b".xml",
        b".js",
        b".zip",
        b"2027",
        b"1970",
    ),
    *(
        b"<image:image/>",
        b"<image:image></image:image>",
        b"<image:loc/>",
        b' rel="x"',
        b' hreflang="en"',
        b"xmlns:a='b'",
        b"",
    ),
)


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """A few pieces put into the file, over whatever stood there or between."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from((0, 0, 1, 3, 12)))
        data = data[:at] + draw(st.sampled_from(PIECES)) + data[at + gone :]
    return data


@given(st.data(), ENGINES)
@settings(max_examples=250)
def test_no_damaged_example_is_screened_away(data: st.DataObject, engines: tuple[Engine, ...]) -> None:
    _, example = data.draw(st.sampled_from(EXAMPLES))
    assert_same(data.draw(mutations(build(example).data)), context_of(example, engines), example.at)


@given(st.data(), st.one_of(urlsets(*EXTENSIONS, most=3), urlsets("xhtml"), urlsets("image")), ENGINES)
@settings(max_examples=80)
def test_no_damaged_file_is_screened_away(data: st.DataObject, file: CleanFile, engines: tuple[Engine, ...]) -> None:
    assert_same(data.draw(mutations(file.data)), Context(now=NOW, engines=engines), file.url)


HOSTS = (
    *(
        "example.com",
        "www.example.com",
        "EXAMPLE.com",
        "localhost",
        "10.0.0.1",
        "1.2.3.4",
        "staging.example.com",
        "a.test",
    ),
    *(
        "dev.example.com",
        "-a.com",
        "a-.com",
        "a..com",
        "a_b.com",
        "com",
        "example.com.",
        "example.com:80",
        "example.com:8080",
    ),
    *("xn--bcher-kva.de", "xn--a", "m.example.com", "x" * 64 + ".com", "u@example.com", "[::1]", "bücher.de", "0x7f.1"),
)
SEGMENTS = (
    *(*wild.PRIVATE_PATHS, *sorted(wild.ARCHIVE_ENDINGS), *(f"a.{ending}" for ending in wild.ASSET_ENDINGS)),
    *("undefined", "null", "NaN", "None", "undefined-null", "null.html", "page", "page-2", "2", "feed", "rss.xml"),
    *("robots.txt", "sitemap.xml", "Sitemap_1.TXT", "comments", "en", "de-DE", "docs", "CART", "Search", "node.js"),
    *("", ".", "..", "...", "a b", "ü", "%41", "%c3%bc", "%FC", "%", "%zz", "%s", ":id", "[id]", "{id}", "%7Bid%7D"),
    *("a;jsessionid=1", "(S(lit3py55t21z5v55vlm25s55))", "x.html", "x.PHP", "a|b", "a^b", "a\\b", "a'b", "a,b", "a:b"),
    *("@a", "~a", "a+b", "$a", "!", "*", "(a)", "A", "-", "_", "0", "x" * 200, "\u200b"),
)
NAMES = (
    *sorted(wild.SESSION_PARAMETERS | wild.AMBIGUOUS_SESSION_PARAMETERS | wild.TRACKING_PARAMETERS),
    *sorted(wild.PAGE_PARAMETERS | wild.FACET_PARAMETERS | wild.SEARCH_PARAMETERS_AT_ROOT),
    *(*wild.SESSION_PREFIXES, *wild.TRACKING_PREFIXES, *wild.FACET_PREFIXES),
    *("feed", "id", "ID", "q", "UTM_source", "PHPSESSID", "a-b", "a.b", ""),
)
VALUES = (
    "",
    "1",
    "2",
    "a",
    "undefined",
    "null",
    "NaN",
    "None",
    "rss2",
    "9f86d081884c7d659a2f",
    "a b",
    "%20",
    "%s",
    "ü",
    "a/b",
    "A~._-",
)
DATES = (
    *(
        "2026-11-01",
        "2026-11-15",
        "2026-11-16",
        "2026-11-17",
        "2027-01-01",
        "1970-01-01",
        "1991-01-01",
        "1992-01-01",
        "2024-02-29",
    ),
    *(
        "2023-02-29",
        "2026-02-30",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026",
        "2026-11",
        "0001-01-01",
        "2099-12-31",
    ),
    *("2026-11-01T10:00:00Z", "2026-11-01T10:00:00+00:00", "2026-11-01T10:00:00-00:00", "2026-11-01T10:00:00+14:00"),
    *("2026-11-01T10:00:00+13:59", "2026-11-01T10:00:00+25:00", "2026-11-01T24:00:00Z", "2026-11-01T23:59:60Z"),
    *(
        "2026-11-01T10:00Z",
        "2026-11-01T10Z",
        "2026-11-01T10:00:00",
        "2026-11-01T10:00:00.123456Z",
        "2026-11-01T10:00:00.1234567Z",
    ),
    *(
        "2026-11-14T23:00:00-12:00",
        "2026-11-15T12:00:01Z",
        "2026-11-16T12:00:01Z",
        "2026-11-01 10:00:00Z",
        "2026-11-01t10:00:00z",
    ),
    *(
        "20261101",
        "1793523600",
        "Sun, 01 Nov 2026 10:00:00 GMT",
        " 2026-11-01 ",
        "",
        " ",
        "01/11/2026",
        "12026-01-01",
        "2026-11-01Z",
    ),
)
FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never", "Daily", " daily ", "often", "")
PRIORITIES = (
    "0.5",
    "1.0",
    "0.0",
    "1",
    "0",
    ".5",
    "+0.5",
    "0,5",
    "1.5",
    "-0.1",
    "0.55",
    "0.555",
    "1.00",
    "1.01",
    "high",
    " 0.5 ",
    "",
    "1e0",
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@st.composite
def entries(draw: st.DrawFn) -> str:
    """Values in which any rule on entries may find its fault, or nearly."""
    scheme = draw(st.sampled_from(("https://", "https://", "https://", "http://", "HTTPS://", "ftp://", "//", "")))
    path = "".join(f"/{segment}" for segment in draw(st.lists(st.sampled_from(SEGMENTS), max_size=3)))
    query = "&".join(
        f"{name}={value}"
        for name, value in draw(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=2))
    )
    end = draw(st.sampled_from(("", "", "/", "#a", "?", " ")))
    loc = f"{scheme}{draw(st.sampled_from(HOSTS))}{path}{'?' + query if query else ''}{end}"
    inside = f"<loc>{escaped(loc)}</loc>"
    for name, values in (("lastmod", DATES), ("changefreq", FREQUENCIES), ("priority", PRIORITIES)):
        if draw(st.booleans()):
            inside += f"<{name}>{draw(st.sampled_from(values))}</{name}>"
    return f"<url>{inside}</url>"


@given(
    st.lists(entries(), min_size=1, max_size=12), ENGINES, st.sampled_from((None, "https://example.com/sitemap.xml"))
)
@settings(max_examples=200)
def test_no_risky_value_is_screened_away(rows: list[str], engines: tuple[Engine, ...], url: str | None) -> None:
    assert_same(wrap("\n".join(rows)).encode(), Context(now=NOW, engines=engines), url)


def test_the_screens_let_plain_files_pass() -> None:
    """Else they would be sound and useless."""
    rows = [
        f"<url><loc>https://www.example.com/shoes/model-{n}?size={n}</loc><lastmod>2026-10-0{n}</lastmod></url>"
        for n in range(1, 9)
    ]
    assert sum(plain_rows(Sitemap(read(wrap("".join(rows)).encode()), Context(now=NOW)))) == 8


@given(st.data(), urlsets("xhtml"))
@settings(max_examples=60)
def test_the_screen_of_links_is_sound(data: st.DataObject, file: CleanFile) -> None:
    """By itself: rows it clears are such that no rule on links says anything of them."""
    document = read(data.draw(mutations(file.data)), name="example")
    sitemap = Sitemap(document, Context(now=NOW))
    plain = plain_link_rows(sitemap)
    rules = [rule for rule in RULES[DEFAULT_ENGINES] if rule.screen is screen.plain_link_rows]
    assert rules
    for row in range(len(document)):
        if plain[row] and (links := sitemap.listed(row).links).elements:
            assert [rule.code for rule in rules for _ in rule.check(links)] == []


def test_an_empty_image_of_two_tags_is_not_screened_away() -> None:
    text = wrap("<url><loc>https://example.com/a</loc><image:image></image:image></url>")
    assert_same(text.encode(), Context(now=NOW))


def test_a_link_without_prefix_is_not_screened_away() -> None:
    link = '<link xmlns="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="en" href="ftp://example.com/"/>'
    text = wrap(f"<url><loc>https://example.com/</loc>{link}</url>")
    assert_same(text.encode(), Context(now=NOW))
    assert "H005" in {code for code, *_ in said(read(text.encode()), Context(now=NOW))}
