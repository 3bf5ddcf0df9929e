"""Rows → columns in a page: every value comes back, rows that matter are kept, nothing ends the element early."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from urlset.reports.table import TableColumn, TableData
from urlset.reports.visible import visible

COLUMNS = (
    TableColumn("url", "URL", "url", value=itemgetter(0)),
    TableColumn("state", "State", "choice", value=itemgetter(1)),
    TableColumn("to", "To", "url", value=itemgetter(2)),
    TableColumn("title", "Title", value=itemgetter(3)),
    TableColumn("bytes", "Bytes", "number", value=itemgetter(4)),
)


def encoded(table: TableData) -> Any:
    text = "".join(table.json())
    assert not {"<", ">", "&"} & set(text)
    return json.loads(text)


def decoded(table: TableData) -> list[tuple[object, ...]]:
    """As table.js does it."""
    data = encoded(table)

    def text(column: Any, row: int) -> object:
        value = column["values"][row]
        if "table" in column:
            return column["table"][value]
        if column["kind"] == "number":
            return value
        if value == 0:
            return text(data["columns"][0], row)
        return value and column["prefix"] + value

    return [tuple(text(column, row) for column in data["columns"]) for row in range(data["rows"])]


texts = st.none() | st.text(max_size=12) | st.sampled_from(["https://e.com/a", "https://e.com/b", "</script><!--"])
rows = st.lists(st.tuples(texts, texts, texts, texts, st.none() | st.integers(-(10**9), 10**9)), max_size=30)


@given(rows)
def test_every_value_comes_back(values: list[tuple[object, ...]]) -> None:
    table = TableData(COLUMNS)
    for row in values:
        table.add(row)
    shown = [
        (*(visible(each) if isinstance(each, str) else "" if each is None else each for each in row[:-1]), row[-1])
        for row in values
    ]
    assert decoded(table) == shown
    assert not table.is_sample


def test_rows_that_matter_are_kept_in_their_order_and_the_others_are_sampled() -> None:
    table = TableData(COLUMNS[:1], most=100)
    for number in range(1_000):
        table.add((f"/{number}",), matters=number % 20 == 0)
    kept = [int(str(url)[1:]) for (url,) in decoded(table)]
    assert kept == sorted(kept)
    assert {number for number in kept if number % 20 == 0} == set(range(0, 1_000, 20))
    assert (table.rows, table.total, table.is_sample, table.all_that_matter) == (100, 1_000, True, 50)
    others = [number for number in kept if number % 20]
    assert 350 < sum(others) / len(others) < 650, "from all of the site, not from its start"


def test_too_many_that_matter_are_sampled_too_and_that_is_said() -> None:
    table = TableData(COLUMNS[:1], most=10)
    for number in range(100):
        table.add((f"/{number}",), matters=True)
    assert (table.rows, table.all_that_matter) == (10, 0)


def test_long_texts_cost_rows_and_not_a_huge_file() -> None:
    table = TableData(COLUMNS[:1], most_bytes=100_000)
    for number in range(500):
        table.add((f"/{number}/{'x' * 5_000}",))
    assert 50 < table.rows < 120
    assert sum(len(piece.encode()) for piece in table.json()) <= 100_000


def test_repeated_values_are_written_once() -> None:
    table = TableData(COLUMNS)
    for number in range(1_000):
        url = f"https://www.example.com/a/long/path/that/all/share/{number}"
        table.add((url, "ok", url, "the same title", 1))
    assert sum(len(piece) for piece in table.json()) < 25_000
