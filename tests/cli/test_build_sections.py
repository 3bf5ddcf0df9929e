"""`urlset build --section-include/-exclude/-keep`: settings of single sections."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import run
from tests.workflows.listed_sites import ListedSite

SECTIONS = ("--section", "blog=/blog/*", "--section", "shop=/shop/*")
PATHS = ("blog/a", "blog/b", "blog/?page=2", "shop/a", "shop/b", "shop/?page=2", "about")


def listed(tmp_path: Path, *options: str) -> list[str]:
    site = ListedSite(tmp_path)
    site.offer(PATHS)
    assert site.build(*SECTIONS, *options).code == 0
    return site.listed()


def test_a_section_can_leave_out_more(tmp_path: Path) -> None:
    assert listed(tmp_path, "--section-exclude", "shop=/shop/a") == ["about", "blog/a", "blog/b", "shop/b"]


def test_a_section_can_list_only_some(tmp_path: Path) -> None:
    assert listed(tmp_path, "--section-include", "blog=/blog/b") == ["about", "blog/b", "shop/a", "shop/b"]


def test_a_section_can_keep_what_others_do_not(tmp_path: Path) -> None:
    found = listed(tmp_path, "--section-keep", "blog=paginated")
    assert found == ["about", "blog/?page=2", "blog/a", "blog/b", "shop/a", "shop/b"]


def test_wrong_usage_is_told(tmp_path: Path) -> None:
    site = ListedSite(tmp_path)
    site.offer(PATHS)
    assert "unknown section 'news'; known: blog, shop" in site.build(*SECTIONS, "--section-keep", "news=facet").err
    assert "is not of the form NAME=VALUE" in site.build(*SECTIONS, "--section-exclude", "shop").err
    assert "'nonsense'" in site.build(*SECTIONS, "--section-keep", "shop=nonsense").err
    for option in (("--keep", "nonsense"), ("--section-keep", "shop=duplicate")):
        ran = site.build(*SECTIONS, *option)
        assert (ran.code, "is not one of not-canonical, noindex" in ran.err) == (
            2,
            True,
        )


def test_a_folder_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    ran = run("build", f"{tmp_path}/public/", "--base-url", "https://www.example.com/")
    assert (ran.code, ran.err) == (2, f"urlset: {tmp_path}/public/: no such folder\n")
