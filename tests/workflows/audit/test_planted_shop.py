"""A shop with every class of problem: what is planted is found in every format, and nothing else is a warning."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest

from tests.cli.commands import run
from tests.workflows.planted_shop import OTHER_HOST, PlantedShop
from urlset.testing import Site
from urlset.workflows.audit.explained import MOST_CAUSES

Found = set[tuple[str, str]]
ON_SITEMAPS = {("/sitemap-lost.xml", "I010"), ("/sitemap-shop.xml", "L031")}
"""a child that does not exist, and the other host, which is not public"""
BY_ADDRESS = {("/search?q=oak", "Q007"), ("/cart", "Q007")}
"""what `check` says about pages that A053 and A054 note"""


class Audited:
    def __init__(self, site: Site, shop: PlantedShop, folder: Path) -> None:
        self.folder, self.origin = folder, site.origin
        self.other = site.origin.replace("127.0.0.1", OTHER_HOST)
        self.planted = {(path, code) for path, codes in shop.planted.items() for code in codes}
        self.planted |= {*ON_SITEMAPS, *BY_ADDRESS, (f"{self.other}/chairs/5", "A045")}

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def pairs(self, rows: list[dict[str, str]], *, notes: bool = False) -> Found:
        return {
            (row["url"].removeprefix(self.origin), row["code"]) for row in rows if notes or row["severity"] != "info"
        }


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    folder, shop = tmp_path_factory.mktemp("shop"), PlantedShop()
    with Site(shop) as site:
        wanted = [f"--output={folder / name}" for name in ("a.json", "a.csv", "a.xlsx", "a.html", "a.txt", "a.md")]
        run(
            *("audit", site.url("/"), "--crawl", "--allow-private", "--state", folder / "state"),
            *("--private-host", site.origin.replace("http://127.0.0.1", OTHER_HOST)),
            *("--threshold", "slow-page-seconds=1.5", *wanted),
        )
        yield Audited(site, shop, folder)


def test_all_that_is_planted_is_found_and_nothing_else_is_a_warning(audited: Audited) -> None:
    rows = json.loads(audited.text("a.json"))["problems"]
    assert sorted(audited.planted - audited.pairs(rows, notes=True)) == []
    assert sorted(audited.pairs(rows) - audited.planted) == []


def test_csv_the_workbook_and_the_page_have_the_same_rows(audited: Audited) -> None:
    rows = json.loads(audited.text("a.json"))["problems"]
    expected = audited.pairs(rows, notes=True)
    assert audited.pairs(list(csv.DictReader(audited.text("a.csv").splitlines())), notes=True) == expected
    with closing(openpyxl.load_workbook(audited.folder / "a.xlsx", read_only=True)) as book:
        head, *lines = book["Problems"].iter_rows(values_only=True)
    in_sheet = [dict(zip(map(str, head), map(str, line), strict=True)) for line in lines]
    assert audited.pairs(in_sheet, notes=True) == expected
    assert audited.pairs(page_rows(audited.text("a.html")), notes=True) == expected


def page_rows(page: str) -> list[dict[str, str]]:
    """The rows of the interactive table, as its script reads them."""
    found = re.search(r'<script type="application/json" id="problems-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    columns: dict[str, list[str]] = {}
    for column in data["columns"]:
        values = column["values"]
        if "table" in column:
            columns[column["name"]] = [column["table"][each] for each in values]
        else:
            columns[column["name"]] = [f"{column.get('prefix', '')}{each}" if each else "" for each in values]
    return [{name: cells[row] for name, cells in columns.items()} for row in range(data["rows"])]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_people_see_every_rule_that_found_something(audited: Audited, name: str) -> None:
    text = audited.text(name)
    notes = {row["code"] for row in json.loads(audited.text("a.json"))["problems"] if row["severity"] == "info"}
    wanted = {code for _, code in audited.planted} - (notes if name == "a.md" else set())
    assert sorted(code for code in wanted if code not in text) == []


@pytest.mark.parametrize(("name", "after"), [("a.txt", "  ok  "), ("a.md", "| state |"), ("a.html", "Page states")])
def test_causes_come_before_charts(audited: Audited, name: str, after: str) -> None:
    text = audited.text(name)
    assert 0 < text.lower().find("root causes") < text.find(after)


def test_what_cannot_be_read_and_language_versions_are_causes(audited: Audited) -> None:
    report = json.loads(audited.text("a.json"))
    codes = {cause["code"] for cause in (*report["causes"], *report["other_causes"])}
    assert {"I010", "H024", "H033", "A035", "A036", "A043", "A044"} <= codes
    numbered = {row["cause"] for row in report["problems"] if row["severity"] != "info"}
    assert numbered == set(range(1, len(report["causes"]) + len(report["other_causes"]) + 1))


def test_lost_pages_and_errors_come_first_in_every_format(audited: Audited) -> None:
    report = json.loads(audited.text("a.json"))
    causes = [*report["causes"], *report["other_causes"]]
    serious = [bool(cause["lost"]) or cause["severity"] == "error" for cause in causes]
    assert serious == sorted(serious, reverse=True)
    assert not any(each["lost"] for each in report["other_causes"]) or len(report["causes"]) == MOST_CAUSES
    first = causes[0]
    assert first["lost"] == max(cause["lost"] for cause in causes) > 0
    rows = list(csv.DictReader(audited.text("a.csv").splitlines()))
    assert rows[0]["code"] == first["code"]
    for name in ("a.txt", "a.md", "a.html"):
        text = html.unescape(audited.text(name)).replace("\\", "")
        start = text.lower().index("root causes")
        titles = [cause["title"] for cause in causes[:4]]
        places = [text.find(each, start) for each in titles]
        assert places[0] == min(place for place in places if place > 0), (name, titles, places)


def test_a_row_says_where_the_page_is_linked_and_what_to_do(audited: Audited) -> None:
    rows = {(row["url"], row["code"]): row for row in json.loads(audited.text("a.json"))["problems"]}
    gone = rows[f"{audited.origin}/old/0", "A001"]
    assert gone["linked_from"] == [f"{audited.origin}/map-1", f"{audited.origin}/map-2"]
    assert gone["action"] == "remove the entries, or restore the pages"
    hidden = next(row for (_, code), row in rows.items() if code == "A006")
    assert hidden["action"].startswith("remove the noindex if these pages are meant to be indexed, otherwise")
    assert [row["evidence"] for row in rows.values() if "; fix " in row["evidence"]] == []
    chain = rows[f"{audited.origin}/first", "A004"]
    assert (chain["status"], chain["final_url"]) == (301, f"{audited.origin}/third")
    missing = rows[f"{audited.origin}/unlisted", "A035"]
    assert (missing["listed_in"], missing["linked_from"][0]) == ("", f"{audited.origin}/map-1")
    copy = rows[f"{audited.origin}/copies/bb", "A043"]
    assert f"{audited.origin}/copies/a" in copy["evidence"]


def test_no_paragraph_is_repeated_for_each_page(audited: Audited) -> None:
    assert audited.text("a.txt").count("requires login, so") == 1
    assert audited.text("a.html").count("requires login, so search engines cannot index it; remove the entry") <= 5


def test_what_is_known_without_a_crawl_says_that_links_are_not_checked(audited: Audited) -> None:
    again = ("audit", f"{audited.origin}/", "--known", "--allow-private", "--state", audited.folder / "state")
    report = json.loads(run(*again, "--format", "json").text)
    skipped = {each["code"]: each["reason"] for each in report["not_checked"]}
    assert {"A035", "A036", "A048", "A049"} <= set(skipped)
    assert skipped["A036"] == "links are not part of --known; run with --crawl"
    ran = run(*again, "--select", "A035,A036")
    assert "run with --crawl" in " ".join(ran.text.split())


def test_what_is_known_of_some_rules_has_only_their_fixes(audited: Audited) -> None:
    again = ("audit", f"{audited.origin}/", "--known", "--allow-private", "--state", audited.folder / "state")
    counts = [
        json.loads(run(*again, *chosen, "--format", "json").text)["summary"]["fixable"]
        for chosen in ((), ("--select", "Q007"), ("--select", "L040"))
    ]
    assert counts[0] > counts[1] > counts[2] == 0
