"""A fix that moves elements moves as few as it can, and fixes inside of them are applied in the same pass."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.findings.fix_result import FixResult
from urlset.fixing.choose import FixOptions, moves_of
from urlset.fixing.fix import fix_document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec import namespaces

LOC = "<loc>https://example.com/a</loc>"
DATE = "<lastmod>2026-11-15</lastmod>"
IMAGE = "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
LINK = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/a"/>'


def fixed(entry: str, *codes: str) -> FixResult:
    root = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:image="{namespaces.IMAGE}" xmlns:xhtml="{namespaces.XHTML}">'
    context = Context(datetime(2026, 11, 16, tzinfo=UTC))
    data = f"{root}{entry}</urlset>\n".encode()
    return fix_document(read(data), select(all_rules(), context.engines), context, FixOptions(only=codes))


def entry_of(result: FixResult) -> str:
    text = result.data.decode()
    return text[text.index("<url>") : text.index("</urlset>")]


@pytest.mark.parametrize(
    ("entry", "becomes"),
    [
        (f"{DATE}{LOC}{IMAGE}", f"{LOC}{DATE}{IMAGE}"),
        (f"\n {DATE}\n {LOC}\n {IMAGE}\n", f"\n {LOC}\n {DATE}\n {IMAGE}\n"),
        (f"\n {LOC}\n {IMAGE}\n{DATE}\t", f"\n {LOC}\n {DATE}\n{IMAGE}\t"),
        (f"{IMAGE}{IMAGE}<priority>1</priority>{DATE}{LOC}", f"{LOC}{DATE}<priority>1</priority>{IMAGE}{IMAGE}"),
        (f"{DATE}<!-- a -->{LOC}<!-- b -->{IMAGE}", f"{LOC}<!-- a -->{DATE}<!-- b -->{IMAGE}"),
    ],
)
def test_fields_are_put_in_order_and_white_space_stays(entry: str, becomes: str) -> None:
    assert entry_of(fixed(f"<url>{entry}</url>", "S013")) == f"<url>{becomes}</url>"


def test_addresses_and_media_stay_where_they_are() -> None:
    result = fixed(f"<url>{DATE}{LOC}{IMAGE}<priority>1</priority></url>", "S013")
    kept = [(edit.place.offset, edit.place.end) for edit in result.edits]
    for element in (LOC, IMAGE):
        start = result.original.index(element.encode())
        assert all(end <= start or at >= start + len(element) for at, end in kept)


def test_a_value_in_an_element_that_moves_is_fixed_in_the_same_pass() -> None:
    entry = f"<url>\n{LOC}\n{LINK}\n<changefreq>Daily</changefreq>\n<priority>0,5</priority></url>"
    result = fixed(entry, "S013", "F002", "F005")
    ordered = f"<url>\n{LOC}\n<changefreq>daily</changefreq>\n<priority>0.5</priority>\n{LINK}</url>"
    assert (entry_of(result), result.passes) == (ordered, 1)
    assert {(each.code, each.before) for each in result.applied if each.code != "S013"} == {
        ("F002", "Daily"),
        ("F005", "0,5"),
    }


def test_two_equal_elements_that_move_are_not_mixed_up() -> None:
    again = "<priority>0,5</priority>"
    result = fixed(f"<url>{IMAGE}{again}{again}{LOC}</url>", "S013", "F005")
    assert entry_of(result) == f"<url>{LOC}{again.replace(',', '.')}{again}{IMAGE}</url>"


def test_a_piece_that_is_written_twice_is_in_no_certain_place() -> None:
    gone = (2, 3, b"")
    assert moves_of(b"__ a __", [gone, (6, 0, b"xa")]) == {0: (3, 4, 1, -2)}
    assert moves_of(b"__ a __", [gone, (6, 0, b"a"), (7, 0, b"a")]) == {}
    assert moves_of(b"__ a __", [gone, (6, 0, b"aa")]) == {}
    assert moves_of(b"__ a __", [gone, (6, 0, b"a"), *[(7, 0, b"")] * 100]) == {}
