"""Files and a filter → which pages are listed, and what is said about the rest."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import urlset
from urlset.model.moment import Moment
from urlset.workflows.ls import (
    FIELDS,
    Batch,
    ListFilter,
    Notice,
    UnknownFieldError,
    choose,
    could_be_between,
    list_pages,
    select,
)

SITE = "https://example.com"
EVERYTHING = ListFilter()


def sitemap(*entries: tuple[str, str | None]) -> bytes:
    rows = "".join(
        f"<url><loc>{loc}</loc>{'' if date is None else f'<lastmod>{date}</lastmod>'}</url>\n" for loc, date in entries
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>'.encode()


def listed(*paths: Path, wanted: ListFilter = EVERYTHING) -> tuple[list[str], list[Notice]]:
    locs: list[str] = []
    notices: list[Notice] = []
    for item in list_pages([str(path) for path in paths], wanted):
        if isinstance(item, Batch):
            locs += item.locs
        else:
            notices.append(item)
    return locs, notices


@pytest.mark.parametrize(
    ("lastmod", "since", "included"),
    [
        ("2024-05-01", "2024-05-01", True),
        ("2024-04-30", "2024-05-01", False),
        ("2024-05", "2024-05-20", True),  # some day of that May
        ("2024", "2024-12-31", True),
        ("2023", "2024", False),
        ("2024-05-01T00:00Z", "2024-05-01T00:00Z", True),
        ("2024-04-30T23:59:59Z", "2024-05-01T00:00Z", False),
        ("2024-04-30T23:00:00-05:00", "2024-05-01T00:00Z", True),
        ("2024-04-30", "2024-05-01T00:00Z", True),  # still the 30th somewhere west of UTC
        ("2024-04-29", "2024-05-01T00:00Z", False),
        (" 2024-05-02\n", "2024-05-01", True),
        ("yesterday", "2024-05-01", False),
        ("", "2024-05-01", False),
    ],
)
def test_since(lastmod: str, since: str, included: bool) -> None:
    assert could_be_between(lastmod, Moment.parse(since), None) is included


def test_filters_and_limit_work_together(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(sitemap(*((f"{SITE}/{n % 2}/{n}", f"2024-05-{n:02d}" if n % 3 else None) for n in range(1, 20))))
    wanted = ListFilter(re.compile("/1/"), Moment.parse("2024-05-05"), 3)
    assert listed(path, wanted=wanted)[0] == [f"{SITE}/1/5", f"{SITE}/1/7", f"{SITE}/1/11"]


def test_the_limit_counts_over_all_files_and_stops_reading(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.xml").write_bytes(sitemap((f"{SITE}/{name}1", None), (f"{SITE}/{name}2", None)))
    paths = [tmp_path / "a.xml", tmp_path / "b.xml", tmp_path / "nowhere.xml"]
    assert listed(*paths, wanted=ListFilter(limit=3)) == ([f"{SITE}/a1", f"{SITE}/a2", f"{SITE}/b1"], [])
    assert listed(*paths, wanted=ListFilter(limit=0)) == ([], [])


def test_entries_without_an_address_are_no_pages() -> None:
    document = urlset.read(sitemap((f"{SITE}/1", None), ("", None), (" \n", None), (f" {SITE}/2 ", None)))
    assert select(document, ListFilter()).locs == [f"{SITE}/1", f"{SITE}/2"]


def test_pages_come_before_later_files_are_opened(tmp_path: Path) -> None:
    first, second = tmp_path / "1.xml", tmp_path / "2.xml"
    first.write_bytes(sitemap((f"{SITE}/1", None)))
    second.write_bytes(b"")
    pages = list_pages([str(first), str(second)], ListFilter())
    assert isinstance(next(pages), Batch)
    second.write_bytes(sitemap((f"{SITE}/2", None)))
    batch = next(pages)
    assert isinstance(batch, Batch)
    assert batch.locs == [f"{SITE}/2"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"<html><body>404</body></html>", "is an HTML page"),
        (b"<config/>", "is XML, but not a"),
        (b"\x00\x01\x02 nothing", "is not a sitemap"),
        (b"PK\x03\x04" + b"\0" * 40, "is compressed with zip"),
        (gzip.compress(sitemap(*((f"{SITE}/{n}", None) for n in range(2000))), mtime=0)[:-400], "truncated"),
        (sitemap((f"{SITE}/1", None)).removesuffix(b"</urlset>"), "truncated"),
    ],
)
def test_what_is_missing_from_the_list_is_said(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(data)
    _, notices = listed(path)
    assert (notices[0].source, notices[0].grave) == (str(path), True)
    assert notices[0].text.startswith(words)


def test_an_entry_that_is_lost_is_said_without_alarm(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_bytes(sitemap((f"{SITE}/1", None)).replace(b"</urlset>", b"<url><</url></urlset>"))
    locs, notices = listed(path)
    assert locs == [f"{SITE}/1"]
    assert [(notice.grave, "1 entry could not be read" in notice.text) for notice in notices] == [(False, True)]


def test_fields_are_chosen_in_the_order_given_and_once() -> None:
    assert [field.name for field in choose("line, loc,,line")] == ["line", "loc"]


@pytest.mark.parametrize(
    ("name", "hint"), [("lastmdo", "did you mean 'lastmod'?"), ("LOC", "'loc'"), ("xyz", "choose from")]
)
def test_an_unknown_field_is_explained(name: str, hint: str) -> None:
    with pytest.raises(UnknownFieldError) as caught:
        choose(f"loc,{name}")
    assert repr(name) in str(caught.value)
    assert hint in str(caught.value)
    assert all(known in str(caught.value) for known in FIELDS)


def test_every_field_gives_a_value_for_each_row() -> None:
    document = urlset.read(sitemap((f"{SITE}/1?a=1&b=2", "2024"), (f"{SITE}/2", None)), name="x.xml")
    batch = select(document, ListFilter())
    values = {name: field.values(batch) for name, field in FIELDS.items()}
    assert {len(column) for column in values.values()} == {2}
    assert values["path"] == ["/1", "/2"]
    assert values["host"] == ["example.com"] * 2
    assert values["source"] == ["x.xml"] * 2
    assert (values["line"], values["column"]) == ([2, 3], [1, 1])
    assert values["salvaged"] == [True, False]
    for offset, length in zip(values["offset"], values["length"], strict=True):
        assert document.data[offset : offset + length].startswith(b"<url>")
        assert document.data[offset : offset + length].endswith(b"</url>")
