"""Reports as workbooks: the rows of CSV, numbers as numbers, and no text that a spreadsheet runs."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import msgspec
import openpyxl
import pytest

from tests.cli.commands import run
from tests.reports.audited_shop import PAYLOADS, hostile_shop, shop
from tests.reports.verdicts import NASTY, ORDINARY, VERDICTS
from urlset.reports import audit_data
from urlset.reports import table as tables
from urlset.reports.format import ReportOptions, report_pieces
from urlset.reports.pages import AuditReport
from urlset.reports.sheets import xlsx
from urlset.reports.table import ReportTable, tuple_columns
from urlset.reports.visible import visible

OPTIONS = ReportOptions(version="0.0.0", target=("public/sitemap.xml",))


def written(report: AuditReport, form: str) -> bytes:
    pieces = report_pieces("audit", form, report, OPTIONS)
    return b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)


def opened(data: bytes) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(data), read_only=True)


def table(book: openpyxl.Workbook, name: str) -> list[tuple[object, ...]]:
    return list(book[name].iter_rows(values_only=True))


@pytest.mark.parametrize("case", VERDICTS)
def test_any_verdict_makes_a_workbook(case: str) -> None:
    book = opened(b"".join(xlsx(VERDICTS[case], OPTIONS)))
    assert book.sheetnames == ["Summary", "Findings", "Rules", "Files"]
    assert len(table(book, "Findings")) == 1 + len(VERDICTS[case].findings)


def test_numbers_are_numbers_and_agree() -> None:
    book = opened(b"".join(xlsx(ORDINARY, OPTIONS)))
    summary = {row[0]: row[1] for row in table(book, "Summary")}
    assert summary["findings: error"] == ORDINARY.severity_counts["error"]
    assert {row[0]: row[3] for row in table(book, "Rules")[1:]} == ORDINARY.counts


def test_pages_are_those_of_csv() -> None:
    report = shop(50)
    options = msgspec.structs.replace(OPTIONS, table="pages")
    rows = list(csv.reader("".join(map(str, audit_data.render(report, options, "csv"))).splitlines()))
    pages = table(opened(written(report, "xlsx")), "Pages")
    assert [["" if cell is None else str(cell) for cell in row] for row in pages] == rows
    assert isinstance(pages[1][2], int)


def test_no_text_becomes_a_formula_a_link_or_a_number() -> None:
    data = written(hostile_shop(), "xlsx")
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        sheets = [parts.read(name).decode() for name in parts.namelist() if "worksheets/sheet" in name]
        assert not any("hyperlink" in name or "externalLink" in name for name in parts.namelist())
        assert 'quotePrefix="1"' in parts.read("xl/styles.xml").decode()
    assert not any("<f>" in sheet or "<hyperlink" in sheet for sheet in sheets)
    titles = {row[15] for row in table(opened(data), "Pages")[1:]}
    assert titles == {visible(payload) for payload in PAYLOADS}
    assert opened(b"".join(xlsx(NASTY, OPTIONS)))


def test_rows_beyond_the_last_continue_on_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LAST_ROW", 11)
    rows = ((number,) for number in range(25))
    book = opened(b"".join(tables.workbook([ReportTable("Pages", tuple_columns("n"), rows)], OPTIONS)))
    assert book.sheetnames == ["Pages", "Pages 2", "Pages 3"]
    assert [row[0] for name in book.sheetnames for row in table(book, name)[1:]] == list(range(25))


def test_odd_values_are_kept_as_text() -> None:
    rows = [("x" * 40_000,), (float("inf"),), (float("nan"),), (True,), ("007",), (10**30,)]
    book = opened(b"".join(tables.workbook([ReportTable("Odd", tuple_columns("v"), rows)], OPTIONS)))
    values = [row[0] for row in table(book, "Odd")[1:]]
    assert len(str(values[0])) == 32_767
    assert values[1:5] == ["inf", "nan", "yes", "007"]


def test_the_command_writes_the_same_file_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text("<urlset><url><loc>https://example.com/a b</loc></url></urlset>")
    ran = run("check", "sitemap.xml", "--output", "one.xlsx", "--output", "xlsx:two")
    assert ran.code == 1
    assert Path("one.xlsx").read_bytes() == Path("two").read_bytes()
    assert run("check", "sitemap.xml", "--format", "xlsx").out[:2] == b"PK"
