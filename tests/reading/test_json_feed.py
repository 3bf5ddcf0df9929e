"""JSON feeds: which documents are one, what is read, and what hostile ones cost."""

from __future__ import annotations

import json
import time

import pytest

from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.reading.json_feed import recognizes
from urlset.reading.read import read

VERSION = "https://jsonfeed.org/version/1.1"


def feed(*items: object, **more: object) -> bytes:
    return json.dumps({"version": VERSION, "items": list(items), **more}).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (feed(), True),
        (feed().replace(b"/version/1.1", b"/version/1"), True),
        (feed().replace(b"/", b"\\/"), True),
        (feed().replace(b"https:", b"http:"), True),
        (b"\xef\xbb\xbf\r\n" + feed(), True),
        (json.dumps({"items": [], "version": VERSION}, indent=2).encode(), True),
        (b'{"version": "1.1", "items": []}', False),
        (b'[{"version": "https://jsonfeed.org/version/1.1"}]', False),
        (b'{"sitemap": true}', False),
        (b"{% for page in pages %}", False),
    ],
)
def test_which_documents_are_json_feeds(data: bytes, expected: bool) -> None:
    assert recognizes(data) is expected
    assert (read(data).kind is Kind.JSON_FEED) is expected


@pytest.mark.parametrize(
    ("item", "loc", "lastmod"),
    [
        ({"url": "https://e.com/a"}, "https://e.com/a", None),
        ({"url": "https://e.com/ü", "id": "https://e.com/id"}, "https://e.com/ü", None),
        ({"id": "https://e.com/id"}, "https://e.com/id", None),
        ({"id": "urn:uuid:1"}, None, None),
        ({"id": 7, "url": None}, None, None),
        ({"external_url": "https://other.com/"}, None, None),
        ({"url": "https://e.com/", "date_published": "2026-01-01T00:00:00Z"}, "https://e.com/", "2026-01-01T00:00:00Z"),
        ({"url": "https://e.com/", "date_published": "P", "date_modified": "M"}, "https://e.com/", "M"),
        ({"url": "https://e.com/", "authors": [{"url": "https://e.com/me"}]}, "https://e.com/", None),
        ({"attachments": [{"url": "https://e.com/a.mp3"}]}, None, None),
        ({"url": "https://e.com/\ud800"}, "https://e.com/�", None),
        ({"url": ["https://e.com/"]}, None, None),
    ],
)
def test_the_page_and_date_of_an_item(item: dict[str, object], loc: str | None, lastmod: str | None) -> None:
    document = read(feed(item))
    assert (document.columns.locs, document.columns.lastmods) == ([loc], [lastmod])
    assert not document.troubles
    assert json.loads(document.place(0).cut(document.data)) == item


def test_only_the_items_of_the_feed_are_pages() -> None:
    more = {"author": {"items": [{"url": "https://e.com/no"}]}, "hubs": [{"url": "https://e.com/hub"}]}
    assert read(feed({"url": "https://e.com/a"}, {"url": "https://e.com/b"}, **more)).columns.locs == [
        "https://e.com/a",
        "https://e.com/b",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings(encoding: str) -> None:
    text = json.dumps({"version": VERSION, "items": [{"url": "https://e.com/ü"}]}, ensure_ascii=False)
    document = read(text.encode(encoding))
    assert (document.kind, document.columns.locs) == (Kind.JSON_FEED, ["https://e.com/ü"])


def test_bad_bytes_have_a_place() -> None:
    data = feed({"url": "https://e.com/X"}).replace(b"X", b"\xff")
    document = read(data)
    (trouble,) = document.troubles
    assert (trouble.kind, trouble.place.offset) == (TroubleKind.BAD_UTF8, data.index(b"\xff"))
    assert document.columns.locs == ["https://e.com/�"]


GOOD = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://e.com/a"}'


@pytest.mark.parametrize(
    ("rest", "at", "detail"),
    [
        (b"", 0, "expected ',' or the closing bracket, the file ends"),
        (b', {"url": "https://e.com/b"', 27, "the file ends"),
        (b" {}]}", 1, "expected ',' or the closing bracket, found '{}]}'"),
        (b",]}", 1, "expected a value"),
        (b", {,}]}", 3, "expected a name in quotes or '}'"),
        (b', {"a" 1}]}', 7, "expected ':'"),
        (b', {"a": 01}]}', 9, "expected ','"),
        (b', {"a": "\x01"}]}', 8, "expected a value"),
        (b', {"a": "\\x"}]}', 8, "expected a value"),
        (b', {"a": NaN}]}', 8, "expected a value"),
        (b"]}}", 2, "expected nothing more"),
        (b"}]", 0, "expected ',' or the closing bracket"),
    ],
)
def test_malformed_json_is_a_trouble_with_its_place(rest: bytes, at: int, detail: str) -> None:
    document = read(GOOD + rest)
    (trouble,) = document.troubles
    assert (trouble.kind, trouble.place.offset) == (TroubleKind.MALFORMED, len(GOOD) + at)
    assert detail in trouble.detail
    assert document.columns.locs == ["https://e.com/a"]


def test_items_that_are_no_objects_are_lost() -> None:
    document = read(feed("https://e.com/", {"url": "https://e.com/a"}, [{"url": "https://e.com/no"}]))
    assert document.columns.locs == ["https://e.com/a"]
    assert [trouble.kind for trouble in document.troubles] == [TroubleKind.ENTRY_LOST] * 2
    (trouble,) = read(feed().replace(b"[]", b"{}")).troubles
    assert (trouble.kind, trouble.detail) == (TroubleKind.MALFORMED, "JSON: the items are not an array")


def test_too_many_items_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROWS", 3)
    document = read(feed(*[{"url": "https://e.com/"}] * 5))
    assert (len(document), [trouble.kind for trouble in document.troubles]) == (3, [TroubleKind.TOO_MANY_ENTRIES])


@pytest.mark.parametrize(
    "tail",
    [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 50 + b"]" * 50 + b"9" * 1_000_000, b'"' + b"\\u12" * 100_000],
)
def test_hostile_values_are_bounded(tail: bytes) -> None:
    began = time.process_time()
    document = read(GOOD + b', {"_x": ' + tail)
    assert document.columns.locs == ["https://e.com/a"]
    assert [trouble.kind for trouble in document.troubles] == [TroubleKind.MALFORMED]
    assert time.process_time() - began < 2


def test_huge_numbers_are_not_converted() -> None:
    document = read(feed({"url": "https://e.com/a"}).replace(b'{"url"', b'{"_n": 1' + b"0" * 2_000_000 + b', "url"'))
    assert (document.columns.locs, len(document.troubles)) == (["https://e.com/a"], 0)


def test_time_is_linear() -> None:
    def seconds(count: int) -> float:
        data = feed(*({"url": f"https://e.com/{number}", "tags": ["a"] * 8} for number in range(count)))
        began = time.process_time()
        assert len(read(data)) == count
        return time.process_time() - began

    assert min(seconds(8000) for _ in range(3)) < 12 * min(seconds(2000) for _ in range(3)) + 0.02
