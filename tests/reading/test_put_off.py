"""Texts that are made when somebody asks are those that would have been made at once, whatever stands between."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime

import pytest

from fuzz.judge import judge_reading, judge_report
from tests.reading.scanners import chosen, needs_compiled
from tests.reading.sitemaps import HEAD, TAIL, url, urlset
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.model.columns import TEXTS, Columns, EntryFields
from urlset.model.document import Document
from urlset.model.trouble import Troubles
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules

pytestmark = needs_compiled

MANY = 1300
"""three batches of the compiled scanner, the last one not full"""
HINTS = b"<changefreq>weekly</changefreq><priority>0.%d</priority>"


def dated(number: int) -> bytes:
    return b"<lastmod>2025-%02d-%02dT10:00:%02dZ</lastmod>" % (number % 12 + 1, number % 28 + 1, number % 60)


def plain(count: int = MANY) -> list[bytes]:
    return [url(f"shop/item-{number:05d}", dated(number)) for number in range(count)]


def instead(row: int, *entries: bytes) -> bytes:
    rows = plain()
    rows[row : row + 1] = entries
    return urlset(*rows)


FILES = {
    "plain": urlset(*plain()),
    "not in order": urlset(*reversed(plain())),
    "an undeclared prefix": instead(1000, url("shop/item-01000", b"<p:extra/>")),
    "a second root": urlset(*plain(600)) + urlset(*plain(5)),
    "listed twice": instead(1000, url("shop/item-00003")),
    "listed twice in a row": instead(700, *plain()[699:701]),
    "with references": urlset(*(url(f"a?b={number}&amp;c=d", dated(number)) for number in range(MANY))),
    "without dates": urlset(*(url(f"{number}") for number in range(MANY))),
    "some without dates": urlset(*(url(f"{n}", dated(n) if n % 3 else b"") for n in range(MANY))),
    "all fields": urlset(*(url(f"{n}", dated(n) + HINTS % (n % 10)) for n in range(MANY))),
    "a field that comes late": instead(1200, url("z", HINTS % 5)),
    "a date of one entry in a field of others": urlset(
        *(url(f"{n}", b"<lastmod>0.5</lastmod><priority>0.5</priority>") for n in range(MANY))
    ),
    "one text written in two ways": urlset(
        *(url(f"{n}", b"<lastmod>a%sb</lastmod>" % (b'"' if n % 2 else b"&quot;")) for n in range(MANY))
    ),
    "a long field": instead(700, url("x", b"<lastmod>" + b"2025" * 30 + b"</lastmod>")),
    "a long address": instead(700, url(b"x" * 40_000)),
    "an address far from its tag": instead(700, b"<url>" + b" " * 40_000 + url("x")[5:]),
    "twice far from its tag": instead(
        700, *(b"<url>" + b" " * size + url("x", dated(1))[5:] for size in (40_000, 50_000))
    ),
    "an odd entry": instead(600, b"<URL><loc>https://example.com/x</loc></URL>"),
    "an odd entry at the end": instead(MANY - 1, b"<URL><loc>https://example.com/x</loc></URL>"),
    "a broken entry": instead(1100, b"<url><loc>https://example.com/a&b</loc></url>"),
    "something broken between": instead(1100, b"</x>"),
    "two roots": urlset(*plain()) + HEAD + b"".join(plain(700)) + TAIL,
    "a prefix": urlset(*plain()).replace(b"<", b"<s:").replace(b"<s:/", b"</s:").replace(b"xmlns=", b"xmlns:s="),
    "two hosts": instead(900, b"<url><loc>https://other.example.com/x</loc></url>"),
    "many different dates": urlset(
        *(
            url(f"{n}", b"<lastmod>2025-01-02T%02d:%02d:%02dZ</lastmod>" % (n // 3600, n // 60 % 60, n % 60))
            for n in range(5000)
        )
    ),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_many_entries_are_read_alike(data: bytes) -> None:
    judge_reading(data)
    judge_report(data)


def compiled(data: bytes) -> Document:
    with chosen("compiled"):
        return read(data, name="sitemap.xml")


def test_a_check_of_plain_entries_makes_no_addresses() -> None:
    document = compiled(FILES["plain"])
    with chosen("compiled"):
        context = Context(now=datetime(2026, 11, 15, 12, tzinfo=UTC))
        verdict = check(document, select(all_rules(), context.engines), context)
    assert verdict.documents[0].entries == MANY
    assert document.columns.taker is not None
    assert document.columns.locs[-1] == f"https://example.com/shop/item-{MANY - 1:05d}"


def test_few_texts_are_made_at_once() -> None:
    """Else each of a thousand small files that are kept would keep its scanner."""
    assert compiled(urlset(*plain(Columns.few - 1))).columns.taker is None
    assert compiled(urlset(*plain(Columns.few))).columns.taker is not None


def test_who_has_made_all_texts_is_let_go() -> None:
    columns = compiled(FILES["plain"]).columns
    assert [len(getattr(columns, column)) for column in TEXTS] == [MANY] * 4
    assert columns.taker is None


def test_plain_addresses_are_known_to_be_different() -> None:
    for name in ("plain", "not in order", "with references", "two hosts"):
        assert compiled(FILES[name]).columns.repeat_rarely(0), name
    for name in ("listed twice", "listed twice in a row", "twice far from its tag", "an odd entry", "two roots"):
        assert not compiled(FILES[name]).columns.repeat_rarely(0), name


def test_texts_are_counted_in_the_order_they_are_met() -> None:
    columns = compiled(FILES["plain"]).columns
    counts = columns.counts("lastmods")
    assert columns.counts("priorities") == {None: MANY}
    assert list(counts.items()) == list(Counter(columns.lastmods).items())


@pytest.mark.parametrize("name", ["plain", "some without dates", "many different dates", "an odd entry"])
def test_different_texts_are_told(name: str) -> None:
    columns = compiled(FILES[name]).columns
    assert set(columns.different("lastmods")) == set(columns.lastmods) == set(columns.different("lastmods"))


@pytest.mark.parametrize("name", ["many different dates", "an odd entry"])
def test_texts_that_no_scanner_knows_are_counted_in_the_column(name: str) -> None:
    columns = compiled(FILES[name]).columns
    assert columns.counts("lastmods") == Counter(columns.lastmods)
    columns.append(EntryFields(1, 2, 0, "https://example.com/last", "2026-01-01"))
    assert columns.counts("lastmods") == Counter(columns.lastmods)


def test_one_address_needs_no_other() -> None:
    columns = compiled(FILES["with references"]).columns
    assert columns.loc(77) == "https://example.com/a?b=77&c=d"
    assert columns.taker is not None
    assert columns.loc(77) == columns.locs[77] == columns.loc(77)


def test_equal_texts_are_one_object() -> None:
    assert len({id(text) for text in compiled(FILES["all fields"]).columns.priorities}) == 10


@pytest.mark.parametrize("copy", [deepcopy, lambda columns: pickle.loads(pickle.dumps(columns))])
def test_a_copy_has_the_texts(copy: Callable[[Columns], Columns]) -> None:
    expected = compiled(FILES["plain"]).columns.locs
    again = copy(compiled(FILES["plain"]).columns)
    assert again.taker is None
    assert again.locs == expected
    assert again.counts("lastmods") == Counter(again.lastmods)


def test_rows_may_follow_those_that_were_put_off() -> None:
    columns = compiled(FILES["plain"]).columns
    columns.append(EntryFields(1, 2, 0, "https://example.com/last"))
    assert len(columns.locs) == len(columns.priorities) == len(columns) == MANY + 1
    assert columns.counts("lastmods") == Counter(columns.lastmods)
    assert not columns.repeat_rarely(0)


def test_what_is_asked_for_between_two_runs_goes_on() -> None:
    from urlset.reading.compiled import CompiledScanner

    data = FILES["plain"]
    begin, cut = data.index(b"<url>"), data.index(b"<url><loc>https://example.com/shop/item-00800")
    scanner, columns = (
        CompiledScanner(data[:cut] + b"<!" + data[cut + 2 :] + data[begin:], b"", b"url", ()),
        Columns(),
    )
    scanner.run(begin, columns, Troubles())
    assert len(columns.locs) == 800
    scanner.run(len(data), columns, Troubles())
    assert len(columns) == len(columns.lastmods) == len(columns.locs) == 800 + MANY
    assert columns.counts("changefreqs") == {None: 800 + MANY}
    assert columns.locs[800] == columns.locs[0]


def test_other_names_are_mistakes() -> None:
    with pytest.raises(AttributeError, match="Columns have no 'places'"):
        getattr(Columns(), "places")  # noqa: B009 - the type checker knows it already
