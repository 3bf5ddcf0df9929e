"""A history of pages in a real repository → the commit that changed what each says, not what the site repeats."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.building.test_git_evidence import Repository, _day
from urlset.building import git_content
from urlset.building.git_content import dates_by_content
from urlset.building.git_evidence import GitDates, git_dates
from urlset.reading.fingerprint import BlockCounter, boilerplate_of, page_blocks
from urlset.reading.html import read_page

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PAGES = ("a", "b", "c", "d", "e")


def bare(text: str, footer: str) -> str:
    return f"<!doctype html><body><h1>{text}</h1><p>About {text}.</p><footer><p>{footer}</p></footer></body>"


def with_main(text: str, footer: str) -> str:
    return f"<!doctype html><body><main><h1>{text}</h1><p>About {text}.</p></main><p>{footer}</p></body>"


class Site(Repository):
    def publish(self, **pages: str) -> int:
        for name, text in pages.items():
            self.write(f"public/{name}.html", text)
        return self.commit()

    def content_days(self, *, without: str = "") -> dict[str, int | None]:
        """What a build of `public/` without a ledger would be told."""
        folder = self.folder / "public"
        found = git_dates(folder)
        assert isinstance(found, GitDates), found
        counter, blocks = BlockCounter(), {}
        for path in sorted(folder.glob("*.html")):
            blocks[path.name] = page_blocks(read_page(path.read_bytes(), facets=True))
            counter.add(blocks[path.name])
        blocks.pop(f"{without}.html", None)
        dates = dates_by_content(found, blocks, counter.pages, boilerplate_of(counter))
        assert not dates.unsettled & dates.commits.keys()
        return {
            name.removesuffix(".html"): _day(dates.commits[name].lastmod) if name in dates.commits else None
            for name in blocks
        }


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.mark.parametrize("page", [bare, with_main])
def test_a_commit_that_changes_only_the_footer_dates_no_page(site: Site, page: Callable[[str, str], str]) -> None:
    first = site.publish(**{name: page(name, "2024") for name in PAGES})
    second = site.publish(b=page("b, revised", "2024"))
    site.publish(**{name: page("b, revised" if name == "b" else name, "2025") for name in PAGES})
    last = site.publish(**{name: page(f"{name}, revised" if name in "bd" else name, "2026") for name in PAGES})
    assert site.content_days() == {"a": first, "b": second, "c": first, "d": last, "e": first}


def test_pages_that_are_not_asked_about_still_show_what_the_site_repeated(site: Site) -> None:
    first = site.publish(**{name: bare(name, "2024") for name in PAGES})
    site.publish(**{name: bare(name, "2025") for name in PAGES})
    assert set(site.content_days(without="a").values()) == {first}


def test_the_same_sentence_changed_on_two_pages_of_many_is_content(site: Site) -> None:
    names = [f"page{number}" for number in range(12)]
    first = site.publish(**{name: bare(name, "2024") for name in names})
    hours = {name: bare(name, "2024").replace("<footer>", "<p>Open from 9 to {}.</p><footer>") for name in names[:2]}
    site.publish(**{name: text.format(17) for name, text in hours.items()})
    third = site.publish(**{name: text.format(18) for name, text in hours.items()})
    days = site.content_days()
    assert {days[name] for name in names[:2]} == {third}
    assert {days[name] for name in names[2:]} == {first}


def test_a_page_that_moved_and_then_got_a_new_footer(site: Site) -> None:
    first = site.publish(**{name: with_main(name, "2024") for name in PAGES})
    site.days += 1
    site.git("mv", "public/a.html", "public/z.html")
    site.commit()
    site.publish(**{name: with_main("a" if name == "z" else name, "2025") for name in ("z", *PAGES[1:])})
    assert site.content_days() == dict.fromkeys(("z", *PAGES[1:]), first)


def test_a_revert_to_an_older_text_is_a_change(site: Site) -> None:
    site.publish(a=with_main("one", "2024"), b=with_main("b", "2024"))
    site.publish(a=with_main("two", "2024"))
    third = site.publish(a=with_main("one", "2024"))
    assert site.content_days()["a"] == third


def test_a_history_that_is_too_long_to_read_gives_no_date(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for year in range(2020, 2026):
        site.publish(a=with_main("a", str(year)), b=with_main("b", str(year)))
    monkeypatch.setattr(git_content, "MOST_VERSIONS", 5)
    assert site.content_days() == {"a": None, "b": None}


def test_a_merge_that_brought_only_a_footer(site: Site) -> None:
    first = site.publish(a=with_main("a", "2024"), b=with_main("b", "2024"))
    site.git("checkout", "-q", "-b", "side")
    site.publish(a=with_main("a", "2025"))
    site.git("checkout", "-q", "main")
    site.publish(a=with_main("a", "2026"))
    site.days += 1
    site.git("merge", "-q", "-s", "ours", "--no-commit", "side")
    site.publish(a=with_main("a", "2027"))
    assert site.content_days() == {"a": first, "b": first}


def test_a_commit_that_changes_the_main_image_dates_the_page(site: Site) -> None:
    def page(image: str, price: int) -> str:
        data = f'{{"@type": "Product", "offers": {{"price": {price}}}}}'
        return (
            f'<!doctype html><script type="application/ld+json">{data}</script>'
            f"<main><h1>A lamp</h1><img src={image}><p>€ {price}</p></main>"
        )

    site.publish(a=page("/oak.jpg", 5), b=bare("b", "2024"))
    second = site.publish(a=page("/elm.jpg?v=1", 5))
    site.publish(a=page("/elm.jpg?v=2", 6))
    assert site.content_days()["a"] == second
