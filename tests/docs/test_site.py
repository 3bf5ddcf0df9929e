"""The documentation site, built strictly → a page per command, nothing loaded from elsewhere, a sound sitemap."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser import Tab
from tests.cli.commands import run
from tests.house.installed import once
from tests.house.source_tree import ROOT
from urlset.cli.main import cli

LOADED = re.compile(
    r"""<(?:script|img|source|iframe)\b[^>]*\bsrc="?(https?:[^" >]+)|<link\b[^>]*rel="?stylesheet[^>]*"""
)
HOME = "https://urlset.github.io/urlset/"

pytestmark = [pytest.mark.slow, once]


def test_every_command_and_family_has_a_page(site: Path) -> None:
    commands = {path.parent.name for path in (site / "commands").glob("*/index.html")}
    assert commands == set(cli.list_commands(cli.make_context("urlset", ["--help"], resilient_parsing=True)))
    assert (site / "rules" / "L" / "index.html").exists()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = {
        match[0]
        for path in site.rglob("*.html")
        for match in LOADED.finditer(path.read_text(encoding="utf-8"))
        if "http" in match[0]
    }
    assert loaded == set()


def test_its_own_sitemap_is_sound(site: Path) -> None:
    ran = run("check", site / "sitemap.xml", "--root", site, "--base-url", HOME)
    assert ran.code == 0, ran.text
    audited = run("audit", site, "--base-url", HOME, "--state", site.parent / "state", "--select", "A001,A003,A006")
    assert audited.code == 0, audited.text


def test_each_person_has_a_few_pages(site: Path) -> None:
    """Five start pages with at most seven pages each; MkDocs itself warns of a page that no menu leads to."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    sections = re.findall(r"^  - (I [^:]+):\n((?:      - .*\n)+)", text, re.MULTILINE)
    assert len(sections) == 5
    assert [name for name, pages in sections if not 3 <= pages.count("\n") <= 7] == []
    home = (site / "index.html").read_text(encoding="utf-8")
    assert all(f'href="start/{name}/"' in home for name in ("file", "site", "seo", "build", "millions"))
    assert 'href="validator/"' in home


def test_the_reference_and_the_validator_are_there(site: Path) -> None:
    from urlset.spec.topics import topics

    assert [topic.slug for topic in topics() if not (site / "reference" / topic.slug / "index.html").exists()] == []
    assert (site / "validator" / "index.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert f"<loc>{HOME}validator/</loc>" in (site / "sitemap.xml").read_text(encoding="utf-8")


def test_a_rule_can_be_tried_on_its_page(site: Path, tab: Tab) -> None:
    """From local files, without a network; nothing of the validator is loaded before it is opened."""
    tab.page.context.set_offline(True)
    page = tab.open(site / "rules" / "L" / "index.html")
    assert [each for each in tab.requests if "validator/engine" in each or "http" in each] == []
    example = page.locator("details.try-it", has=page.locator("iframe[title$=L007]"))
    example.locator("summary").click()
    frame = example.locator("iframe").content_frame
    frame.locator("body[data-state=done]").wait_for(timeout=60_000)
    assert frame.locator("[data-code=L007]").count() == 1
