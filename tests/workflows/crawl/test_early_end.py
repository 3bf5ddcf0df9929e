"""Crawls that end before the site does, and traps that hold what the site lists: what is reported and published."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import sitemap
from tests.workflows.crawled_sites import crawled, html
from urlset.reading.read import read
from urlset.testing import PageAnswer, Request, Site

PAGES = [f"/page-{name}" for name in "abcdefghij"]


def small_site(request: Request) -> str | None:
    if request.path == "/":
        return html(*PAGES)
    return html("/", title=request.path) if request.path in PAGES else None


def endless_numbers(request: Request) -> str | None:
    """Every number has a page, and all say the same; the sitemap lists the first few."""
    if request.path == "/sitemap.xml":
        return sitemap(f"{request.origin}/number/{number}" for number in range(1, 6))
    if request.path == "/":
        return html("/number/1")
    if not request.path.startswith("/number/"):
        return None
    number = int(request.path.rpartition("/")[2])
    return html(f"/number/{number + 1}", title=f"Number {number}")


def unlisted_numbers(request: Request) -> str | None:
    return None if request.path == "/sitemap.xml" else endless_numbers(request)


@pytest.mark.parametrize(("site", "advised"), [(endless_numbers, False), (unlisted_numbers, True)])
def test_advice_does_not_exclude_what_the_site_lists(site: object, advised: bool, tmp_path: Path) -> None:
    with Site(site) as served:  # type: ignore[arg-type]
        ran = run("crawl", served.url("/"), "--allow-private", "--state", tmp_path)
    assert "endless" in ran.text
    assert ("--exclude" in ran.text) is advised


def test_a_crawl_that_stopped_early_says_so_at_the_top(tmp_path: Path) -> None:
    with Site(small_site) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--max-pages", "4")
    first, second, *_ = ran.text.splitlines()
    assert first.startswith("http://127.0.0.1:")
    assert second == "  stopped early: reached the limit of 4 pages with 7 pages left"


def test_a_complete_crawl_does_not(tmp_path: Path) -> None:
    with Site(small_site) as site:
        found = crawled(site, tmp_path)
    assert found.report.completeness.cut_short is None


def build(site: Site, home: Path, *more: str) -> tuple[int, str]:
    places = ("--out", home / "out", "--state", home / "state")
    ran = run("build", site.url("/"), "--allow-private", *places, *more)
    return ran.code, ran.text + ran.err


def listed(home: Path) -> int:
    return len(list(read(home / "out" / "sitemap.xml").entries()))


def test_a_first_set_of_a_part_of_the_site_is_refused_unless_forced(tmp_path: Path) -> None:
    with Site(small_site) as site:
        code, said = build(site, tmp_path, "--max-pages", "4")
        assert code == 1
        assert "the new set would cover only part of the site: reached the limit of 4 pages" in said
        assert "--force incomplete" in said
        assert not (tmp_path / "out" / "sitemap.xml").exists()
        code, said = build(site, tmp_path, "--max-pages", "4", "--force", "incomplete")
        assert code == 0, said
    assert listed(tmp_path) == 4


def test_a_later_part_loses_no_page_of_the_set_before(tmp_path: Path) -> None:
    with Site(small_site) as site:
        code, said = build(site, tmp_path)
        assert code == 0, said
        code, said = build(site, tmp_path, "--max-pages", "4", "--fresh")
        assert code == 0, said
    assert "the crawl is not complete" in said
    assert listed(tmp_path) == 11


@pytest.mark.usefixtures("impatient")
def test_a_first_crawl_that_was_kept_out_publishes_nothing(tmp_path: Path) -> None:
    pages = [f"/{number}" for number in range(60)]

    def answer(request: Request) -> PageAnswer | str | None:
        if request.path == "/":
            return html(*pages)
        return PageAnswer(403, "no") if request.path in pages else None

    with Site(answer) as site:
        code, said = build(site, tmp_path)
    assert code == 1
    assert "the new set would cover only part of the site: gave up with" in said
    assert not (tmp_path / "out" / "sitemap.xml").exists()
