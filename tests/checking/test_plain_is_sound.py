"""The screens only save time: with and without them every file gets the very same findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checking.risky_values import entries, mutations
from tests.rules.clean_files import EXTENSIONS, CleanFile, urlsets
from urlset.checking import engine
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import run
from urlset.checking.examples import build, context_of, wrap
from urlset.checking.live_page import LIVE
from urlset.checking.plain import plain_rows
from urlset.checking.select import select
from urlset.checking.subjects import Listed, Sitemap
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.rules.hreflang import screen
from urlset.rules.hreflang.screen import plain_link_rows
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
    if rule.on not in LIVE and not example.files and len(build(example).data) < HUGE
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


@given(st.data(), ENGINES)
@settings(max_examples=250)
def test_no_damaged_example_is_screened_away(data: st.DataObject, engines: tuple[Engine, ...]) -> None:
    _, example = data.draw(st.sampled_from(EXAMPLES))
    assert_same(data.draw(mutations(build(example).data)), context_of(example, engines), example.at)


@given(st.data(), st.one_of(urlsets(*EXTENSIONS, most=3), urlsets("xhtml"), urlsets("image")), ENGINES)
@settings(max_examples=80)
def test_no_damaged_file_is_screened_away(data: st.DataObject, file: CleanFile, engines: tuple[Engine, ...]) -> None:
    assert_same(data.draw(mutations(file.data)), Context(now=NOW, engines=engines), file.url)


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
