"""Search Console downloads in every shape they come in, and files that are none."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from urlset.submitting.exports import ExportError, number, read_export

CHART = "Date,Not indexed,Indexed,Impressions\n2026-10-01,10,90,5\n2026-10-02,11,1234,6\n"
REASONS = (
    "Reason,Source,Validation,Pages\n"
    '"Duplicate, Google chose different canonical than user",Google systems,N/A,5\n'
    'Not found (404),Website,Started,"1,024"\n'
)
METADATA = "Property,Value\nSitemap,https://example.com/sitemap.xml\n"
JAPANESE = "URL,前回のクロール\nhttps://example.com/a,2026-09-01\nhttps://example.com/b,\n"
GERMAN = "Datum;Nicht indexiert;Indexiert;Impressionen\n2026-10-01;10;90;5\n2026-10-02;11;1.234;6\n"


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return path


def test_a_summary_filtered_to_one_sitemap(tmp_path: Path) -> None:
    path = packed(tmp_path / "example.com-Coverage-2026-10-05.zip", Chart=CHART, Issues=REASONS, Metadata=METADATA)
    export = read_export(path)
    assert (export.day, export.indexed, export.not_indexed) == ("2026-10-02", 1234, 11)
    assert export.sitemap == "https://example.com/sitemap.xml"
    assert export.counts_for("https://example.com/sitemap.xml")
    assert not export.counts_for("https://example.com/other.xml")
    assert export.reasons == {"Duplicate, Google chose different canonical than user": 5, "Not found (404)": 1024}


@pytest.mark.parametrize("text", [CHART, "\ufeff" + CHART, GERMAN])
def test_charts_in_any_language_and_locale(tmp_path: Path, text: str) -> None:
    (tmp_path / "Diagramm.csv").write_text(text, encoding="utf-8")
    export = read_export(tmp_path / "Diagramm.csv")
    assert (export.indexed, export.not_indexed) == (1234, 11)
    assert not export.counts_for("https://example.com/sitemap.xml"), "all known pages are not one sitemap"


def test_a_drilldown_in_japanese(tmp_path: Path) -> None:
    export = read_export(
        packed(tmp_path / "x.zip", Table=JAPANESE, Metadata="項目,値\n問題,見つかりません\nサイトマップ,すべて\n")
    )
    assert export.urls == {"https://example.com/a": "2026-09-01", "https://example.com/b": ""}


def test_a_table_of_a_thousand_rows_was_cut(tmp_path: Path) -> None:
    rows = "".join(f"https://example.com/{n},2026-09-01\n" for n in range(1_000))
    export = read_export(packed(tmp_path / "x.zip", Table=f"URL,Last crawled\n{rows}"))
    assert "cut" in export.notes[0]


def test_a_folder_of_tables(tmp_path: Path) -> None:
    (tmp_path / "Chart.csv").write_text(CHART, encoding="utf-8")
    (tmp_path / "Metadata.csv").write_text(METADATA, encoding="utf-8")
    assert read_export(tmp_path).sitemap == "https://example.com/sitemap.xml"


def test_an_excel_file(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    writer = pytest.importorskip("openpyxl")
    book = writer.Workbook()
    sheet = book.active
    for row in (["Date", "Not indexed", "Indexed"], ["2026-10-02", 11, 1234]):
        sheet.append(row)
    book.save(tmp_path / "x.xlsx")
    assert read_export(tmp_path / "x.xlsx").indexed == 1234


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x01\x02",
        b"PK\x03\x04 not a zip",
        b"\xff\xfe\x00",
        b"Reason,Pages\nsomething,else\n",
        b"Top queries,Clicks,Impressions,CTR,Position\nshoes,1,2,50%,3.1\n",
    ],
)
def test_what_is_no_such_download_is_refused_with_the_reason(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file.csv").write_bytes(data)
    with pytest.raises(ExportError, match=r"file\.csv"):
        read_export(tmp_path / "file.csv")


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.submitting.exports._MOST_BYTES", 1000)
    with pytest.raises(ExportError, match="unpacks"):
        read_export(packed(tmp_path / "bomb.zip", Table="x" * 100_000))


def test_a_damaged_zip_is_refused(tmp_path: Path) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("Chart.csv", CHART)
    data = bytearray(whole.getvalue())
    data[40:50] = b"x" * 10
    (tmp_path / "x.zip").write_bytes(bytes(data))
    with pytest.raises(ExportError):
        read_export(tmp_path / "x.zip")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1234", 1234),
        ("1,234", 1234),
        ("1.234", 1234),
        ("1 234", 1234),
        ("1\u202f234", 1234),
        ("", None),
        ("N/A", None),
    ],
)
def test_numbers(text: str, expected: int | None) -> None:
    assert number(text) == expected
