"""Elements of the protocol in odd places: a fault of structure, never of XML, and every address is still read."""

from __future__ import annotations

import pytest

from fuzz.judge import by_reference, judge_reading
from fuzz.wellformed import expat_error, x_errors
from tests.rules.test_xml_behaviours import reported
from urlset.reading.read import read

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
A, B = "<loc>https://e.com/a</loc>", "<loc>https://e.com/b</loc>"
DATE = "<lastmod>2020-01-01</lastmod>"
ODD = {
    "a lastmod beside the entries": (f"<url>{A}</url>{DATE}", ["a"]),
    "an entry in an entry": (f"<url>{A}<url>{B}</url></url>", ["a", "b"]),
    "an entry in an entry, its own address behind it": (f"<url><url>{B}</url>{A}</url>", ["b", "a"]),
    "an entry in a loc": ("<url><loc><url>https://e.com/a</url></loc></url>", ["a"]),
    "a root in the root": (f"<urlset><url>{A}</url></urlset>", ["a"]),
    "an entry in an image": (f"<url>{A}<image:image><url>{B}</url></image:image></url><url>{A}</url>", ["a", "b", "a"]),
    "an entry without an address in an image": (f"<url>{A}<image:image><url>x</url></image:image></url>", ["a"]),
    "a lastmod in a loc": (f"<url><loc>https://e.com/a{DATE}</loc></url>", ["a"]),
    "a loc in a loc": (f"<url><loc>{A}</loc></url>", ["a"]),
    "an unknown element of another script": (f"<url>{A}<é/></url>", ["a"]),
    "an unknown element of another script with text": (f"<url><日本>x</日本>{A}</url>", ["a"]),
    "addresses outside entries": (f"{A}{DATE}{B}", ["a", "b"]),
}


def urlset(body: str) -> bytes:
    return f"<urlset {NS} {IMAGE}>{body}</urlset>".encode()


@pytest.mark.parametrize("name", ODD)
def test_it_is_a_fault_of_structure(name: str) -> None:
    body, paths = ODD[name]
    data = urlset(body)
    assert expat_error(data) is None
    document = read(data)
    assert x_errors(document) == {}
    assert "S014" in {code for code, _ in reported(document)}
    assert document.columns.locs == [f"https://e.com/{path}" for path in paths]
    judge_reading(data)


def test_a_sitemap_in_a_sitemap() -> None:
    data = f"<sitemapindex {NS}><sitemap>{A}<sitemap>{B}</sitemap></sitemap></sitemapindex>".encode()
    document = read(data)
    assert x_errors(document) == {}
    assert document.columns.locs == ["https://e.com/a", "https://e.com/b"]
    assert "S014" in {code for code, _ in reported(document)}


def test_a_date_behind_an_address_outside_entries_belongs_to_it() -> None:
    assert read(urlset(ODD["addresses outside entries"][0])).columns.lastmods == ["2020-01-01", None]


def test_the_second_look_finds_both_rows_of_a_divided_entry() -> None:
    document = read(urlset(ODD["an entry in an image"][0]))
    assert [document.element(row).first("loc").text for row in range(3)] == document.columns.locs  # type: ignore[union-attr]


@pytest.mark.parametrize("around", ["url", "loc", "pages"])
def test_a_root_inside_another_element_is_well_formed(around: str) -> None:
    document = read(f"<{around}><urlset {NS}><url>{A}</url></urlset></{around}>".encode())
    assert x_errors(document) == {}
    assert "S014" in {code for code, _ in reported(document)}
    assert document.columns.locs == ["https://e.com/a"]


def test_a_missing_close_tag_is_still_a_fault_of_xml() -> None:
    document = read(urlset(f"<url>{A}<url>{B}</url>"))
    assert document.columns.locs == ["https://e.com/a", "https://e.com/b"]
    assert x_errors(document).keys() == {"X001"}


def test_entries_nested_without_end_are_given_up() -> None:
    data = urlset(f"<url>{A}" * 500 + "</url>" * 500)
    document = by_reference(data)
    assert x_errors(document).keys() >= {"X030"}
    assert len(document) == 500
