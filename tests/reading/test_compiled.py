"""The compiled scanner takes what it promises to take, and what it says of it is true."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.judge import judge_reading, judge_report
from fuzz.mutate import mutated
from fuzz.seeds import SEEDS, corpus
from tests.checking.risky_values import entries, mutations
from tests.reading.scanners import needs_compiled
from tests.reading.sitemaps import TAIL, url, with_extensions
from tests.rules.clean_files import EXTENSIONS, CleanFile, urlsets
from urlset.checking.declare import wrap
from urlset.checking.shared_urls import PARTS, write_hashes
from urlset.model.columns import Columns
from urlset.model.trouble import Troubles
from urlset.reading.read import read
from urlset.reading.vocabulary import declared_inside
from urlset.spec.namespaces import IMAGE, SITEMAP
from urlset.spec.signals import ORDINARY_DATE, Signal

pytestmark = [needs_compiled, pytest.mark.slow]

FOUR = b"<lastmod>2026-01-01T10:00:00Z</lastmod>\n<changefreq>daily</changefreq><priority>0.5</priority>"
NEWS = b"<news:news><news:publication><news:name>N</news:name></news:publication></news:news>"
LINK = b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de?a=1&amp;b=2"/>'


def taken(data: bytes, meaning: Callable[[bytes], int] | None = None) -> tuple[Columns, int]:
    """What the compiled scanner takes by itself, from behind the root's tag on."""
    from urlset.reading.compiled import CompiledScanner

    columns = Columns()
    scanner = CompiledScanner(data, b"", b"url", (b"image:", b"news:", b"video:", b"xhtml:"), meaning)
    return columns, scanner.run(data.index(b">", data.index(b"<urlset")) + 1, columns, Troubles())


@pytest.mark.parametrize(
    "extra",
    [b"", FOUR, NEWS, LINK * 3, b"<image:image><image:loc>a</image:loc></image:image>", FOUR + NEWS + LINK],
    ids=["loc", "four fields", "news", "alternates", "image", "all"],
)
def test_the_usual_shapes_need_no_other_reader(extra: bytes) -> None:
    data = with_extensions(*(url(f"{number}", extra) for number in range(1200)))
    columns, end = taken(data)
    assert len(columns) == 1200
    assert data[end:].strip() == TAIL.strip()


ODD = {
    "comments": b"<!-- a --><url><!-- b --><loc>https://e.com/3</loc><!-- c --></url>",
    "instructions": b"<?a b?><url><?a?><loc>https://e.com/3</loc></url>",
    "CDATA": b"<url><loc><![CDATA[https://e.com/3?a=1&b=2]]></loc></url>",
    "numeric references": b"<url><loc>https://e.com/3?a=1&#38;b=2&#x26;c</loc></url>",
    "space in tags": b"<url ><loc\n>https://e.com/3</loc ></url\t>",
    "attributes": b"<url id='1' b = \"2\"><loc xml:lang='de'>https://e.com/3</loc></url>",
    "another order": b"<url><lastmod>2026-01-01</lastmod><loc>https://e.com/3</loc></url>",
    "repeated": b"<url><loc>https://e.com/3</loc><loc>https://e.com/4</loc></url>",
    "unknown": b"<url><loc>https://e.com/3</loc><b><c/></b></url>",
    "empty": b"<url/>",
    "no loc": b"<url><lastmod>2026-01-01</lastmod></url>",
    "stray text": b"<url>x<loc>https://e.com/3</loc>\xc3\xa9</url>",
    "greater than": b"<url><loc>https://e.com/3>4</loc></url>",
    "carriage return": b"<url>\r\n<loc>https://e.com/3\r\n</loc>\r\n</url>",
    "deep extension": url("3", b"<news:a>" * 9 + b"</news:a>" * 9),
    "single quotes": url("3", b"<xhtml:link rel='alternate' hreflang='de' href='https://e.com/>'/>"),
    "bare ampersand": url("3?a=1&b=2"),
    "bare ampersand in an attribute": url(
        "3", b"<xhtml:link rel='alternate' hreflang='de' href='https://e.com/?a&b'/>"
    ),
    "undefined entity": url("caf&eacute;&nbsp;&unheard;"),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_no_ordinary_entry_is_left_to_another(odd: bytes) -> None:
    """A comment, CDATA section, attribute or bare ampersand used to hand over the rest of the document."""
    data = with_extensions(url("1"), odd, *(url(f"{number}") for number in range(4, 6)), odd)
    columns, end = taken(data)
    assert len(columns) == 5
    assert data[end:].strip() == TAIL.strip()
    judge_reading(data)


def test_text_behind_an_open_element_and_a_fault_is_stray_for_both() -> None:
    entries = [b"<url><loc>https://e.com/%s</loc></url>" % each for each in (b"1", b"2", b"3?a&b", b"4", b"5")]
    judge_reading(b"\n".join([entries[0] + b"<image:image>", *entries[1:4]]) + b"text" + entries[4])


LEFT = {
    "own namespace": b'<url xmlns:a="b"><loc>https://e.com/3</loc></url>',
    "undeclared prefix": b"<url><loc>https://e.com/3</loc><a:b/></url>",
    "stray text between": b"stray" + url("3"),
    "element between": b"<b/>" + url("3"),
    "another spelling": b"<URL><loc>https://e.com/3</loc></URL>",
    "mismatched": b"<url><loc>https://e.com/3</lastmod></url>",
    "control character": url(b"\x01"),
    "repeated attribute": b"<url a='1' a='2'><loc>https://e.com/3</loc></url>",
    "entry in an entry": url("3", url("4")),
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
def test_only_one_entry_is_left_to_another(left: bytes) -> None:
    data = with_extensions(url("1"), url("2"), left, url("4"))
    columns, end = taken(data)
    assert columns.locs == ["https://example.com/1", "https://example.com/2"]
    assert data[end:].lstrip().startswith(left[:20])
    judge_reading(data)


_CORE, _FREE = SITEMAP.encode(), b"http://example.com/free"
DECLARING = {
    "default": b'<url><loc>https://e.com/3</loc><PageMap xmlns="%s"><url a="b"/></PageMap></url>' % _FREE,
    "prefix": b'<url><loc>https://e.com/3</loc><a:b xmlns:a="%s"><a:c a:d="e"/>f</a:b></url>' % _FREE,
    "on the entry": b'<url xmlns:a="%s"><loc>https://e.com/3</loc><a:b/><a:b></a:b></url>' % _FREE,
    "core again": b'<url xmlns="%s"><loc>https://e.com/3</loc></url>' % _CORE,
    "image": b"<url><loc>https://e.com/3</loc><i:image xmlns:i='%s'><i:loc>x</i:loc></i:image></url>" % IMAGE.encode(),
    "known prefix": b'<url><loc>https://e.com/3</loc><image:b xmlns:image="%s"/></url>' % _FREE,
    "inner": b'<url><loc>https://e.com/3</loc><image:b><c:d xmlns:c="%s" c:e=""/></image:b></url>' % _FREE,
}
UNCERTAIN = {
    "twice": b'<url><loc>https://e.com/3</loc><a xmlns="%s" xmlns="%s"/></url>' % (_FREE, _FREE),
    "behind its element": b'<url><loc>https://e.com/3</loc><a:b xmlns:a="%s"/><a:b/></url>' % _FREE,
    "no namespace": b'<url><loc>https://e.com/3</loc><a xmlns=""/></url>',
    "core by a prefix": b'<url><loc>https://e.com/3</loc><a:lastmod xmlns:a="%s">2026</a:lastmod></url>' % _CORE,
    "core in another spelling": b'<url xmlns="%s/"><loc>https://e.com/3</loc></url>' % _CORE,
    "field of another": b'<url><loc xmlns="%s">https://e.com/3</loc></url>' % _FREE,
    "reserved": b'<url><loc>https://e.com/3</loc><a xmlns:xmlb="%s"/></url>' % _FREE,
    "reference": b'<url><loc>https://e.com/3</loc><a xmlns="http&#58;//b"/></url>',
    "space": b'<url><loc>https://e.com/3</loc><a xmlns="b c"/></url>',
    "core inside": b'<url><loc>https://e.com/3</loc><a xmlns="%s"><url xmlns="%s"/></a></url>' % (_FREE, _CORE),
}


@pytest.mark.parametrize("own", DECLARING.values(), ids=DECLARING)
def test_an_entry_may_declare_namespaces(own: bytes) -> None:
    data = with_extensions(url("1"), own, own, url("4"))
    columns, end = taken(data, partial(declared_inside, core=SITEMAP))
    assert len(columns) == 4
    assert data[end:].strip() == TAIL.strip()
    judge_reading(data)
    judge_report(data)


@pytest.mark.parametrize("own", UNCERTAIN.values(), ids=UNCERTAIN)
def test_an_uncertain_declaration_is_left_to_another(own: bytes) -> None:
    data = with_extensions(url("1"), own, url("4"))
    columns, _ = taken(data, partial(declared_inside, core=SITEMAP))
    assert columns.locs == ["https://example.com/1"]
    judge_reading(data)
    judge_report(data)


def test_equal_texts_are_one_object() -> None:
    columns, _ = taken(with_extensions(*(url(f"{number}", FOUR) for number in range(9))))
    assert len({id(text) for text in columns.lastmods}) == 1
    assert len({id(text) for text in columns.changefreqs}) == 1


def test_an_offset_outside_the_data_is_refused() -> None:
    from urlset.reading.compiled import CompiledScanner

    for at in (-1, 4):
        with pytest.raises(IndexError):
            CompiledScanner(b"<a>", b"", b"url", ()).run(at, Columns(), Troubles())


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_a_file_may_end_anywhere(seed: int) -> None:
    data = SEEDS[seed]
    for size in range(seed % 7, len(data), 7):
        judge_reading(data[:size])


@pytest.mark.parametrize("data", [*SEEDS, *corpus()])
def test_both_scanners_lead_to_the_same_report(data: bytes) -> None:
    judge_reading(data)
    judge_report(data)


@given(seed=st.integers(0, 1 << 60))
@settings(max_examples=400)
def test_mutated_files_are_read_alike(seed: int) -> None:
    chance = Random(seed)
    judge_reading(mutated(chance.choice(SEEDS), SEEDS, chance))


@given(seed=st.integers(0, 1 << 60))
@settings(max_examples=80)
def test_mutated_files_lead_to_the_same_report(seed: int) -> None:
    chance = Random(seed)
    judge_report(mutated(chance.choice(SEEDS), SEEDS, chance))


@given(data=st.data(), file=st.one_of(urlsets(*EXTENSIONS, most=3), urlsets("xhtml"), urlsets("image")))
def test_clean_and_damaged_files_are_read_alike(data: st.DataObject, file: CleanFile) -> None:
    judge_reading(file.data)
    judge_reading(data.draw(mutations(file.data)))


@given(rows=st.lists(entries(), min_size=1, max_size=12))
@settings(max_examples=300)
def test_no_risky_value_is_called_plain(rows: list[str]) -> None:
    judge_reading(wrap("\n".join(rows)).encode())


def test_usual_entries_are_one_plain_range() -> None:
    """Else every byte would be searched for what can only be in other entries."""
    rows = [url(f"shop/item-{number}", FOUR) for number in range(5)]
    columns, end = taken(with_extensions(*rows, url("docs/"), url("a/b.html")))
    assert columns.plain_ranges == [(columns.starts[0] - 1, end)]
    assert list(columns.signals[1:]) == [0, 0, 0, 0, Signal.SLASHED, 0]


@pytest.mark.parametrize("first", [b"comments/abc", b"comments/", b"a/comments/abc"])
def test_the_segment_before_does_not_hide_a_feed(first: bytes) -> None:
    judge_reading(with_extensions(url(first), url(first.rpartition(b"/")[0] + b"/feed")))


texts = st.one_of(st.none(), st.text(max_size=300), st.text("https://example.com/\x85 \u00a0\u4e2d", max_size=300))


@given(locs=st.lists(texts, max_size=40))
def test_hashes_are_those_of_the_library(locs: list[str | None]) -> None:
    from urlset.reading.compiled import hash_parts

    sizes, rows = hash_parts(locs, PARTS)
    found = {row: (one, two) for one, two, row in zip(rows[::3], rows[1::3], rows[2::3], strict=True)}
    assert found == {
        row: tuple(array("Q", blake2b(loc.strip().encode("utf-8", "surrogatepass"), digest_size=16).digest()))
        for row, loc in enumerate(locs)
        if loc
    }
    assert sum(sizes) == len(rows)
    at = 0
    for part, size in enumerate(sizes):
        assert all(digest % PARTS == part for digest in rows[at : at + size : 3])
        at += size


def test_both_scanners_spill_the_same_bytes(tmp_path: Path) -> None:
    from tests.reading.scanners import chosen

    locs = [f" https://example.com/{number}\n" for number in range(500)] + [None, "", "https://example.com/1"]
    for name in ("python", "compiled"):
        with chosen(name):
            write_hashes(tmp_path / name, locs)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "compiled").read_bytes()


@given(files=st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=12), min_size=1, max_size=6))
def test_hashes_in_two_files_are_found(files: list[list[tuple[int, int]]]) -> None:
    from urlset.checking.shared_urls import _shared
    from urlset.reading.compiled import shared

    rows, starts = array("Q"), array("Q")
    for file in files:
        starts.append(len(rows) // 3)
        for row, (one, two) in enumerate(file):
            rows.extend((one << 8, two, row))
    assert shared(rows, starts) == _shared(rows, starts)


DATES = st.sampled_from(
    [None, "", " ", "2026-11-15 ", "2026-11-15", "2026-11-16", "2099-12-31", "2100-01-01", "1991-08-06", "1992-02-29"]
    + [f"2026-11-14T10:00:00{zone}" for zone in ("Z", "", "+00:00", "-00:00", "+00:30", "-05:00", "+14:00", ".5Z")]
    + ["2026-11-14T10:00Z", "2026-11-14 10:00:00Z", "2026-02-29", "2026", "2026-11", "2026-11-14T24:00:00Z", "heute"]
    + ["Sun, 15 Nov 2026 10:00:00 GMT", "2026-11-15T10:00:00.1234567Z", "２０２６-11-15", "2026-11-15T10:00:00+00:0"]
)


@settings(max_examples=400)
@given(texts=st.lists(DATES | st.from_regex(r"(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]T10:00:00\S{0,6}"), max_size=30))
def test_dates_that_are_passed_over_are_ordinary_and_each_day_is_counted(texts: list[str | None]) -> None:
    from urlset.reading.compiled import summarized_dates

    unusual, days = summarized_dates(Counter(texts), "2026-11-15")
    for text in {*texts} - {None, *unusual}:
        assert text is not None
        assert ORDINARY_DATE.fullmatch(text)
        assert text[:10] <= "2026-11-15"
    assert days == Counter(day for text in texts if (day := (text or "").strip()[:10]))


def test_usual_dates_are_passed_over() -> None:
    from urlset.reading.compiled import summarized_dates

    zones = ("Z", "+00:00", "-05:00", "+05:30", ".123456Z")
    texts = ["1992-02-29", "2026-11-15", *(f"2019-06-30T23:59:59{zone}" for zone in zones)]
    assert summarized_dates(Counter(texts), "2026-11-15")[0] == []


@pytest.mark.parametrize(("repeated", "rarely"), [(3, True), (4, False)])
def test_paths_that_are_repeated_are_counted_as_far_as_the_query(repeated: int, rarely: bool) -> None:
    paths = [f"https://e.com/{number}?a=1" for number in range(3000)]
    paths += [f"https://e.com/7?a=1&amp;b={number}" for number in range(repeated)]
    columns = read(wrap("".join(f"<url><loc>{path}</loc></url>" for path in paths)).encode()).columns
    assert columns.repeat_rarely(3, paths=True) is rarely
    assert columns.repeat_rarely(0)
