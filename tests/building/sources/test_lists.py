"""Lists as text, CSV, TSV, JSON lines and Parquet → candidates and troubles with their line."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building.sources.sites import BASE, candidates, troubles
from urlset.building.sources.cells import to_lastmod
from urlset.building.sources.lists import LONGEST_LINE, delimiter_of, from_csv, from_json_lines, from_text, from_tsv
from urlset.building.sources.parquet import from_parquet
from urlset.building.sources.source import Item, SourceBroken, SourceError, SourceOptions, items_of
from urlset.model.entry import Image

OPTIONS = SourceOptions(base_url=BASE)


def rows(items: Iterator[Item]) -> list[tuple[str, str | None, str]]:
    return [(each.loc.removeprefix(BASE), each.entry.lastmod, each.origin) for each in candidates(items)]


def text(data: bytes) -> list[Item]:
    return list(items_of(from_text(io.BytesIO(data), "u.txt", OPTIONS)))


def table(data: bytes) -> list[Item]:
    return list(items_of(from_csv(io.BytesIO(data), "u.csv", OPTIONS)))


def lines(data: bytes) -> list[Item]:
    return list(items_of(from_json_lines(io.BytesIO(data), "u.jsonl", OPTIONS)))


def test_text() -> None:
    found = text(f"{BASE}a\n\n# comment\n  {BASE}b \r\n/c\nnot an address\n".encode() + b"/\xff\n")
    assert rows(iter(found)) == [("a", None, "u.txt:1"), ("b", None, "u.txt:4"), ("c", None, "u.txt:5")]
    assert [each.origin for each in troubles(found)] == ["u.txt:6", "u.txt:7"]
    assert "not UTF-8" in troubles(found)[1].reason


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("packed", [False, True])
def test_marks_and_packing(encoding: str, packed: bool) -> None:
    data = f"{BASE}ü\n{BASE}b\n".encode(encoding)
    found = text(gzip.compress(data) if packed else data)
    assert [row[0] for row in rows(iter(found))] == ["%C3%BC", "b"]


def test_a_file_cut_in_its_packing_breaks_off() -> None:
    data = gzip.compress(b"".join(b"%sa%d\n" % (BASE.encode(), n) for n in range(20_000)))
    with pytest.raises(SourceBroken, match=r"u\.txt broke off"):
        text(data[: len(data) // 2])


def test_a_line_without_end_costs_no_memory() -> None:
    found = text(b"x" * (LONGEST_LINE + 10) + f"\n{BASE}a\n".encode())
    assert [row[0] for row in rows(iter(found))] == ["a"]
    assert troubles(found)[0].origin == "u.txt:1"


def test_a_line_that_is_too_long_in_a_cell_counts_for_the_rows_after_it() -> None:
    long = b"x" * (LONGEST_LINE + 10)
    found = table(f'loc,title\n{BASE}a,"one\n'.encode() + long + f'\nthree"\n{BASE}b,\n{BASE}c,\n'.encode())
    assert [row[2] for row in rows(iter(found))] == ["u.csv:2", "u.csv:5", "u.csv:6"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (f"loc,lastmod\n{BASE}a,2024-05-01\n", [("a", "2024-05-01", "u.csv:2")]),
        (f"\ufeffURL;Title;lastmod\n{BASE}a;x;2024\n", [("a", "2024", "u.csv:2")]),
        (f"lastmod\turl\n2024\t{BASE}a\n", [("a", "2024", "u.csv:2")]),
        (f"\n\nloc\n{BASE}a\n\n{BASE}b\n", [("a", None, "u.csv:4"), ("b", None, "u.csv:6")]),
        (f"{BASE}a,2024\n{BASE}b\n", [("a", "2024", "u.csv:1"), ("b", None, "u.csv:2")]),
        (f'title,loc\n"two\nlines","{BASE}a"\nx,{BASE}b\n', [("a", None, "u.csv:2"), ("b", None, "u.csv:4")]),
        (f'"loc","title"\n"{BASE}a","say ""hi"""\n', [("a", None, "u.csv:2")]),
        ("", []),
    ],
)
def test_csv(data: str, expected: list[tuple[str, str | None, str]]) -> None:
    found = table(data.encode())
    assert rows(iter(found)) == expected
    assert troubles(found) == []


def test_bad_rows_of_csv_do_not_take_others_along() -> None:
    data = f'loc,lastmod\n{BASE}a,2024,x\n{BASE}b\nnowhere,2024\n"{BASE}c"x,2024\n{BASE}d,soon\n'.encode()
    found = table(data + b"/\xff,2024\n")
    assert rows(iter(found)) == [("b", None, "u.csv:3"), ("d", None, "u.csv:6")]
    assert [each.origin for each in troubles(found)] == ["u.csv:2", "u.csv:4", "u.csv:5", "u.csv:6", "u.csv:7"]
    assert troubles(found)[0].reason == "row has 3 cells, header has 2"


def test_a_line_end_in_a_cell_does_not_shift_the_lines_of_later_rows() -> None:
    data = f'loc,section\n{BASE}a,"x\ny"\n{BASE}b,x\n\n{BASE}c,"x\r\n\ny"\n{BASE}d,x\n"{BASE}e"x,x\n{BASE}f,x\n'
    found = table(data.encode())
    assert [row[2] for row in rows(iter(found))] == [f"u.csv:{line}" for line in (2, 4, 6, 9, 11)]
    assert [each.origin for each in troubles(found)] == ["u.csv:10"]


def test_a_quote_never_closed_is_told_with_its_line() -> None:
    found = table(f'loc\n{BASE}a\n"{BASE}b\n{BASE}c\n'.encode())
    assert [row[0] for row in rows(iter(found))] == ["a"]
    assert [each.origin for each in troubles(found)] == ["u.csv:3"]


def test_a_table_without_addresses_is_refused() -> None:
    with pytest.raises(SourceError, match=r"no column loc or url; its columns are 'name', 'price'"):
        table(b"name,price\nx,1\n")


def test_extensions_in_cells() -> None:
    (found,) = candidates(table(f"loc,images\n{BASE}a,/i.jpg|/j.jpg\n".encode()))
    assert found.entry.images == (Image(f"{BASE}i.jpg"), Image(f"{BASE}j.jpg"))


@pytest.mark.parametrize(
    ("header", "delimiter"), [("loc,lastmod", ","), ("a;b;url", ";"), ("loc\tx", "\t"), ("loc|images", "|"), ("x", ",")]
)
def test_delimiter(header: str, delimiter: str) -> None:
    assert delimiter_of(header) == delimiter


def test_tsv() -> None:
    found = items_of(from_tsv(io.BytesIO(f"loc\ttitle\n{BASE}a\ta,b\n".encode()), "u.tsv", OPTIONS))
    assert [each.title for each in candidates(found)] == ["a,b"]


def test_json_lines() -> None:
    found = lines(
        f'{{"loc":"{BASE}a","lastmod":"2024-05-01"}}\n\n{{"url":"/b","images":["/i.jpg"],"priority":0.5}}\n'
        f'"{BASE}c"\n{{"loc":"{BASE}d","lastmod":"soon"}}\n{{"loc":"{BASE}e","lastmod":null}}\n'.encode()
    )
    assert rows(iter(found)) == [
        ("a", "2024-05-01", "u.jsonl:1"),
        ("b", None, "u.jsonl:3"),
        ("c", None, "u.jsonl:4"),
        ("d", None, "u.jsonl:5"),
        ("e", None, "u.jsonl:6"),
    ]
    assert [each.origin for each in troubles(found)] == ["u.jsonl:5"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b'{"loc": "\xff"}', "'?' is not UTF-8"),
        (b"[1]", "line contains list"),
        (b"null", "line contains NoneType"),
        (b'{"href": "x"}', "no loc or url in the object; found 'href'"),
        (b'{"loc": 5}', "'5' is not an http or https URL"),
        (b'{"loc": null}', "empty URL"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_bad_lines_of_json(line: bytes, reason: str) -> None:
    found = lines(line + f'\n{{"loc":"{BASE}a"}}'.encode())
    assert [row[0] for row in rows(iter(found))] == ["a"]
    assert [each.origin for each in troubles(found)] == ["u.jsonl:1"]
    assert troubles(found)[0].reason.startswith(reason)


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "u.parquet"
    data: dict[str, list[Any]] = {
        "url": [f"{BASE}a", "nowhere", f"{BASE}b"],
        "noise": [1, 2, 3],
        "lastmod": ["2024", None, None],
        "images": [["/i.jpg"], [], None],
    }
    parquet.write_table(pyarrow.table(data), path)
    found = list(items_of(from_parquet(path, OPTIONS)))
    assert rows(iter(found)) == [("a", "2024", "u.parquet:1"), ("b", None, "u.parquet:3")]
    assert candidates(found)[0].entry.images == (Image(f"{BASE}i.jpg"),)
    assert [each.origin for each in troubles(found)] == ["u.parquet:2"]
    path.write_bytes(b"PAR1 is not enough")
    with pytest.raises(SourceError, match="cannot be read as Parquet"):
        from_parquet(path, OPTIONS)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("has_numpy", [True, False])
def test_moments_of_parquet_are_written_as_those_of_python(
    unit: str, zone: str | None, has_numpy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With or without numpy, which pyarrow does not need."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    if not has_numpy:
        monkeypatch.setitem(sys.modules, "numpy", None)
    past = [datetime(2024, 5, 6, 7, 8, 9, 999_000, UTC), datetime(1965, 1, 2, 3, 4, 5, 1_000, UTC)]
    column = pyarrow.array([*past, None], pyarrow.timestamp("us", tz=zone))
    column = column.cast(pyarrow.timestamp(unit, tz=zone), safe=False)
    path = tmp_path / "u.parquet"
    parquet.write_table(pyarrow.table({"loc": [f"{BASE}{each}" for each in "abc"], "lastmod": column}), path)
    expected = [each and to_lastmod(each) for each in column.to_pylist()]
    assert [row[1] for row in rows(items_of(from_parquet(path, OPTIONS)))] == expected


def test_arrow_is_loaded_with_the_allocator_of_the_system(tmp_path: Path) -> None:
    """And without pandas; other programs that the process starts get what the user set."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "u.parquet"
    moments = pyarrow.array([datetime(2024, 5, 6, tzinfo=UTC), None])
    parquet.write_table(pyarrow.table({"loc": [f"{BASE}a", f"{BASE}b"], "lastmod": moments}), path)
    program = (
        "import os, sys; from pathlib import Path; from urlset.building.sources.parquet import from_parquet;"
        "from urlset.building.sources.source import SourceOptions, items_of;"
        f"print(len(list(items_of(from_parquet(Path({str(path)!r}), SourceOptions())))), 'pandas' in sys.modules);"
        "import pyarrow; print(pyarrow.default_memory_pool().backend_name, 'ARROW_DEFAULT_MEMORY_POOL' in os.environ)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["2", "False", "system", "False"]


def test_the_first_nanosecond_of_parquet_is_a_date(tmp_path: Path) -> None:
    """No whole second before it has a number."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    column = pyarrow.array([-(2**63) + 1]).cast(pyarrow.timestamp("ns"))
    path = tmp_path / "u.parquet"
    parquet.write_table(pyarrow.table({"loc": [f"{BASE}a"], "lastmod": column}), path)
    assert rows(items_of(from_parquet(path, OPTIONS))) == [("a", "1677-09-21", "u.parquet:1")]


def test_moments_of_parquet_that_are_no_dates_of_pages_stay_as_python_has_them(tmp_path: Path) -> None:
    """As the name of a section, another form would be another name for its files."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    moment = datetime(2024, 5, 6, 7, 8, 9, 999_000, UTC)
    table = pyarrow.table({"loc": [f"{BASE}a"], "section": pyarrow.array([moment], pyarrow.timestamp("ms", tz="UTC"))})
    path = tmp_path / "u.parquet"
    parquet.write_table(table, path)
    assert candidates(items_of(from_parquet(path, OPTIONS)))[0].section == str(moment)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    for read in (text, table, lines):
        with suppress(SourceError, SourceBroken):
            read(data)
