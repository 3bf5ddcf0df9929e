"""`urlset plan sections`: few sections, each page in the one that was counted, settings that a build accepts."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import urlset
from tests.cli.commands import run
from tests.workflows.audit_sites import sitemap
from urlset.building.policy import assign_section, section_rules
from urlset.checking.declare import wrap
from urlset.workflows.plan import MOST_SECTIONS, SectionPlan, plan_sections

SITE = "https://www.example.com"


def urls(**counts: int) -> list[tuple[str, str | None]]:
    return [(f"{SITE}/{name.replace('_', '/')}/{n}-page", None) for name, count in counts.items() for n in range(count)]


def names(plan: SectionPlan) -> dict[str, int]:
    return {each.name: each.urls for each in plan.sections}


def test_types_that_are_large_enough_have_a_section() -> None:
    plan = plan_sections([*urls(products=600, blog=200, help=90, press=3, jobs=2), (f"{SITE}/", None)])
    assert names(plan) == {"products": 600, "blog": 200, "help": 90, "": 6}
    assert plan.urls == 896


def test_languages_come_before_types() -> None:
    plan = plan_sections(urls(en_products=500, en_blog=200, de_produkte=450, fr_produits=100, en_jobs=5))
    assert names(plan) == {"en-products": 500, "de-produkte": 450, "en-blog": 200, "fr-produits": 100, "": 5}
    lone = plan_sections(urls(en_products=500, us=100))
    assert "" not in names(lone) or names(lone)[""] < 500


def test_archives_have_a_section_of_their_own() -> None:
    plan = plan_sections([*urls(posts=300), *((f"{SITE}/tag/word-{n}/", None) for n in range(100))])
    assert names(plan) == {"tag-archives": 100, "posts": 300}


def test_sections_are_few_and_every_page_goes_where_it_was_counted() -> None:
    entries = [*urls(**{f"type{chr(97 + n)}": 100 + n for n in range(20)}), *urls(en_a=300, de_b=200)]
    plan = plan_sections(entries)
    assert len(plan.sections) <= MOST_SECTIONS
    assert assigned(plan, entries) == names(plan)


def test_how_often_a_section_changes() -> None:
    old = [(f"{SITE}/docs/{n}", "2024-01-05") for n in range(80)]
    new = [(f"{SITE}/news/{n}", f"2025-06-{n % 28 + 1:02}") for n in range(80)]
    found = {each.name: each.changed for each in plan_sections([*old, *new]).sections}
    assert found == {"news": 1.0, "docs": 0.0}


def aged(folder: str, count: int, days: int) -> list[tuple[str, str | None]]:
    """Pages that change about every so many days."""
    newest = date(2026, 11, 1)
    return [
        (f"{SITE}/{folder}/{n}-page", f"{newest - timedelta(days=round(2 * days * n / count)):%Y-%m-%d}")
        for n in range(count)
    ]


def assigned(plan: SectionPlan, entries: Iterable[tuple[str, str | None]]) -> dict[str, int]:
    rules = section_rules(tomllib.loads(plan.settings())["build"]["sections"])
    return dict(Counter(assign_section(url, rules) for url, _ in entries))


def test_a_folder_that_changes_more_often_than_its_type_is_apart() -> None:
    entries = [*aged("shop/offers", 200, 1), *aged("shop/chairs", 200, 90), *aged("shop/lamps", 150, 100)]
    plan = plan_sections(entries)
    assert names(plan) == {"shop-offers": 200, "shop": 350}
    assert assigned(plan, entries) == names(plan)
    assert [(each.name, each.frequency) for each in plan.sections] == [("shop-offers", "daily"), ("shop", "rarely")]
    same = [*aged("shop/offers", 200, 60), *aged("shop/chairs", 200, 90)]
    assert names(plan_sections(same)) == {"shop": 400}
    undated = [(url, "2026-11-01") for url, _ in entries]
    assert names(plan_sections(undated)) == {"shop": 550}, "one date for all pages says nothing"


def test_small_types_share_a_section_with_others_that_change_as_often() -> None:
    small = [each for name in ("jobs", "events", "offers") for each in aged(name, 30, 1)]
    still = [each for name in ("legal", "press", "team") for each in aged(name, 30, 400)]
    entries = [*aged("products", 900, 30), *small, *still, *urls(odd=10)]
    plan = plan_sections(entries)
    assert names(plan) == {"products": 900, "daily": 90, "rarely": 90, "": 10}
    assert assigned(plan, entries) == names(plan)


def test_snapshots_tell_better_than_dates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    for day in (1, 2, 3):
        live = "".join(f"<url><loc>{SITE}/n/live/{n}</loc><lastmod>2020-01-0{day}</lastmod></url>" for n in range(60))
        old = "".join(f"<url><loc>{SITE}/n/old/{n}</loc><lastmod>2020-01-0{n // 55 * (day - 1) + 1}</lastmod></url>"
                      for n in range(60))  # fmt: skip
        Path("s.xml").write_text(wrap(live + old))
        urlset.snapshot("s.xml", now=datetime(2026, 11, day, tzinfo=UTC), keep="all")
    found = json.loads(run("plan", "sections", "s.xml", "--format", "json").text)
    assert found["snapshots"] is True
    assert [(each["name"], each["interval"]) for each in found["sections"]] == [("n-live", 1.0), ("n-old", 12.0)]
    assert "n-live" not in run("plan", "sections", "s.xml", "--state", "elsewhere").text


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(sitemap(url for url, _ in urls(products=60, blog=55)))
    ran = run("plan", "sections", file)
    assert ran.code == 0, ran.err
    assert "115 URLs in 2 sections" in ran.text
    assert '"products=/products/*",' in ran.text
    assert run("plan", "sections", tmp_path / "nowhere.xml").code == 2
    assert b'"command": "plan sections"' in run("plan", "sections", file, "--format", "json").out
