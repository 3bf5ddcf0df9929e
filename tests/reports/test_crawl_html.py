"""The HTML and the workbook of a crawl: complete or not, right in their numbers, and a file beside a sample."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.reports.audited_shop import PAYLOADS
from tests.reports.html_reading import Report, one
from urlset.cli.output import Destination, write_report
from urlset.crawling.loop import Completeness
from urlset.model.visit import NOT_ASKED, CrawlRow
from urlset.reports import crawl
from urlset.reports.crawl import CrawlSummary, TrapRow
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.table import TableData

SITE = "https://www.example.com"
OPTIONS = ReportOptions(command="crawl", version="0.0.0", target=(f"{SITE}/",))


def crawl_rows() -> Iterator[CrawlRow]:
    for number in range(40):
        fine: dict[str, Any] = {"state": "ok", "reason": "200 OK", "status": 200, "indexable": True}
        gone: dict[str, Any] = {"state": "gone", "reason": "404 Not Found", "status": 404, "indexable": False}
        told = gone if number % 10 == 9 else fine
        yield CrawlRow(url=f"{SITE}/blog/{number}", depth=number % 4, via="link", found_on=f"{SITE}/", **told)
    yield CrawlRow(url=f"{SITE}/calendar/", state=NOT_ASKED, reason="looks endless: calendar", depth=2, via="link")


def summary(*, complete: bool = False) -> CrawlSummary:
    return CrawlSummary(
        home=SITE,
        visited=40,
        states={"ok": 36, "gone": 4},
        depths={0: 10, 1: 10, 2: 10, 3: 10},
        not_asked={"looks endless": 1},
        only_in_sitemaps=2,
        traps=(TrapRow("calendar", "/calendar/*", "dates without end", 1, f"{SITE}/calendar/1"),),
        completeness=Completeness(complete, () if complete else ("stopped with 7 pages left",)),
        notices=("one host was slow",),
    )


def rendered(told: CrawlSummary, rows: Iterator[CrawlRow]) -> str:
    return "".join(map(str, crawl.render(told, rows, OPTIONS, "html")))


def test_it_says_whether_it_is_complete_and_why_not() -> None:
    tree = LexborHTMLParser(rendered(summary(), crawl_rows()))
    assert one(tree, ".verdict").text() == "not complete: pages that were not found may still be linked"
    assert "stopped with 7 pages left" in one(tree, "main").text()
    assert [each.text() for each in tree.css(".tiles b")] == ["40", "36", "4"]
    assert "dates without end" in one(tree, "main").text()
    whole = LexborHTMLParser(rendered(summary(complete=True), crawl_rows()))
    assert one(whole, ".verdict.passed").text() == "complete: every linked page was visited"


def test_hostile_rows_stay_text() -> None:
    def rows(payload: str) -> Iterator[CrawlRow]:
        yield CrawlRow(url=payload, state="gone", reason=payload, depth=1, via=payload, found_on=payload, title=payload)

    plain = Report(rendered(summary(), rows("plain"))).skeleton
    for payload in PAYLOADS:
        if not payload.startswith("http"):
            assert Report(rendered(summary(), rows(payload))).skeleton == plain


def test_a_workbook_has_every_row() -> None:
    pieces = crawl.render(summary(), crawl_rows(), OPTIONS, "xlsx")
    workbook = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    book = openpyxl.load_workbook(io.BytesIO(workbook), read_only=True)
    rows = list(book["URLs"].iter_rows(values_only=True))
    assert rows[0][:4] == ("url", "state", "reason", "status")
    assert (len(rows), rows[1][3]) == (42, 200)


def test_no_cell_of_the_csv_is_run_by_a_spreadsheet() -> None:
    rows = [
        CrawlRow(
            url=payload, state="ok", reason=payload, depth=0, via="link", title=payload, robots=(payload, "noindex")
        )
        for payload in PAYLOADS
    ]
    written = "".join(piece for piece in crawl.render(summary(), iter(rows), OPTIONS, "csv") if isinstance(piece, str))
    head, *found = list(csv.reader(io.StringIO(written, newline="")))
    assert {len(row) for row in found} == {len(head)}
    assert not any(cell.startswith(("=", "+", "@", "-")) for row in found for cell in row)


def test_beside_a_sample_there_is_a_file_with_all_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def render(form: str, options: ReportOptions) -> Pieces:
        rows = crawl_rows()
        return crawl.render(summary(), rows, options, form)

    where = Destination("html", str(tmp_path / "crawl.html"))
    write_report(where, OPTIONS, render)
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.html"]

    class Small(TableData):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more, most=10)

    monkeypatch.setattr(crawl, "TableData", Small)
    write_report(where, OPTIONS, render)
    with (tmp_path / "crawl-all.csv").open(newline="") as file:
        assert len(list(csv.reader(file))) == 42
    notice = one(LexborHTMLParser((tmp_path / "crawl.html").read_text()), ".notice")
    assert "The table has 10 of 41 URLs: all 4 with a problem or without a result" in notice.text()
    assert one(notice, "a").attributes["href"] == "crawl-all.csv"
