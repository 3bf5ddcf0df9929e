"""Signals only save time: with them and with every rule on every entry each file gets the very same findings."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.seeds import SEEDS
from fuzz.signals import CHOICES, assert_same, names_of, said
from tests.checking.made_up_rules import made_up
from tests.checking.risky_values import entries, mutations
from tests.reading.scanners import BOTH, chosen
from tests.rules.clean_files import EXTENSIONS, CleanFile, urlsets
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good, wrap
from urlset.checking.examples import build, context_of
from urlset.checking.live_page import LIVE
from urlset.checking.subjects import Child, ListedPage, Sitemap
from urlset.findings.finding import Problem
from urlset.model.document import Kind
from urlset.model.moment import Moment
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.signals import Signal, feed_dates_before

pytestmark = pytest.mark.slow

ENGINES = st.sampled_from(CHOICES)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
HUGE = 20_000
"""examples above this have nothing to add"""
CORPUS = sorted((Path(__file__).parent.parent / "corpus").glob("*/input.xml"))


def examples(rule: AnyRule) -> Iterator[Bad | Good]:
    yield from rule.bad
    yield from rule.good


EXAMPLES = [
    (rule, example)
    for rule in all_rules()
    for example in examples(rule)
    if rule.on not in LIVE and not example.files and len(build(example).data) < HUGE
]


@pytest.mark.slow
@pytest.mark.parametrize("scanner", BOTH)
def test_every_example(scanner: str) -> None:
    """For all engines with the compiled scanner, and for one choice of them, in turn, with the other."""
    with chosen(scanner):
        for number, (_, example) in enumerate(EXAMPLES):
            engines = tuple(Engine) if scanner == "compiled" else CHOICES[number % len(CHOICES)]
            assert_same(build(example).data, context_of(example, engines), example.at)


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("file", CORPUS, ids=lambda path: path.parent.name)
def test_every_file_of_the_corpus(file: Path, scanner: str) -> None:
    with chosen(scanner):
        assert_same(file.read_bytes(), Context(now=NOW, engines=tuple(Engine)))


@pytest.mark.parametrize("scanner", BOTH)
def test_every_seed_of_the_fuzzer(scanner: str) -> None:
    with chosen(scanner):
        for data in SEEDS:
            assert_same(data, Context(now=NOW, engines=tuple(Engine)))


@given(st.data(), ENGINES)
@settings(max_examples=150)
def test_damaged_examples(data: st.DataObject, engines: tuple[Engine, ...]) -> None:
    _, example = data.draw(st.sampled_from(EXAMPLES))
    assert_same(data.draw(mutations(build(example).data)), context_of(example, engines), example.at)


@given(st.data(), st.one_of(urlsets(*EXTENSIONS, most=3), urlsets("xhtml"), urlsets("image")), ENGINES)
@settings(max_examples=60)
def test_damaged_files(data: st.DataObject, file: CleanFile, engines: tuple[Engine, ...]) -> None:
    assert_same(data.draw(mutations(file.data)), Context(now=NOW, engines=engines), file.url)


@given(
    st.lists(entries(), min_size=1, max_size=12), ENGINES, st.sampled_from((None, "https://example.com/sitemap.xml"))
)
@settings(max_examples=100)
def test_risky_values(rows: list[str], engines: tuple[Engine, ...], url: str | None) -> None:
    assert_same(wrap("\n".join(rows)).encode(), Context(now=NOW, engines=engines), url)


@pytest.mark.parametrize(
    "text",
    [
        "<url><loc>https://example.com/a</loc><image:image></image:image></url>",
        '<url><loc>https://e.com/</loc><link xmlns="http://www.w3.org/1999/xhtml" hreflang="en" href="ftp://e.com/"/></url>',
        "<url><loc>https://example.com/a\u00a0</loc></url>",
        "<url><loc>https://example.com/bas\u212aet?m\u212at_to\u212a=1</loc></url>",
        "<url><loc>https://example.com/a</loc><lastmod>2024-02-29</lastmod></url>",
        "<url><loc>https://example.com/a</loc><lastmod>2023-02-29</lastmod></url>",
        "<url><loc>https://example.com/a</loc><lastmod>2021-05</lastmod><changefreq>Hourly</changefreq></url>",
        "<url><loc>https://e.com/a</loc><lastmod>2026-11-07T23:30:00-13:00</lastmod><changefreq>never</changefreq></url>",
    ],
)
def test_a_case_that_once_slipped_through_or_nearly(text: str) -> None:
    for engines in CHOICES:
        assert_same(wrap(text).encode(), Context(now=NOW, engines=engines))


ORDINARY = (
    *("https://www.example.com/shoes/model-7?size=7", "https://www.example.com/caf%C3%A9/%D0%BC%D0%B8%D1%80"),
    *("https://www.example.com:8443/p/1", "https://www.example.com/Products/Item_1.HTML"),
    *("https://www.example.com/p;v=1/a,b+c@d:e!$()*'", "https://www.example.com/?id=1&lang=en&x"),
    *("https://www.example.com/news/2026/11/15/", f"https://www.example.com/{'abcdefgh-' * 20}"),
)


def test_ordinary_addresses_raise_nothing_that_a_rule_waits_for() -> None:
    """Else signals would be sound and useless."""
    rows = "".join(f"<url><loc>{loc.replace('&', '&amp;')}</loc></url>" for loc in ORDINARY)
    sitemap = Sitemap(read(wrap(rows).encode()), Context(now=NOW))
    waits = 0
    for rule in all_rules():
        of_feeds = rule.kinds is not None and Kind.URLSET not in rule.kinds and Kind.SITEMAPINDEX not in rule.kinds
        if (rule.on in (ListedPage, Child) or rule.on.__name__ == "AnyRow") and not of_feeds:
            assert rule.when is not None, f"{rule.code} looks at every entry"
            waits |= rule.when
    assert [names_of(signals & waits) for signals in sitemap.signals] == ["none"] * len(ORDINARY)


def test_a_rule_without_signals_sees_every_entry() -> None:
    def look(listed: ListedPage) -> Iterator[Problem]:
        yield Problem(listed.place, f"row {listed.row}")

    rows = "".join(f"<url><loc>https://example.com/{row}</loc></url>" for row in range(5))
    rule = made_up("Z001", "sees-all", ListedPage, look)
    tally = said(read(wrap(rows).encode()), [rule], Context(now=NOW))
    assert [each[3] for each in tally] == [f"row {row}" for row in range(5)]


def test_a_rule_sees_just_the_entries_that_raise_its_signals() -> None:
    def look(listed: ListedPage) -> Iterator[Problem]:
        yield Problem(listed.place, listed.loc)

    rows = "".join(f"<url><loc>https://example.com/{row}</loc></url>" for row in ("a", "b#c", "d", "é", "e#"))
    rule = made_up("Z001", "sees-some", ListedPage, look, when=Signal.FRAGMENT)
    tally = said(read(wrap(rows).encode()), [rule], Context(now=NOW, engines=DEFAULT_ENGINES))
    assert [each[3] for each in tally] == ["https://example.com/b#c", "https://example.com/e#"]


def test_a_missing_signal_is_named_with_the_rule_and_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = wrap("<url><loc>https://example.com/a#b</loc></url>").encode()
    monkeypatch.setattr("urlset.checking.subjects.signals_of", lambda *_: array("Q", [0]))
    with pytest.raises(AssertionError, match=r"L013 .*waits for \(FRAGMENT\).*https://example.com/a#b.*: none"):
        assert_same(text, Context(now=NOW))


def test_every_date_of_a_feed_that_is_passed_over_is_one() -> None:
    days = [
        f"{day:02d} {month} {year} 10:00:00 GMT"
        for year in (2023, 2024)
        for month in ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
        for day in range(33)
    ]
    dates = feed_dates_before(2025)
    passed = [day for day in days if dates.fullmatch(f"\0{day}")]
    assert all(Moment.parse(day).interval() for day in passed)
    assert len(passed) == 2 * 365  # all but the 29th of February, which not every year has
