"""A document → tables in three libraries, with the same columns and values in each."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from urlset.model.frames import (
    ColumnType,
    FrameColumn,
    FrameTable,
    Tabular,
    arrow_array,
    in_batches,
    instant_of,
    instants,
    number_of,
    table_of,
)

COLUMNS = [
    *("loc", "lastmod", "lastmod_time", "changefreq", "priority"),
    *("images", "videos", "news", "alternates", "sitemap", "position"),
]
LIBRARIES = ["pyarrow", "polars", "pandas"]
SOURCE = b"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
        xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
        xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc> https://example.com/plain </loc><lastmod>2024-05</lastmod><priority>0.5</priority></url>
<url><loc>https://example.com/rich</loc>
  <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>
  <image:image><image:loc>https://example.com/1.png</image:loc></image:image>
  <image:image><image:loc>https://example.com/2.png</image:loc></image:image>
  <video:video><video:title>Film</video:title><video:tag>a</video:tag><video:tag>b</video:tag>
    <video:restriction relationship="allow">DE</video:restriction></video:video>
  <news:news><news:publication><news:name>Paper</news:name><news:language>en</news:language></news:publication>
    <news:title>Headline</news:title></news:news>
</url>
</urlset>"""


def rows_of(library: str, document: urlset.Document) -> list[dict[str, Any]]:
    match library:
        case "pyarrow":
            return list(document.to_arrow().to_pylist())
        case "polars":
            return list(document.to_polars().to_dicts())
        case _:
            table = document.to_pandas()
            return [
                {name: None if value is None or value != value else value for name, value in row.items()}  # noqa: PLR0124
                for row in table.to_dict("records")
            ]


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_rows(library: str) -> None:
    pytest.importorskip(library)
    plain, rich = rows_of(library, urlset.read(SOURCE))
    assert list(plain) == list(rich) == COLUMNS
    assert plain == {
        "loc": "https://example.com/plain",
        "lastmod": "2024-05",
        "lastmod_time": datetime(2024, 5, 1, tzinfo=UTC),
        "changefreq": None,
        "priority": 0.5,
        "images": [],
        "videos": [],
        "news": [],
        "alternates": [],
        "sitemap": "",
        "position": 1,
    }
    assert rich["images"] == ["https://example.com/1.png", "https://example.com/2.png"]
    assert rich["alternates"] == [
        {"hreflang": "de", "href": "https://example.com/de", "rel": "alternate", "media": None}
    ]
    (video,) = rich["videos"]
    assert (video["title"], video["tags"], video["duration"]) == ("Film", ["a", "b"], None)
    assert video["restriction"] == {"text": "DE", "attributes": [{"name": "relationship", "value": "allow"}]}
    assert (rich["news"][0]["name"], rich["news"][0]["title"]) == ("Paper", "Headline")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", [b"", b"https://example.com/\n", b"<urlset/>"])
def test_every_document_has_the_same_columns(library: str, source: bytes) -> None:
    module = pytest.importorskip(library)
    document, full = urlset.read(source), urlset.read(SOURCE)
    if library == "pandas":
        assert list(document.to_pandas().columns) == COLUMNS
    elif library == "polars":
        assert module.concat([document.to_polars(), full.to_polars()]).columns == COLUMNS
    else:
        assert document.to_arrow().schema.equals(full.to_arrow().schema)


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [
        ("to_arrow", "pyarrow", "urlset[data]"),
        ("to_polars", "polars", "urlset[data]"),
        ("to_pandas", "pandas", "urlset[data]"),
    ],
)
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, method: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install") as caught:
        getattr(urlset.read(SOURCE), method)()
    assert f"'{extra}'" in str(caught.value)


@pytest.mark.parametrize("library", LIBRARIES)
def test_types_are_real_also_where_there_is_no_row(library: str) -> None:
    pytest.importorskip(library)
    for document in (urlset.read(SOURCE), urlset.read(b"<urlset/>")):
        match library:
            case "pyarrow":
                schema = document.to_arrow().schema
                types = [str(schema.field(name).type) for name in ("lastmod_time", "priority", "position")]
                assert types == ["timestamp[us, tz=UTC]", "double", "int64"]
            case "polars":
                types = [str(document.to_polars().schema[name]) for name in ("lastmod_time", "priority", "position")]
                assert types == ["Datetime(time_unit='us', time_zone='UTC')", "Float64", "Int64"]
            case _:
                types = [str(document.to_pandas().dtypes[name]) for name in ("lastmod_time", "priority", "position")]
                assert types == ["datetime64[us, UTC]", "float64", "Int64"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("images", [("https://example.com/rich", "https://example.com/1.png"), ("https://example.com/rich", "https://example.com/2.png")]),
        ("alternates", [("https://example.com/rich", "de")]),
        ("videos", [("https://example.com/rich", None)]),
        ("news", [("https://example.com/rich", "Paper")]),
        ("sitemaps", []),
    ],
)  # fmt: skip
def test_a_row_can_be_something_else(rows: str, expected: list[tuple[str, str]]) -> None:
    frame = pytest.importorskip("polars") and urlset.read(SOURCE).to_polars(rows)
    assert frame.select(frame.columns[:2]).rows() == expected


def test_tables_have_the_types_of_their_libraries() -> None:
    names = ("to_arrow", "to_arrow_batches", "to_polars", "to_pandas")
    found = [inspect.signature(getattr(Tabular, name)).return_annotation for name in names]
    assert found == ["pa.Table", "pa.RecordBatchReader", "pl.DataFrame", "pd.DataFrame"]


def test_an_index_has_sitemaps() -> None:
    pytest.importorskip("pyarrow")
    source = "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod>"
    (row,) = urlset.read(f"{source}</sitemap></sitemapindex>", name="index.xml").to_arrow().to_pylist()
    assert row == {
        "loc": "https://example.com/a.xml",
        "lastmod": "2024-05-06T07:08:09+02:00",
        "lastmod_time": datetime(2024, 5, 6, 5, 8, 9, tzinfo=UTC),
        "sitemap": "index.xml",
        "position": 1,
    }


@pytest.mark.parametrize("text", ["", "much", "nan", "inf", "1_0", "0,5", "²", "-1", "1.2.3", "."])
def test_what_is_not_a_number_is_nothing(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize("text", [
    *("2024", "2024-05", "2024-05-06", "2024-02-29", "2023-02-29", "2024-13-01", "0001-01-01", "9999-12-31", "0000"),
    *("2024-05-06T07:08Z", "2024-05-06T07:08:09+02:00", "2024-05-06T07:08:09.1234567-05:30", "2024-05-06T24:00:00Z"),
    *("2024-05-06 07:08:09", "2024-05-06T07:08", "2024-05-06T07:08:60Z", "2024-05-06T07:08:09-00:00", "2024-W01-1"),
    *("2024-05-06T07:08:09+14:00", "2024-05-06T07:08:09+15:00", "20240506", "2024-5-6", "06.05.2024", "soon", "", "1"),
    *("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2024-05-06T", "2024-05-06T07"),
])  # fmt: skip
def test_dates_in_columns_mean_what_each_of_them_means(text: str) -> None:
    one = instant_of(text)
    expected = None if one is None else (one - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert instants([text, None, text]) == [expected, None, expected]
    assert urlset.read(b"").instants([text, None, text]) == [expected, None, expected]


@given(st.lists(st.datetimes(timezones=st.timezones()).map(datetime.isoformat)))
def test_dates_of_any_zone_mean_what_each_of_them_means(texts: list[str]) -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    found = [None if each is None else epoch + timedelta(microseconds=each) for each in instants(texts)]
    assert found == [instant_of(text) for text in texts]
    assert urlset.read(b"").instants(list(texts)) == instants(texts)


@given(st.text("0123456789-:.TZ+ é", max_size=30) | st.from_regex(r"2024-02-[0-3][0-9]T[0-9:.]{0,9}[-+Z0-9:]{0,7}"))
def test_what_may_be_a_date_means_what_it_means(text: str) -> None:
    assert urlset.read(b"").instants([text]) == instants([text])


@pytest.mark.parametrize("library", LIBRARIES)
def test_values_that_repeat_are_like_others(library: str) -> None:
    pytest.importorskip(library)
    plain, rich = SOURCE.partition(b"<url>")[2].split(b"<url>")
    alike = SOURCE.replace(rich, plain + b"</urlset>")
    mixed = SOURCE.replace(plain, plain + b"<url>" + plain)
    twice, three = rows_of(library, urlset.read(alike)), rows_of(library, urlset.read(mixed))
    assert twice == three[:2]
    assert three[2] == rows_of(library, urlset.read(SOURCE))[1] | {"position": 3}


def test_unknown_rows_are_named() -> None:
    pytest.importorskip("polars")
    with pytest.raises(ValueError, match="unknown rows 'pictures'; choose from pages, sitemaps, images"):
        urlset.read(SOURCE).to_polars("pictures")


def test_batches_are_made_one_at_a_time() -> None:
    pytest.importorskip("pyarrow")
    made = 0

    def rows() -> Iterator[int]:
        nonlocal made
        for number in range(1000):
            made += 1
            yield number

    class Numbers(Tabular):
        def tables(self) -> dict[str, Any]:
            return {"n": lambda: FrameTable((FrameColumn("n", ColumnType.INTEGER, list),), in_batches(rows))}

    reader = Numbers().to_arrow_batches(size=10)
    assert reader.read_next_batch().num_rows == 10
    assert made == 10
    assert reader.read_all().num_rows == 990


class Part(msgspec.Struct, frozen=True):
    name: str
    share: float | None = None


class Whole(msgspec.Struct, frozen=True):
    """Every kind of field that reports have."""

    text: str
    severity: urlset.Severity
    number: int | None
    found: datetime | None
    pairs: tuple[tuple[str, int], ...]
    examples: tuple[tuple[str, str], ...]
    states: dict[str, int]
    parts: tuple[Part, ...] | None
    part: Part | None = None


@pytest.mark.parametrize("library", LIBRARIES)
def test_reports_of_every_kind_become_tables(library: str) -> None:
    pytest.importorskip(library)
    now = datetime(2026, 11, 16, 4, 5, 6, tzinfo=UTC)
    rows = (
        Whole("a", urlset.Severity.ERROR, 1, now, (("x", 2),), (("y", "z"),), {"ok": 3}, (Part("p", 0.5),), Part("q")),
        Whole("b", urlset.Severity.INFO, None, None, (), (), {}, None),
    )

    class Report(Tabular):
        def tables(self) -> dict[str, Any]:
            return {"rows": lambda: table_of(Whole, lambda: rows, skip=("part",))}

    found = Report().to_arrow().to_pylist() if library == "pyarrow" else Report().to_polars().to_dicts()
    if library == "pandas":
        assert list(Report().to_pandas()["text"]) == ["a", "b"]
        return
    assert found[0] == {
        "text": "a",
        "severity": "error",
        "number": 1,
        "found": now,
        "pairs": [{"name": "x", "value": 2}],
        "examples": [["y", "z"]],
        "states": [{"name": "ok", "value": 3}],
        "parts": [{"name": "p", "share": 0.5}],
    }
    assert (found[1]["number"], found[1]["pairs"], found[1]["parts"]) == (None, [], None)


@pytest.mark.parametrize("library", LIBRARIES)
def test_collections_go_on_behind_a_table_and_what_was_frozen_stays_frozen(library: str) -> None:
    pytest.importorskip(library)
    before = gc.get_freeze_count()
    way = {"pyarrow": "to_arrow", "polars": "to_polars", "pandas": "to_pandas"}[library]
    getattr(urlset.read(SOURCE), way)()
    assert gc.isenabled()
    assert (gc.get_freeze_count() == 0) is (before == 0)


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_arrow_reads_compiled_texts_as_its_own(texts: list[str | None]) -> None:
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("urlset.model.compiled_frames")
    made = arrow_array(texts, ColumnType.TEXT)
    made.validate(full=True)
    assert made.equals(arrow.array(texts, arrow.string()))


def test_texts_become_a_column_without_compiled_code_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    expected = urlset.read(SOURCE).to_arrow()
    monkeypatch.setitem(sys.modules, "urlset.model.compiled_frames", None)
    assert urlset.read(SOURCE).to_arrow().equals(expected)


@pytest.mark.parametrize("texts", [["a", 1], ["\ud800"]])
def test_what_is_no_text_is_refused(texts: list[Any]) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises((TypeError, UnicodeEncodeError)):
        arrow_array(texts, ColumnType.TEXT)


def test_an_arrow_table_does_not_import_pandas() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("urlset.model.compiled_frames")
    code = f"import sys, urlset; urlset.read({SOURCE!r}).to_arrow(); print('pandas' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_long_entries_make_short_batches() -> None:
    pytest.importorskip("pyarrow")
    entry = b"<url><loc>https://example.com/</loc><!--" + 1_000_000 * b"x" + b"--></url>"
    document = urlset.read(b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + 5 * entry + b"</urlset>")
    batches = list(document.to_arrow_batches())
    assert [batch.num_rows for batch in batches] == [3, 2]
    assert [position for batch in batches for position in batch.column("position").to_pylist()] == [1, 2, 3, 4, 5]
