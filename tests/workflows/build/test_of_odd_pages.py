"""Pages that say little of themselves → still the right set: versions named by others, expiry, no content."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import urlset
from tests.workflows.crawled_sites import html
from urlset.settings.build import BuildSettings
from urlset.settings.crawl import CrawlSettings
from urlset.testing import PageAnswer, Routes, Site
from urlset.web.options import WebOptions
from urlset.workflows.build.build import build
from urlset.workflows.build.crawl import build_from_web
from urlset.workflows.build.result import BuildReport

NOW = datetime(2026, 11, 15, tzinfo=UTC)
BASE = "https://www.example.com/"


def built(folder: Path, tmp_path: Path) -> BuildReport:
    options = BuildSettings(sources=(str(folder),), base_url=BASE, out=tmp_path / "out", now=NOW)
    return build(options)


def page(folder: Path, name: str, language: str, head: str = "") -> None:
    text = f"<!doctype html><html lang={language}><head><title>{name}</title>{head}</head><body><p>{name} says this."
    (folder / name).write_text(text)


def test_a_version_that_names_nobody_gets_the_whole_set(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    links = {"en": f"{BASE}a.html", "de": f"{BASE}b.html"}
    head = "".join(f'<link rel="alternate" hreflang="{key}" href="{href}">' for key, href in links.items())
    page(folder, "a.html", "en", head)
    page(folder, "b.html", "de")
    report = built(folder, tmp_path)
    assert (report.published, report.refusals) == (True, ())
    entries = {entry.loc: entry for entry in urlset.read(tmp_path / "out" / "sitemap.xml").entries()}
    for each in entries.values():
        assert {link.hreflang: link.href for link in each.alternates} == links


def test_a_page_whose_day_has_passed_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    for name, day in (("past.html", "2026-10-01"), ("future.html", "2027-10-01")):
        page(folder, name, "en", f'<meta name="robots" content="unavailable_after: {day}">')
    report = built(folder, tmp_path)
    assert report.left_out == {"noindex": 1}
    assert "past.html (unavailable_after" in report.examples["noindex"]


def test_an_answer_without_content_is_no_page(tmp_path: Path) -> None:
    routes: Routes = {
        "/": html("/empty", "/nothing", title="Home"),
        "/empty": PageAnswer(body=""),
        "/nothing": PageAnswer(204),
    }
    with Site(routes) as site:
        options = BuildSettings(out=tmp_path / "out", state=tmp_path / "state", now=NOW)
        web = WebOptions(allow_private=True)
        crawling = CrawlSettings(url=site.url("/"), state=tmp_path / "state", web=web)
        _, report = build_from_web(options, crawling)
    assert report is not None
    assert report.left_out == {"error-page": 2}
    assert "empty response" in report.examples["error-page"]
