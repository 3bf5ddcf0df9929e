"""`urlset plan sections`: few sections, each page in the one that was counted, settings that a build accepts."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from tests.cli.commands import run
from tests.workflows.audit_sites import sitemap
from urlset.building.sections import assign_section, section_rules
from urlset.workflows.plan.sections import MOST_SECTIONS, SectionPlan, plan_sections

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
    rules = section_rules(tomllib.loads(plan.settings())["build"]["sections"])
    assigned = Counter(assign_section(url, rules) for url, _ in entries)
    assert dict(assigned) == names(plan)


def test_how_often_a_section_changes() -> None:
    old = [(f"{SITE}/docs/{n}", "2024-01-05") for n in range(80)]
    new = [(f"{SITE}/news/{n}", f"2025-06-{n % 28 + 1:02}") for n in range(80)]
    found = {each.name: each.changed for each in plan_sections([*old, *new]).sections}
    assert found == {"news": 1.0, "docs": 0.0}


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    file.write_text(sitemap(url for url, _ in urls(products=60, blog=55)))
    ran = run("plan", "sections", file)
    assert ran.code == 0, ran.err
    assert "115 URLs in 2 sections" in ran.text
    assert '"products=/products/*",' in ran.text
    assert run("plan", "sections", tmp_path / "nowhere.xml").code == 2
    assert b'"command": "plan sections"' in run("plan", "sections", file, "--format", "json").out
