"""A generated folder and its sources under git → the dates of the sources, whatever templates do to the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building.test_git_evidence import Repository, _day
from urlset.reading.read import read
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildReport

NAMES = ("index", "a", "b", "c", "d", "e")


class Site(Repository):
    """Sources in `texts/`, pages in `public/`, which is not committed."""

    def generate(self, footer: str) -> None:
        for name in NAMES:
            text = (self.folder / f"texts/{name}.md").read_text()
            page = "index.html" if name == "index" else f"{name}/index.html"
            path = self.folder / "public" / page
            path.parent.mkdir(parents=True, exist_ok=True)
            body = f"<p>{text}</p><p>{footer} of {name}</p>"
            path.write_text(
                f"<!doctype html><title>{name}</title><main>{body}<time datetime=2026-11-01>now</time></main>"
            )

    def build(self, *, source_dir: bool = True, state: bool = False) -> BuildReport:
        return build(
            BuildSettings(
                sources=(str(self.folder / "public"),),
                base_url="https://example.com/",
                out=self.folder / "public",
                state=self.folder.parent / "state" if state else None,
                source_dir=self.folder / "texts" if source_dir else None,
            )
        )

    def published_days(self) -> dict[str, int | None]:
        entries = read(self.folder / "public/sitemap.xml").entries()
        return {
            (entry.loc or "").removeprefix("https://example.com/").strip("/") or "index": _day(entry.lastmod)
            if entry.lastmod
            else None
            for entry in entries
        }


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path / "site")
    made.write(".gitignore", "public/\n")
    return made


def text(name: str, footer: str = "Made in 2024.") -> str:
    return f"# {name}\n\nAll about {name}.\n\n{footer}\n"


def commit(site: Site, **texts: str) -> int:
    for name, content in texts.items():
        site.write(f"texts/{name}.md", content)
    return site.commit()


@pytest.mark.parametrize("state", [False, True])
def test_pages_have_the_dates_of_their_sources_and_footers_move_none(site: Site, *, state: bool) -> None:
    first = commit(site, **{name: text(name) for name in NAMES})
    second = commit(site, b=text("b, revised"))
    site.generate("Footer")
    site.build(state=state)
    expected = {**dict.fromkeys(NAMES, first), "b": second}
    assert site.published_days() == expected
    # a footer in the template, with words of its own on every page
    site.generate("Another footer")
    site.build(state=state)
    assert site.published_days() == expected
    # a footer that is written in every source
    commit(site, **{name: text("b, revised" if name == "b" else name, "Made in 2025.") for name in NAMES})
    site.generate("Another footer")
    site.build(state=state)
    assert site.published_days() == expected
    third = commit(site, c=text("c, revised", "Made in 2025."))
    site.generate("Another footer")
    site.build(state=state)
    assert site.published_days() == {**expected, "c": third}


def test_a_modified_date_in_the_front_matter_counts_for_more(site: Site) -> None:
    commit(site, **{name: text(name) for name in NAMES})
    commit(site, d="---\nlastmod: 2020-02-02\n---\n" + text("d"), e="---\ndate: 2020-02-02\n---\n" + text("e"))
    site.generate("Footer")
    report = site.build()
    assert report.dated == {"git": 5, "page": 1}


def test_an_uncommitted_source_has_no_date_from_git(site: Site) -> None:
    commit(site, **{name: text(name) for name in NAMES})
    site.write("texts/a.md", text("a, not committed"))
    site.generate("Footer")
    assert site.build().dated == {"git": 5, "page": 1}


def test_a_build_without_sources_names_the_option(site: Site) -> None:
    commit(site, **{name: text(name) for name in NAMES})
    site.generate("Footer")
    report = site.build(source_dir=False)
    assert "git" not in report.dated
    assert any("add --source-dir DIR" in note for note in report.notes)
