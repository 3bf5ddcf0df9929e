"""The export of another crawler → unlisted and orphan pages of an audit, as far as its columns can tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.testing import Request, Site
from urlset.testing.exchange import Reply

LISTED = ("a", "b", "c", "d", "e")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    def answer(request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            return sitemap(f"{request.origin}/{name}" for name in LISTED)
        return page(request.path) if request.path[1:] in LISTED else None

    with Site(answer) as running:
        yield running


def audit(site: Site, folder: Path, export: str, *, code: int = 0) -> tuple[set[tuple[str, str]], dict[str, Any]]:
    (folder / "export.csv").write_text(export.replace("SITE", site.url("").rstrip("/")), encoding="utf-8")
    options = ("--allow-private", "--state", folder, "--crawled", folder / "export.csv", "--format", "json")
    ran = run("audit", site.url("/sitemap.xml"), "--no-check", *options)
    assert ran.code == code, ran.err
    body: dict[str, Any] = json.loads(ran.text) if code == 0 else {"error": ran.err}
    findings = body.get("findings", ())
    return {(each["code"], each["subject"].rpartition("/")[2]) for each in findings}, body


ROWS = """
"SITE/a","text/html; charset=utf-8","200","{yes}","","SITE/a","","12"
"SITE/b","text/html","200","{yes}","","SITE/b","","3"
"SITE/c","text/html","200","{yes}","","SITE/c","","0"
"SITE/new","text/html","200","{yes}","","SITE/new","","1"
"SITE/copy","text/html","200","{no}","x","SITE/a","","1"
"SITE/hidden","text/html","200","{no}","x","","","1"
"SITE/old","text/html","301","{no}","x","","SITE/d","2"
"SITE/gone","text/html","404","{no}","x","","","2"
"SITE/logo","image/png","200","{yes}","","","","9"
"""
ENGLISH = (
    '"Address","Content Type","Status Code","Indexability","Indexability Status","Canonical Link Element 1",'
    '"Redirect URL","Inlinks"' + ROWS.format(yes="Indexable", no="Non-Indexable")
)


def test_pages_of_an_export_are_compared_and_its_columns_obeyed(site: Site, tmp_path: Path) -> None:
    found, body = audit(site, tmp_path, ENGLISH)
    assert found == {("A035", "new"), ("A036", "c"), ("A036", "e")}, "d is where a redirect ends, c has no inlinks"
    (orphan,) = (each["message"] for each in body["findings"] if each["subject"].endswith("/e"))
    assert orphan.startswith("likely an orphan page: no page in export.csv links to it")
    assert any("Screaming Frog export" in note for note in body["notices"])


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("Indexierbar", "Nicht indexierbar"),
        ("Indexable", "Non indexable"),
        ("Indexable", "No indexable"),
        ("Indicizzabile", "Non indicizzabile"),
        ("インデックス可能", "インデックス不可"),
    ],
)
def test_columns_in_another_language_are_recognized_by_their_values(
    site: Site, tmp_path: Path, yes: str, no: str
) -> None:
    header = '"1","2","3","4","5","6","7","8"'
    found, body = audit(site, tmp_path, header + ROWS.format(yes=yes, no=no))
    assert found == {("A035", "new"), ("A036", "e")}
    assert body["notices"][0] == (
        "export.csv: columns recognized by their values: URLs in '1', status codes in '3', media types in '2',"
        " indexability in '4', redirect targets in '7', canonical URLs in '6'"
    )
    assert body["notices"][1] == "export.csv: ignored columns: 5, 8"


def test_search_console_knows_pages_and_no_links(site: Site, tmp_path: Path) -> None:
    found, body = audit(site, tmp_path, "Top pages,Clicks\nSITE/a,3\nSITE/won,9\n")
    assert found == {("A035", "won")}
    assert any("orphan pages are unknown" in note for note in body["notices"])


def test_seen_in_search_is_not_linked(site: Site, tmp_path: Path) -> None:
    """A page that search results show was taken for linked, which hid orphan pages of a crawl."""
    search = "Top pages,Clicks,Impressions,CTR,Position\nSITE/e,3,9,33%,2.1\nSITE/won,9,90,10%,1.5\n"
    (tmp_path / "Pages.csv").write_text(search.replace("SITE", site.url("").rstrip("/")), encoding="utf-8")
    (tmp_path / "crawl.csv").write_text(ENGLISH.replace("SITE", site.url("").rstrip("/")), encoding="utf-8")
    both = ("--crawled", tmp_path / "crawl.csv", "--crawled", tmp_path / "Pages.csv")
    ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, *both, "--format", "json")
    found = {
        (each["code"], each["subject"].rpartition("/")[2]): each["message"] for each in json.loads(ran.text)["findings"]
    }
    assert {("A036", "e"), ("A035", "new"), ("A035", "won")} <= set(found)
    assert ", but seen in search; list it" in found["A035", "won"]
    assert "seen in search" not in found["A035", "new"]
    alone = run(
        *("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path / "b"),
        *("--crawled", tmp_path / "Pages.csv"),
    )
    assert "1 page seen in search, but in no sitemap (A035)" in alone.text
    assert "A036" not in alone.text


def test_the_file_of_a_crawl_is_an_export_too(site: Site, tmp_path: Path) -> None:
    found, _ = audit(site, tmp_path, (
        '{"url": "SITE/a", "state": "ok", "reason": "", "depth": 0, "via": "start", "status": 200, "size": 9}\n'
        '{"url": "SITE/new", "state": "ok", "reason": "", "depth": 1, "via": "link", "found_on": "SITE/a", "size": 9}\n'
    ))  # fmt: skip
    assert found == {("A035", "new"), *(("A036", name) for name in "bcde")}


def test_an_export_of_another_site_or_of_nothing_is_refused(site: Site, tmp_path: Path) -> None:
    _, body = audit(site, tmp_path, "Address,Status Code\nhttps://other.example/,200\n", code=2)
    assert "no page of the audited site; its pages are on https://other.example" in body["error"]
    _, body = audit(site, tmp_path, "Address,Status Code\n", code=2)
    assert "no row with a URL" in body["error"]
    _, body = audit(site, tmp_path, "Wort,Zahl\nx,200\n", code=2)
    assert "no row with a URL" in body["error"]
