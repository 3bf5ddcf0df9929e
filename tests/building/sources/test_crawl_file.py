"""Rows of a crawl as candidates, and rows that are none; whole crawls are built in tests/workflows."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from urlset.building.candidate import Candidate, RowTrouble
from urlset.building.sources.open import open_source
from urlset.building.sources.source import Item, SourceOptions, items_of

ROW = {"url": "https://e.com/a", "state": "ok", "reason": "200 OK", "depth": 1, "via": "link", "size": 9}
HEADER = "url,state,reason,status,depth,via,title,size\n"


def items(text: str, **options: str) -> list[Item]:
    stdin = io.BytesIO(text.encode())
    return list(items_of(open_source("-", SourceOptions(**options), stdin=stdin)))  # type: ignore[arg-type]


def lines(*rows: object) -> str:
    return "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize(
    "text", [lines(ROW), f"{HEADER}https://e.com/a,ok,200 OK,200,1,link,,9\n"], ids=["json", "csv"]
)
def test_a_page_that_answers_is_a_candidate(text: str) -> None:
    [page] = items(text)
    assert isinstance(page, Candidate)
    assert (page.loc, page.error, page.is_page) == ("https://e.com/a", None, True)
    assert page.origin in ("stdin:1", "stdin:2")


def test_what_was_not_asked_is_none() -> None:
    assert items(lines({**ROW, "state": "not asked", "reason": "looks endless: facets"})) == []


def test_what_is_gone_is_one_with_the_reason() -> None:
    [page] = items(lines({**ROW, "state": "gone", "reason": "404 Not Found"}))
    assert isinstance(page, Candidate)
    assert page.error == "404 Not Found"


def test_a_title_that_was_kept_from_being_a_formula_is_as_it_was() -> None:
    [page] = items(f"{HEADER}https://e.com/a,ok,200 OK,200,1,link,'=1+1,9\n")
    assert isinstance(page, Candidate)
    assert page.title == "=1+1"


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (lines(ROW, {**ROW, "state": "fine"}), 2, "unknown crawl state 'fine'"),
        (lines(ROW, {**ROW, "url": "/"}), 2, "'/' is a path"),
        (lines(ROW, {"url": "https://e.com/b"}), 2, "not a crawl row: Object missing required field"),
        (lines(ROW, "", "{"), 3, "not a crawl row: Input data was truncated"),
        (f"\n{HEADER}https://e.com/a,ok,,,x,link,,\n", 3, "not a crawl row: Expected `int`"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_with_its_line(rows: str, line: int, reason: str) -> None:
    [trouble] = [item for item in items(rows) if isinstance(item, RowTrouble)]
    assert trouble.origin == f"stdin:{line}"
    assert reason in trouble.reason


def test_other_objects_are_an_ordinary_list(tmp_path: Path) -> None:
    """A shop has states and reasons too."""
    path = tmp_path / "list.jsonl"
    path.write_text(lines({"url": "https://e.com/a", "state": "gone", "reason": "sold", "via": "depth"}))
    [page] = list(items_of(open_source(str(path))))
    assert isinstance(page, Candidate)
    assert page.error is None


def test_a_crawl_can_be_read_as_an_ordinary_list() -> None:
    [page] = items(lines({**ROW, "state": "gone"}), kind="jsonl")
    assert isinstance(page, Candidate)
    assert page.error is None
