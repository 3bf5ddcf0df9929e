"""Every command on a format that lists pages and that no engine reads as a sitemap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.checking.tree import TreeView
from urlset.model.document import Kind
from urlset.rules.catalogue import file_rules
from urlset.spec.engines import Engine
from urlset.testing import Site

FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Lamps",
    "items": [
        {"id": "1", "url": "https://example.com/a?x=1#y", "date_published": "yesterday"},
        {"id": "https://example.com/b", "external_url": "https://other.example/", "date_modified": "2026-03-01"},
        {"id": "3", "external_url": "https://other.example/"},
    ],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("feed.json").write_text(json.dumps(FEED, indent=1))
    Path("broken.json").write_text(json.dumps(FEED, indent=1)[:-4])


def test_check_says_that_no_engine_takes_it() -> None:
    told = json.loads(run("check", "feed.json", "--format", "json").text)
    (found,) = told["findings"]
    assert (found["code"], found["line"], told["documents"][0]["entries"]) == ("S038", 1, 3)
    assert found["message"] == "no search engine reads a JSON feed as a sitemap; build an XML sitemap from it"


def test_every_other_rule_is_reported_as_not_applicable() -> None:
    told = json.loads(run("check", "feed.json", "--format", "json", "--engine", ",".join(Engine)).text)
    skipped = {each["code"]: each["reason"] for each in told["not_checked"]}
    apply = {rule.code for rule in file_rules() if rule.names_other or rule.on is TreeView}
    assert set(skipped) >= {rule.code for rule in file_rules()} - apply
    assert not apply & set(skipped)
    assert {skipped[code] for code in ("D001", "L013", "I001", "M001", "R001", "S033", "X002")} == {
        "not applicable: a JSON feed is not a sitemap"
    }


def test_malformed_json_is_reported_at_its_place() -> None:
    told = json.loads(run("check", "broken.json", "--format", "json").text)
    first, second = told["findings"]
    assert (first["code"], second["code"], second["offset"]) == ("S038", "S038", Path("broken.json").stat().st_size)
    assert "malformed JSON: expected ',' or the closing bracket" in second["message"]


def test_fix_leaves_it_alone() -> None:
    before = Path("feed.json").read_bytes()
    assert "nothing to fix" in run("fix", "feed.json", "--unsafe").text
    assert Path("feed.json").read_bytes() == before


def test_ls_lists_the_pages() -> None:
    assert run("ls", "feed.json").text.split() == ["https://example.com/a?x=1#y", "https://example.com/b"]
    assert "truncated" in run("ls", "broken.json").err


def test_info_describes_it() -> None:
    described = run("info", "feed.json").text
    for words in ("JSON feed", "3 URLs", "1 entry has no loc", "on 2 of 3"):
        assert words in described
    assert "malformed" in run("info", "broken.json").text


def test_build_takes_it_as_a_source() -> None:
    built = run("build", "feed.json", "--out", "out", "--base-url", "https://example.com/")
    assert built.code == 0, built.err
    sitemap = Path("out/sitemap.xml").read_text()
    assert sitemap.count("<loc>") == 2
    assert "<lastmod>2026-03-01</lastmod>" in sitemap
    assert "malformed" in run("build", "broken.json", "--out", "two", "--base-url", "https://example.com/").text


def test_diff_compares_it() -> None:
    Path("new.json").write_text(json.dumps(FEED | {"items": FEED["items"][:1]}))
    told = run("diff", "feed.json", "new.json").text
    assert "https://example.com/b" in told


def test_audit_visits_its_pages() -> None:
    with Site({"/a": "<title>A</title><p>Words"}) as site:
        Path("feed.json").write_text(json.dumps(FEED | {"items": [{"url": site.url("/a")}]}))
        told = run("audit", "feed.json", "--allow-private", "--timeout", "5", "--state", "state", "--format", "json")
    assert told.code in (0, 1), told.err
    assert site.url("/a") in told.text


@pytest.mark.parametrize("name", ["feed.json", "broken.json"])
@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("check", "--engine", "xsd-strict"),
        ("check", "--at", "https://example.com/feed.json"),
        ("fix",),
        ("fix", "--diff"),
        ("ls",),
        ("ls", "--format", "csv"),
        ("info",),
        ("info", "--format", "json"),
        ("diff", "feed.json"),
        ("snapshot",),
        ("explain", "S038"),
    ],
)
def test_no_command_crashes(command: tuple[str, ...], name: str) -> None:
    told = run(*command) if command[0] == "explain" else run(*command, name)
    assert told.code in ((0, 1) if name == "feed.json" else (0, 1, 2))  # 2: read in part
    assert "crashed" not in told.text + told.err


def test_a_child_of_an_index_is_no_sitemap() -> None:
    Path("index.xml").write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<sitemap><loc>https://example.com/feed.json</loc></sitemap></sitemapindex>"
    )
    told = run("check", "index.xml", "--format", "json").text
    assert "feed.json is a JSON feed, not a sitemap" in told


def test_only_readable_kinds_list_something() -> None:
    for kind in Kind:
        assert not (kind.lists_pages or kind.lists_sitemaps) or kind.reader
        assert kind.is_sitemap or kind.reader or kind.refusal
