"""Rows of named values → candidates, and what of a row could not be used."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building.sources.sites import BASE, candidates, troubles
from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.sources.cells import DateError, LocError, to_lastmod, to_loc
from urlset.building.sources.columns import COLUMNS, meaning_of
from urlset.building.sources.rows import items_of_mapping, values_of
from urlset.building.sources.source import SourceOptions, Values
from urlset.model.entry import Alternate, Image, Marked, Media, News, Video

LOC = f"{BASE}a"
A_JPG = f"{BASE}a.jpg"
IMAGE_LINES = f"    <image:image>\n      <image:loc>{A_JPG}</image:loc>\n    </image:image>\n"
THUMB = f"{BASE}t.jpg"
VIDEO: dict[str, Any] = {"thumbnail_loc": "/t.jpg", "title": "T", "description": "D", "content_loc": f"{BASE}v.mp4"}
NEWS: dict[str, Any] = {"name": "Paper", "language": "en", "publication_date": "2024-05-01", "title": "T"}


def items(row: dict[str, Any]) -> list[Any]:
    return list(items_of_mapping(row, "row:1", SourceOptions(base_url=BASE)))


def candidate(row: dict[str, Any]) -> Candidate:
    found = items(row)
    assert troubles(found) == []
    (only,) = candidates(found)
    return only


def test_every_plain_column() -> None:
    found = candidate(
        {
            "URL": "/a?x=1",
            "Last Modified": "2024-05-01",
            "changefreq": "Daily",
            "priority": 0.5,
            "section": "s",
            "title": "T",
            "lang": "de",
            "canonical": f"{BASE}b",
            "robots": "NoIndex, nofollow",
            "redirects_to": "/c",
            "unrelated": 1,
        }
    )
    entry = found.entry
    assert (entry.loc, entry.lastmod, entry.changefreq, entry.priority) == (f"{LOC}?x=1", "2024-05-01", "daily", "0.5")
    assert (found.section, found.title, found.language, found.canonical) == ("s", "T", "de", f"{BASE}b")
    assert (found.directives, found.redirects_to) == (("noindex", "nofollow"), f"{BASE}c")
    assert [(each.kind, each.lastmod) for each in found.evidence] == [(EvidenceKind.GIVEN, "2024-05-01")]


@pytest.mark.parametrize(
    ("row", "media"),
    [
        ({"images": "/a.jpg | /b.jpg"}, Media(images=(Image(A_JPG), Image(f"{BASE}b.jpg")))),
        (
            {"image": ["/a.jpg", {"loc": "/b.jpg", "title": "B"}]},
            Media(images=(Image(A_JPG), Image(f"{BASE}b.jpg", title="B"))),
        ),
        ({"images": '[{"loc": "/a.jpg"}]'}, Media(images=(Image(A_JPG),))),
        ({"image_loc": "/a.jpg"}, Media(images=(Image(A_JPG),))),
        (
            {"alternates": {"de": "/de", "x-default": "/"}},
            Media(alternates=(Alternate("de", f"{BASE}de"), Alternate("x-default", BASE))),
        ),
        (
            {"alternates": "de=/de|fr = /fr"},
            Media(alternates=(Alternate("de", f"{BASE}de"), Alternate("fr", f"{BASE}fr"))),
        ),
        ({"alternates": [{"hreflang": "de", "href": "/de"}]}, Media(alternates=(Alternate("de", f"{BASE}de"),))),
        ({"hreflang.de-AT": "/at"}, Media(alternates=(Alternate("de-at", f"{BASE}at"),))),
        ({"news": NEWS}, Media(news=(News("Paper", "en", "2024-05-01", "T"),))),
        (
            {
                "news": {
                    "publication": {"name": "Paper", "language": "en"},
                    "publication_date": "2024-05-01",
                    "title": "T",
                }
            },
            Media(news=(News("Paper", "en", "2024-05-01", "T"),)),
        ),
        (
            {f"news_{name}": value for name, value in NEWS.items()},
            Media(news=(News("Paper", "en", "2024-05-01", "T"),)),
        ),
        (
            {"videos": [{**VIDEO, "tag": ["a", "b"], "duration": 60, "family_friendly": True}]},
            Media(
                videos=(Video(THUMB, "T", "D", f"{BASE}v.mp4", duration="60", family_friendly="yes", tags=("a", "b")),)
            ),
        ),
        (
            {"video": {**VIDEO, "restriction": {"text": "DE AT", "relationship": "allow"}}},
            Media(
                videos=(Video(THUMB, "T", "D", f"{BASE}v.mp4", restriction=Marked("DE AT", {"relationship": "allow"})),)
            ),
        ),
        (
            {f"video.{name}": value for name, value in VIDEO.items()},
            Media(videos=(Video(THUMB, "T", "D", f"{BASE}v.mp4"),)),
        ),
    ],
)
def test_extensions(row: dict[str, Any], media: Media) -> None:
    assert candidate({"loc": LOC, **row}).entry.media == media


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"lastmod": "05/06/2024"}, "lastmod: '05/06/2024'"),
        ({"lastmod": True}, "lastmod: True"),
        ({"changefreq": "sometimes"}, "changefreq: 'sometimes'"),
        ({"priority": "1.5"}, "priority: '1.5'"),
        ({"priority": "NaN"}, "priority: 'NaN'"),
        ({"priority": "1e-999999999"}, "priority: '1e-999999999'"),
        ({"canonical": "mailto:x"}, "canonical: 'mailto:x'"),
        ({"images": "ftp://x/a.jpg"}, "images: 'ftp://x/a.jpg'"),
        ({"images": [{"url": "/a.jpg"}]}, "images: image has no field 'url'"),
        ({"images": "[broken"}, "images: '[broken' is not valid JSON"),
        ({"videos": "/v.mp4"}, "videos: a video must be JSON"),
        ({"videos": [{"title": "T"}]}, "videos: video without thumbnail_loc, description"),
        ({"videos": [{**VIDEO, "content_loc": None}]}, "videos: video without content_loc or player_loc"),
        ({"news": {**NEWS, "publication_date": "soon"}}, "news: publication_date: 'soon'"),
        ({"news_title": "T"}, "news: news without publication_date, name, language"),
        ({"alternates": "german"}, "alternates: 'german'"),
    ],
)
def test_a_bad_value_is_told_and_left_out(row: dict[str, Any], reason: str) -> None:
    found = items({"loc": LOC, **row})
    (trouble,) = troubles(found)
    assert trouble.origin == "row:1"
    assert trouble.reason.startswith(reason)
    (only,) = candidates(found)
    assert only == Candidate(only.entry, "row:1")
    assert only.entry.media == Media()
    assert only.loc == LOC


@pytest.mark.parametrize("loc", ["", "  ", "example.com/a", "mailto:a@b", "javascript:x", None, 5])
def test_without_an_address_there_is_no_candidate(loc: object) -> None:
    found = items({"loc": loc})
    assert candidates(found) == []
    assert len(troubles(found)) == 1


@pytest.mark.parametrize(
    ("value", "timezone_given", "expected"),
    [
        ("2024-05-01", None, "2024-05-01"),
        (" 2024-05-01 ", None, "2024-05-01"),
        ("2024", None, "2024"),
        ("2024-02-29", None, "2024-02-29"),
        ("2024-05-01T10:00:00+02:00", None, "2024-05-01T10:00:00+02:00"),
        ("Wed, 01 May 2024 10:00:00 GMT", None, "2024-05-01T10:00:00Z"),
        ("2024-05-01 10:00:00", None, "2024-05-01"),
        ("2024-05-01T10:00:00", "+02:00", "2024-05-01T10:00:00+02:00"),
        (date(2024, 5, 1), None, "2024-05-01"),
        (datetime(2024, 5, 1, 10, tzinfo=UTC), None, "2024-05-01T10:00:00Z"),
        (datetime(2024, 5, 1, 10, tzinfo=timezone(timedelta(hours=2))), None, "2024-05-01T10:00:00+02:00"),
        (datetime(2024, 5, 1, 10), None, "2024-05-01"),  # noqa: DTZ001 - that it has no zone is the point
        (datetime(2024, 5, 1, 10), "Z", "2024-05-01T10:00:00Z"),  # noqa: DTZ001
        (1714557600, None, "2024-05-01T10:00:00Z"),
        (1714557600000, None, "2024-05-01T10:00:00Z"),
        ("", None, None),
        (None, None, None),
    ],
)
def test_dates(value: object, timezone_given: str | None, expected: str | None) -> None:
    assert to_lastmod(value, timezone_given) == expected


@pytest.mark.parametrize(
    "value", ["soon", "2023-02-29", "05/06/2024", "2024-05-01T25:00:00Z", 5, float("nan"), [], True]
)
def test_what_is_no_date(value: object) -> None:
    with pytest.raises(DateError):
        to_lastmod(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (LOC, LOC),
        (f" {LOC} ", LOC),
        (f"{LOC}#part", LOC),
        ("/b c", f"{BASE}b%20c"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("HTTPS://www.example.com/A", "HTTPS://www.example.com/A"),
    ],
)
def test_addresses(value: str, expected: str) -> None:
    assert to_loc(value, BASE) == expected


def test_a_path_needs_a_base() -> None:
    with pytest.raises(LocError, match="--base-url"):
        to_loc("/a")


def test_columns_are_found_under_every_spelling() -> None:
    for meaning, names in COLUMNS.items():
        for name in names:
            assert meaning_of(name.upper().replace("_", " ")) == meaning
    assert meaning_of("newspaper") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*(name for names in COLUMNS.values() for name in names), "news_title", "hreflang_de"])


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_any_row(row: dict[str, Any]) -> None:
    items(row)
    items({**row, "loc": LOC, "url": LOC})


@pytest.mark.parametrize(
    ("row", "values"),
    [
        ({"lastmod": 1714564800, "title": "T"}, Values(LOC, "2024-05-01T12:00:00Z")),
        ({"robots": "index, follow, max-snippet:-1", "status_code": 200, "canonical": LOC}, Values(LOC)),
        (
            {"priority": ".5", "images": "/a.jpg", "hreflang_de": "/de", "section": "s", "language": "de"},
            Values(
                LOC,
                None,
                f"    <priority>0.5</priority>\n{IMAGE_LINES}".encode(),
                ("image",),
                "s",
                "de",
                {"de": f"{BASE}de"},
            ),
        ),
        ({"robots": "noindex"}, None),
        ({"robots": "unavailable_after: 2099-01-01"}, None),
        ({"status_code": 404}, None),
        ({"indexability": "no"}, None),
        ({"canonical": f"{BASE}b"}, None),
        ({"content_type": "image/png"}, None),
        ({"redirect": f"{BASE}b"}, None),
        ({"alternates": {"d e": "/de"}}, None),
        ({"alternates": [{"hreflang": "de", "href": "/de"}, {"hreflang": "de", "href": "/at"}]}, None),
        ({"alternates": [{"hreflang": "de", "href": "/de", "media": "handheld"}]}, None),
        ({"images": [{"loc": A_JPG, "title": "\x01"}]}, None),
    ],
)
def test_pages_of_which_only_the_address_is_to_be_judged(row: dict[str, Any], values: Values | None) -> None:
    found = values_of(candidate({"loc": LOC, **row}))
    assert found == (values and values._replace(alternates=values.alternates or {}))
