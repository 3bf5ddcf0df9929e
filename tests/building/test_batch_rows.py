"""Rows that compiled code reads: the entry of each is what Python makes of the same row."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.candidate import Candidate
from urlset.building.policy import ListingPolicy
from urlset.building.sources.lists import from_csv, from_json_lines
from urlset.building.sources.source import SourceOptions
from urlset.reading.limits import is_compiled
from urlset.writing.urlset import entry_bytes

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

BASE = "https://www.example.com/"
LOC = f'"loc": "{BASE}a"'
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
OPTIONS = SourceOptions(base_url=BASE)

SHOT = f'"thumbnail_loc": "{BASE}t.jpg", "title": "T", "description": "D"'
FILM = f'{SHOT}, "content_loc": "{BASE}v.mp4"'
USUAL = (
    f'{{{LOC}, "changefreq": "weekly", "priority": 0.5, "lastmod": "2026-01-02"}}',
    f'{{"priority": "0.50", {LOC}, "changefreq": null}}',
    f'{{{LOC}, "priority": 1, "images": "{BASE}i.jpg?a=1&b=\'2\'"}}',
    f'{{{LOC}, "priority": 1.0, "images": ["{BASE}i.jpg", "http://cdn.example.org:8080/%C3%A9.png"]}}',
    f'{{{LOC}, "images": [ ], "title": "Caf\\u00e9 \\ud83d\\ude00 \\"é\\"", "id": 12, "price": -1.50}}',
    f'{{{LOC}, "images": ["https:\\/\\/www.example.com\\/i.jpg"], "stock": [1, {{"a": null}}, [], true, false]}}',
    f'{{"": {{}}, "ключ": "значение", "URL": "{BASE}a", "Last Modified": "2026-01-02T03:04:05Z"}}',
    f'{{{LOC}, "section": "shop", "lang": "de"}}',
    f'{{"url": "", {LOC}, "link": "{BASE}b", "id": 1e5, "priority": 0.50}}',
    f'{{{LOC}, "images": {{"title": "\\"A\\" <b>", "loc": "{BASE}i.jpg", "caption": "é \\n \\u00e9", "license": ""}}}}',
    f'{{{LOC}, "images": ["{BASE}i.jpg", {{"loc": "{BASE}j.jpg", "geo_location": null}}], "priority": 0.5}}',
    f'{{{LOC}, "videos": [{{{FILM}, "duration": 30, "rating": 4.5, "live": false, "family_friendly": true}}]}}',
    f'{{{LOC}, "videos": [{{{FILM}, "rating": 4.50, "title": "again"}}, {{{FILM}, "rating": 0.00001}}]}}',
    f'{{{LOC}, "videos": {{{FILM}, "duration": -1}}}}',
    f'{{{LOC}, "videos": {{{FILM}, "tag": ["a", "b & c"], "uploader": "Ann", "expiration_date": "2030-01-01"}}}}',
    f'{{{LOC}, "videos": {{{SHOT}, "player_loc": "{BASE}p?a&b", "tags": "one", "restriction": "DE FR"}}}}',
    f'{{{LOC}, "alternates": {{"de": "https:\\/\\/www.example.com\\/de", "x-default": "{BASE}a"}}}}',
    f'{{{LOC}, "alternates": {{ }}}}',
    f'{{{LOC}, "alternates": {{"de": "/de?a&b", "fr": " https://bücher.example/fr é#x"}}}}',
    f'{{{LOC}, "images": ["/i.jpg", "{BASE}i.jpg#top", "//cdn.example.org/a b.png", "https://bücher.example/ü|"]}}',
    *(f'{{{LOC}, "images": {{"loc": "{BASE}i.jpg", {field}}}}}' for field in ('"title": " x"', '"title": "x\u3000"')),
    *(f'{{{LOC}, "priority": {value}}}' for value in ("0.00001", '"0."', '" 0.5"', '".5"', '"5E-1"', "1e-100", '" "')),
    *(f'{{{LOC}, "changefreq": "{value}"}}' for value in ("Daily", " weekly ", "\u3000")),
    *(f'{{{LOC}, "lastmod": {value}, "priority": 0.5}}' for value in (1714557600, 1714557600123, 1714557600.5)),
    *(f'{{{LOC}, "lastmod": "{value}"}}' for value in (1714557600, 1714557600123, " 2026-01-02 ", 2023, "2023-05")),
    f'{{{LOC}, "videos": {{{FILM}, "publication_date": 1714557600, "expiration_date": "2030-01-02 03:04:05Z"}}}}',
    f'{{{LOC}, "section": 5, "language": " de "}}',
    f'"{BASE}a"',
)
UNUSUAL = (
    *(f'{{{LOC}, "id": {value}}}' for value in ("01", "tru", "[1,]", "{1:2}", '"\\x"', '"\\ud800"', "-", "1.")),
    *(f'{{{LOC}, "priority": {value}}}' for value in ("2", '"1.5"', "true", '"1e-101"', '"NaN"', f'"0.{"0" * 64}"')),
    *(f'{{{LOC}, "images": {value}}}' for value in ('["a b"]', '[""]', "[1]", '{"loc": "x"}', '["x#"]')),
    *(f'{{{LOC}, "{name}": "x"}}' for name in ("changefreq", "videos", "news_title", "canonical", "hreflang_de")),
    *(
        f'{{{LOC}, "images": {{"loc": "{BASE}i.jpg", {field}}}}}'
        for field in ('"title": " "', '"title": "\uffff"', '"title": "\\u0007"', '"x": 1')
    ),
    *(
        f'{{{LOC}, "videos": {{{FILM}, {field}}}}}'
        for field in (
            '"tags": "a | b"',
            '"tag": [1]',
            '"tag": ["a"], "tags": ["b"]',
            '"uploader": "{}"',
            '"uploader": {"text": "Ann"}',
            '"publication_date": "yesterday"',
            '"tvshow": {}',
        )
    ),
    f'{{{LOC}, "videos": {{{SHOT}}}}}',
    f'{{{LOC}, "videos": ["{BASE}v.mp4"]}}',
    *(f'{{{LOC}, "alternates": {links}}}' for links in (f'{{"href": "{BASE}a"}}', '{"de": "de"}', '{"\\u0064": ""}')),
    f"{{{LOC}}} {{}}",
    f'{{{LOC}, "title": "\t"}}',
)


def batch_of(block: Any) -> Any:
    from urlset.workflows.build.batches import screen_of  # imports the compiled module

    batch = compiled_pages.Batch(screen_of(ListingPolicy(BASE, now=NOW), NOW))
    batch.clear()
    assert block.fill(batch)
    return batch


def entries_of(batch: Any) -> bytes:
    """What is written of the rows that are READY."""
    index = compiled_pages.PageIndex(1)
    at = 0
    while at < len(batch):
        at = index.take(batch, at)
        at += index.why != compiled_pages.END
    return b"".join(bytes(part[0]) for part in index.flush_groups().values())


def expected(block: Any, row: int) -> bytes:
    (candidate,) = block.items(row)
    assert isinstance(candidate, Candidate)
    return entry_bytes(candidate.entry)


def judge(block: Any) -> int:
    """Compare the first row; gives its status."""
    batch = batch_of(block)
    if batch.of_status(compiled_pages.READY) == [0]:
        (candidate,) = block.items(0)
        links = [(link.hreflang, link.href) for link in candidate.entry.alternates]
        if links:
            ((loc, said),) = batch.waiting([0])
            assert (loc, list(json.loads(said).items())) == (candidate.loc, links)
        else:
            assert entries_of(batch) == expected(block, 0)
    return int(batch.status(0))


def json_block(line: str) -> Any:
    (block,) = from_json_lines(io.BytesIO(line.encode()), "rows.jsonl", OPTIONS)
    return block


@pytest.mark.parametrize("line", USUAL)
def test_usual_rows_need_no_python(line: str) -> None:
    assert judge(json_block(line)) == compiled_pages.READY


@pytest.mark.parametrize("line", UNUSUAL)
def test_other_rows_are_left_to_python(line: str) -> None:
    assert judge(json_block(line)) == compiled_pages.UNREAD


def test_rows_name_translations_sections_and_languages() -> None:
    links = f'{{"de": "{BASE}de", "en": "{BASE}a"}}'
    rows = f'{{{LOC}, "alternates": {links}, "section": "shop"}}\n' + f'{{{LOC}, "hreflang": {links}, "lang": "é"}}\n'
    batch = batch_of(json_block(rows))
    assert batch.notes() == [(0, "shop", ""), (1, "", "é")]
    assert batch.waiting([0, 1]) == [(f"{BASE}a", links.replace(" ", "").encode()), (f"{BASE}a", None)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ADDRESSES = st.sampled_from([f"{BASE}i.jpg?a&b", "http://x/'", "x", ""])
TEXTS = (
    st.text(max_size=6)
    | st.sampled_from(['a "b" <c>', "x\n\r\ty", "\u00a0x", "\u3000", "[1]", "{", "a | b", "\u0085"])
    | VALUES
)
DATES = st.sampled_from(["2026-01-02", "2031-02-28T10:00:00Z", "2026-02-30", "today", "20260102"]) | VALUES
IMAGE = {"loc": ADDRESSES}
IMAGE_FIELDS = {"title": TEXTS, "caption": TEXTS, "license": ADDRESSES, "geo_location": TEXTS, "other": TEXTS}
VIDEO = {"thumbnail_loc": ADDRESSES, "title": TEXTS, "description": TEXTS}
VIDEO_FIELDS = {
    "content_loc": ADDRESSES,
    "player_loc": ADDRESSES | TEXTS,
    "duration": VALUES,
    "rating": st.floats() | VALUES,
    "publication_date": DATES,
    "expiration_date": DATES,
    "tag": st.lists(TEXTS, max_size=2) | TEXTS,
    "tags": TEXTS,
    "live": st.booleans(),
    "uploader": TEXTS,
    "restriction": TEXTS,
    "price": TEXTS,
    "tvshow": VALUES,
}
FIELDS = st.fixed_dictionaries(
    {"loc": st.just(f"{BASE}a")},
    optional={
        "changefreq": st.sampled_from(["weekly", "", "often", None]) | VALUES,
        "priority": st.sampled_from(["0.5", "1", "", None, 0.25, 1]) | VALUES,
        "images": st.lists(ADDRESSES | st.fixed_dictionaries(IMAGE, optional=IMAGE_FIELDS), max_size=3) | VALUES,
        "videos": st.lists(st.fixed_dictionaries(VIDEO, optional=VIDEO_FIELDS), max_size=2) | VALUES,
        "alternates": st.dictionaries(st.sampled_from(["de", "x-default", " fr", "é"]), ADDRESSES, max_size=3) | VALUES,
        "other": VALUES,
        "title": VALUES,
    },
)


@given(FIELDS, st.booleans())
def test_compiled_rows_are_those_of_python(row: dict[str, Any], ascii_only: bool) -> None:
    judge(json_block(json.dumps(row, ensure_ascii=ascii_only)))


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        (f"{BASE}a,2026-01-02,weekly,0.5,{BASE}i.jpg?a&b", "READY"),
        (f"{BASE}a,,,,", "READY"),
        (f'"{BASE}a",2026-01-02T03:04:05Z,daily,1.0,"{BASE}i.jpg"', "READY"),
        (f"{BASE}a,,often,,", "UNREAD"),
        (f"{BASE}a,,,2,", "UNREAD"),
        (f"{BASE}a,,,,i.jpg", "UNREAD"),
    ],
)
def test_columns_of_a_table_are_read_like_its_rows(cells: str, status: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"loc,lastmod,changefreq,priority,images\n{cells}\n", encoding="utf-8")
    with path.open("rb") as file:
        (block,) = from_csv(file, "rows.csv", OPTIONS)
        batch = batch_of(block)
        assert batch.status(0) == getattr(compiled_pages, status)
        if status == "READY":
            assert entries_of(batch) == expected(block, 0)


def test_the_fuzzer_of_rows_finds_nothing_at_once() -> None:
    from fuzz.rows import by_chance

    assert by_chance(0.3, seed=20) > 0
