"""Exports of crawlers and Search Console, as their tools write them → the pages to list, the others with the reason."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

import urlset
from urlset.building.candidate import Candidate, RowTrouble
from urlset.building.sources import archive as archive_source
from urlset.building.sources.columns import Exclusion, standing_of, tool_of
from urlset.building.sources.open import open_source
from urlset.building.sources.source import SourceError, SourceOptions, items_of

SCREAMING_FROG = """"Address","Content Type","Status Code","Status","Indexability","Indexability Status","Title 1",\
"Meta Robots 1","X-Robots-Tag 1","Canonical Link Element 1","Redirect URL","Crawl Depth"
"https://www.example.com/","text/html; charset=UTF-8","200","OK","Indexable","","Home","","",\
"https://www.example.com/","","0"
"https://www.example.com/copy","text/html","200","OK","Non-Indexable","Canonicalised","Copy","","",\
"https://www.example.com/","","1"
"https://www.example.com/hidden","text/html","200","OK","Non-Indexable","Noindex","","noindex","","","","1"
"https://www.example.com/by-header","text/html","200","OK","Non-Indexable","Noindex","","","noindex","","","1"
"https://www.example.com/gone","text/html","404","Not Found","Non-Indexable","Client Error","","","","","","1"
"https://www.example.com/old","text/html","301","Moved","Non-Indexable","Redirected","","","","",\
"https://www.example.com/","1"
"https://www.example.com/older","","302","Found","Non-Indexable","Redirected","","","","","","1"
"https://www.example.com/private","","0","","Non-Indexable","Blocked by Robots.txt","","","","","","1"
"https://www.example.com/logo","image/png","200","OK","Indexable","","","","","","","1"
""".replace("\\\n", "")
SITEBULB = """\ufeffURL,HTTP Status Code,Indexable,Indexable Status,Crawl Depth,Canonical URL\r
https://www.example.com/a,200,Yes,Indexable,1,--\r
https://www.example.com/b,200,No,Noindex,1,--\r
https://www.example.com/c,500,No,Server Error,1,--\r
"""
AHREFS = """"URL"\t"HTTP status code"\t"Is indexable page"\t"Canonical URL"\t"Is noindex"\t"Organic traffic"\r
"https://www.example.com/a"\t"200"\t"true"\t"https://www.example.com/a"\t"false"\t"12"\r
"https://www.example.com/b"\t"200"\t"false"\t""\t"true"\t"0"\r
"https://www.example.com/c"\t"200"\t"false"\t"https://www.example.com/a"\t"false"\t"0"\r
"""
GERMAN = """Seiten mit den meisten Zugriffen;Klicks;Impressionen;CTR;Position
https://www.example.com/a;1.234;9.999;12,3 %;3,4
https://www.example.com/b;1;2;50 %;1
"""
JAPANESE = "\ufeffURL,前回のクロール\nhttps://www.example.com/a,2026-09-02\nhttps://www.example.com/b,\n"


def built(source: bytes, folder: Path) -> tuple[list[str], dict[str, int], tuple[str, ...]]:
    export = folder / "export.csv"
    export.write_bytes(source)
    report = urlset.build(out=folder / "public", sources=[str(export)], base_url="https://www.example.com/")
    pages = [entry.loc or "" for document in urlset.read_tree(folder / "public") for entry in document.entries()]
    assert not report.troubles
    return [page.removeprefix("https://www.example.com") for page in pages], report.left_out, report.notes


def test_screaming_frog(tmp_path: Path) -> None:
    listed, left_out, notes = built(SCREAMING_FROG.encode(), tmp_path)
    assert listed == ["/"]
    assert left_out == {
        "not-canonical": 1,
        "noindex": 2,
        "error-page": 1,
        "redirect": 1,
        "not-indexable": 2,
        "asset": 1,
    }
    assert notes[0] == (
        "export.csv: Screaming Frog export; pages are chosen by Content Type, Status Code, Indexability, "
        "Indexability Status, X-Robots-Tag 1"
    )
    assert notes[1] == "export.csv: ignored columns: Status, Crawl Depth"


@pytest.mark.parametrize(
    ("source", "listed", "left_out", "tool"),
    [
        (SITEBULB.encode(), ["/a"], {"not-indexable": 1, "error-page": 1}, "Sitebulb"),
        (AHREFS.encode("utf-16"), ["/a"], {"noindex": 1, "not-canonical": 1}, "Ahrefs"),
        (GERMAN.encode(), ["/a", "/b"], {}, ""),
        (GERMAN.encode("utf-16"), ["/a", "/b"], {}, ""),
        (JAPANESE.encode(), ["/a", "/b"], {}, ""),
        (b"Top pages,Clicks,CTR,Position\nhttps://www.example.com/a,1,50%,1\n", ["/a"], {}, "Search Console"),
    ],
    ids=["sitebulb", "ahrefs", "german", "german-utf16", "japanese", "search-console"],
)  # fmt: skip
def test_other_tools(source: bytes, listed: list[str], left_out: dict[str, int], tool: str, tmp_path: Path) -> None:
    found, why, notes = built(source, tmp_path)
    assert (found, why) == (listed, left_out)
    assert any(f"{tool} export" in note for note in notes) == bool(tool)
    assert any("ignored column" in note for note in notes)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"loc": "x"}, Exclusion()),
        ({"status": "200", "indexable": "Indexable"}, Exclusion()),
        ({"status": 200.0}, Exclusion()),
        ({"status": "--", "indexable": "--"}, Exclusion()),
        ({"status": "304"}, Exclusion()),
        ({"status": "204"}, Exclusion(not_indexable="204 No Content")),
        ({"status": "599"}, Exclusion(error="status 599")),
        ({"status": "0"}, Exclusion(not_indexable="no response")),
        ({"status": "OK"}, Exclusion(trouble="status: 'OK' is not an HTTP status code; omitted")),
        ({"status": "-1"}, Exclusion(trouble="status: '-1' is not an HTTP status code; omitted")),
        ({"indexable": "FALSE"}, Exclusion(not_indexable="not indexable")),
        ({"indexable": True}, Exclusion()),
        ({"indexability_status": "Canonicalised"}, Exclusion(not_indexable="Canonicalised")),
        ({"indexability_status": "Indexable"}, Exclusion()),
        ({"content_type": "TEXT/CSS"}, Exclusion(is_page=False)),
        ({"content_type": "a long text about lamps"}, Exclusion()),
        ({"x_robots_tag": "noindex, nofollow"}, Exclusion(directives=("noindex", "nofollow"))),
        ({"noindex": "true"}, Exclusion(directives=("noindex",))),
    ],
)
def test_what_a_row_says(values: dict[str, object], expected: Exclusion) -> None:
    assert standing_of(values) == expected


def test_columns_of_a_person_are_nobodys_export() -> None:
    assert tool_of(frozenset({"url", "lastmod", "status"})) is None


def test_a_table_without_a_url_is_named(tmp_path: Path) -> None:
    (tmp_path / "queries.csv").write_text("Top queries,Clicks\nlamps,3\n", encoding="utf-8")
    options = SourceOptions(base_url="https://www.example.com/", kind="csv")
    with pytest.raises(SourceError, match="no column loc or url; its columns are 'Top queries', 'Clicks'"):
        list(items_of(open_source(str(tmp_path / "queries.csv"), options)))


@pytest.mark.parametrize("first", ["# a list, of pages", "Seiten"])
def test_a_text_list_stays_one(first: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(f"{first}\nhttps://www.example.com/a,b\n", encoding="utf-8")
    found = [*items_of(open_source(str(tmp_path / "list.txt"), SourceOptions()))]
    assert [item.loc for item in found if isinstance(item, Candidate)] == ["https://www.example.com/a,b"]
    assert len([item for item in found if isinstance(item, RowTrouble)]) == (first == "Seiten")


def search_console(folder: Path) -> Path:
    """A download as people get it: several tables, one with URLs, in the language of the account."""
    path = folder / "www.example.com-Coverage-Valid-2026-11-14.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("Diagramm.csv", "Datum,Betroffene Seiten\n2026-11-01,2\n")
        archive.writestr("Tabelle.csv", "\ufeffURL,Letztes Crawling\nhttps://www.example.com/a,2026-09-02\n")
        archive.writestr("Metadaten.csv", "Property,Wert\nSitemap,Alle bekannten Seiten\n")
    return path


def test_a_download_of_search_console(tmp_path: Path) -> None:
    report = urlset.build(out=tmp_path / "public", sources=[str(search_console(tmp_path))])
    assert report.listed == 1
    assert any("Tabelle.csv: ignored column: Letztes Crawling" in note for note in report.notes)


def test_a_spreadsheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine", exc_type=ImportError)
    book = openpyxl.Workbook()
    book.active.append(["Issue", "URLs"])
    sheet = book.create_sheet("Internal")
    sheet.append(["Address", "Status Code", "Indexability"])
    sheet.append(["https://www.example.com/", 200, "Indexable"])
    sheet.append(["https://www.example.com/gone", 404, "Non-Indexable"])
    book.save(tmp_path / "internal.xlsx")
    report = urlset.build(out=tmp_path / "public", sources=[str(tmp_path / "internal.xlsx")])
    assert (report.listed, report.left_out) == (1, {"error-page": 1})


@pytest.mark.parametrize("damage", ["cut", "no-urls", "bomb"])
def test_an_archive_that_cannot_be_used(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = search_console(tmp_path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:200])
    elif damage == "bomb":
        monkeypatch.setattr(archive_source, "MOST_BYTES", 20)
    else:
        with ZipFile(path, "w") as archive:
            archive.writestr("Chart.csv", "Date,Pages\n2026-11-01,2\n")
    with pytest.raises(urlset.BuildError, match=r"cannot be unpacked|no table with URLs|larger than"):
        urlset.build(out=tmp_path / "public", sources=[str(path)], base_url="https://www.example.com/")
