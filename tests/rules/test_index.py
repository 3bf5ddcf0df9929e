"""Family I: what an index may list, and where."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule, wrap
from urlset.checking.engine import check, run
from urlset.findings.finding import Finding
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.rules import index_entries, index_location
from urlset.rules.index_entries import resolved
from urlset.spec.engines import Engine
from urlset.spec.protocol import MAX_BYTES

RULES: list[AnyRule] = [
    value for module in (index_entries, index_location) for value in vars(module).values() if isinstance(value, Rule)
]
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
AT = "https://example.com/maps/index.xml"


def index(*locs: str, url: str | None = AT) -> Document:
    entries = "".join(f"<sitemap><loc>{loc}</loc><lastmod>2026-11-14T10:00:00Z</lastmod></sitemap>\n" for loc in locs)
    return read(wrap(entries, "sitemapindex").encode(), name="index.xml", url=url)


def found_in(document: Document, engines: tuple[Engine, ...] = tuple(Engine)) -> list[Finding]:
    found = check(document, RULES, Context(now=NOW, engines=engines)).findings
    assert "T001" not in {finding.code for finding in found}, found
    return list(found)


def test_a_sound_index_has_no_findings() -> None:
    entry = "<sitemap><loc>https://example.com/maps/{}.xml.gz</loc><lastmod>2026-11-14T10:00:00Z</lastmod></sitemap>"
    document = read(wrap("".join(entry.format(n) for n in "abc"), "sitemapindex").encode(), url=AT)
    assert found_in(document) == []


def test_other_namespaces_are_welcome_in_a_child() -> None:
    entry = (
        '<sitemap xmlns:x="urn:example"><loc>https://example.com/maps/{}.xml</loc>'
        "<lastmod>2026-11-14</lastmod><x:pages>1000</x:pages></sitemap>"
    )
    document = read(wrap("".join(entry.format(n) for n in "abc"), "sitemapindex").encode(), url=AT)
    assert found_in(document) == []


@pytest.mark.parametrize(("size", "expected"), [(MAX_BYTES, []), (MAX_BYTES + 1, ["I003"])])
def test_an_index_may_have_fifty_mebibytes(size: int, expected: list[str]) -> None:
    document = index("https://example.com/maps/a.xml", "https://example.com/maps/b.xml")
    grown = msgspec.structs.replace(document, envelope=msgspec.structs.replace(document.envelope, size=size))
    found = found_in(grown)
    assert [finding.code for finding in found] == expected
    assert all(finding.line == 2 for finding in found)


def test_one_finding_for_all_children_on_a_host() -> None:
    locs = [f"https://cdn.example.net/{n}.xml" for n in range(500)] + ["https://example.com/maps/a.xml"]
    found = found_in(index(*locs))
    assert [(finding.code, finding.count) for finding in found] == [("I006", 500)]
    assert "'cdn.example.net'" in found[0].message


def test_one_finding_for_all_children_of_another_scheme() -> None:
    locs = [f"http://example.com/maps/{n}.xml" for n in range(500)]
    document = index(*locs)
    found = found_in(document)
    assert [(finding.code, finding.count) for finding in found] == [("I021", 500)]
    [(_, problem, _)] = run(document, RULES, Context()).problems
    assert problem.fix is not None
    fixed = apply_edits(document.data, 0, len(document.data), problem.fix.edits)
    assert [loc and loc[:8] for loc in read(fixed).columns.locs] == ["https://"] * 500


@pytest.mark.parametrize(
    ("loc", "codes"),
    [
        ("http://example.com/maps/a.xml", {"I021"}),
        ("a.xml", {"I016"}),
        ("https://other.com/maps/a.xml", {"I006"}),
        ("http://other.com/a.xml", {"I006"}),
        ("https://example.com/a.xml", {"I007"}),
        ("http://example.com/a.xml", {"I007", "I021"}),
        ("", {"I004"}),
        (AT, {"I009"}),
    ],
)
def test_one_fault_is_one_finding(loc: str, codes: set[str]) -> None:
    assert {finding.code for finding in found_in(index("https://example.com/maps/z.xml", loc))} == codes


def test_two_empty_addresses_are_no_duplicates() -> None:
    assert [finding.code for finding in found_in(index("", ""))] == ["I004", "I004"]


def test_without_an_address_location_is_not_judged() -> None:
    document = index("http://example.com/a.xml", "https://example.com/b.xml", url=None)
    verdict = check(document, RULES, Context())
    assert verdict.findings == ()
    assert {"I006", "I007", "I009", "I021"} <= {note.code for note in verdict.not_checked}


def test_a_page_in_an_index_is_not_judged_as_a_child() -> None:
    entries = "<url><loc>https://example.com/</loc><priority>0.5</priority></url>" * 2
    document = read(wrap(entries, "sitemapindex").encode())
    assert {finding.code for finding in found_in(document)} == {"I008", "I026"}


@pytest.mark.parametrize(
    ("loc", "whole"),
    [
        ("a.xml", "https://example.com/maps/a.xml"),
        ("a.xml.gz?x=1", "https://example.com/maps/a.xml.gz?x=1"),
        ("/a.xml", "https://example.com/a.xml"),
        ("../a.xml", "https://example.com/a.xml"),
        ("sub/a.xml", "https://example.com/maps/sub/a.xml"),
        ("//cdn.example.com/a.xml", "https://cdn.example.com/a.xml"),
        ("example.com/a.xml", "https://example.com/a.xml"),
        ("www.example.com/a.xml", "https://www.example.com/a.xml"),
        ("other.com/a.xml", None),
        ("mailto:a@example.com", None),
        ("C:\\a.xml", None),
        ("https:///a.xml", None),
    ],
)
def test_an_incomplete_address_is_completed_only_where_it_is_plain(loc: str, whole: str | None) -> None:
    assert resolved(loc, AT) == whole


@given(
    st.lists(st.text(max_size=30) | st.sampled_from(["https://[", "//", "http://:0", "?", "%zz"]), max_size=4),
    st.text(),
)
def test_no_rule_breaks_down_on_any_address(locs: list[str], url: str) -> None:
    escaped = [loc.replace("&", "&amp;").replace("<", "&lt;") for loc in locs]
    found_in(index(*escaped, url=url))
    found_in(index(*escaped, url=AT))
