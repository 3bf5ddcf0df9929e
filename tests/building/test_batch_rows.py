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
from urlset.building.screening import screen_of
from urlset.building.sources.lists import from_csv, from_json_lines
from urlset.building.sources.options import SourceOptions
from urlset.reading.scanner import is_compiled
from urlset.writing.urlset import entry_bytes

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

BASE = "https://www.example.com/"
LOC = f'"loc": "{BASE}a"'
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
OPTIONS = SourceOptions(base_url=BASE)

USUAL = (
    f'{{{LOC}, "changefreq": "weekly", "priority": 0.5, "lastmod": "2026-01-02"}}',
    f'{{"priority": "0.50", {LOC}, "changefreq": null}}',
    f'{{{LOC}, "priority": 1, "images": "{BASE}i.jpg?a=1&b=\'2\'"}}',
    f'{{{LOC}, "priority": 1.0, "images": ["{BASE}i.jpg", "http://cdn.example.org:8080/%C3%A9.png"]}}',
    f'{{{LOC}, "images": [ ], "title": "Caf\\u00e9 \\ud83d\\ude00 \\"é\\"", "id": 12, "price": -1.50}}',
    f'{{{LOC}, "images": ["https:\\/\\/www.example.com\\/i.jpg"], "stock": [1, {{"a": null}}, [], true, false]}}',
    f'{{"": {{}}, "ключ": "значение", "URL": "{BASE}a", "Last Modified": "2026-01-02T03:04:05Z"}}',
    f'{{{LOC}, "section": "shop", "lang": "de"}}',
    f'{{"url": "", {LOC}}}',
)
UNUSUAL = (
    *(f'{{{LOC}, "id": {value}}}' for value in ("01", "1e5", "tru", "[1,]", "{1:2}", '"\\x"', '"\\ud800"', "-", "1.")),
    *(f'{{{LOC}, "priority": {value}}}' for value in ("0.50", "2", '"1.5"', "0.00001", '"0."', "true", '" 0.5"')),
    *(f'{{{LOC}, "images": {value}}}' for value in ('["a b"]', '[""]', '["/i.jpg"]', "[1]", '{"loc": "x"}', '["x#"]')),
    *(f'{{{LOC}, "{name}": "x"}}' for name in ("changefreq", "videos", "news_title", "canonical", "hreflang_de")),
    f'{{{LOC}, "images": ["{BASE}i.jpg#top"]}}',
    f'{{{LOC}, "link": "{BASE}b"}}',
    f"{{{LOC}}} {{}}",
    f'{{{LOC}, "title": "\t"}}',
)


def batch_of(block: Any) -> Any:
    batch = compiled_pages.Batch(screen_of(compiled_pages, ListingPolicy(BASE, now=NOW), NOW))
    batch.clear()
    assert block.fill(batch)
    return batch


def entries_of(batch: Any) -> bytes:
    """What is written of the rows that are READY."""
    book = compiled_pages.PageBook(1)
    at = 0
    while at < len(batch):
        at = book.take(batch, at)
        at += book.why != compiled_pages.END
    return b"".join(bytes(part[0]) for part in book.deal().values())


def expected(block: Any, row: int) -> bytes:
    (candidate,) = block.items(row)
    assert isinstance(candidate, Candidate)
    return entry_bytes(candidate.entry)


def judge(block: Any) -> int:
    """Compare the first row; gives its status."""
    batch = batch_of(block)
    if batch.of_status(compiled_pages.READY) == [0] and not any(links for _, links, _, _ in batch.notes()):
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
    (first, second) = batch_of(json_block(rows)).notes()
    assert first == (0, links.encode(), "shop", "")
    assert second == (1, links.encode(), "", "é")
    assert first[1] is second[1]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.fixed_dictionaries(
    {"loc": st.just(f"{BASE}a")},
    optional={
        "changefreq": st.sampled_from(["weekly", "", "often", None]) | VALUES,
        "priority": st.sampled_from(["0.5", "1", "", None, 0.25, 1]) | VALUES,
        "images": st.lists(st.sampled_from([f"{BASE}i.jpg?a&b", "http://x/'", "x"]), max_size=3) | VALUES,
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
