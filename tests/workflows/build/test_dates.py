"""Builds of one folder over several days → a date moves with the main content, and with nothing around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.building.test_git_evidence import Repository
from tests.cli.commands import run
from urlset.reading.read import read

DAYS = ("1767225600", "1767312000", "1767398400")
"""2026-01-01, -02 and -03"""
Page = Callable[..., str]


class Site:
    """A folder that is built day by day."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.state, self._patch, self._day = home / "public", home / "state", monkeypatch, 0
        self.folder.mkdir()

    def build(self, **pages: str) -> dict[str, str | None]:
        for name, text in pages.items():
            (self.folder / f"{name}.html").write_text(text, encoding="utf-8")
        self._patch.setenv("SOURCE_DATE_EPOCH", DAYS[self._day])
        self._day += 1
        ran = run("build", self.folder, "--base-url", "https://www.example.com/", "--state", self.state)
        assert ran.code == 0, ran.err + ran.text
        document = read(self.folder / "sitemap.xml")
        return {(entry.loc or "").rpartition("/")[2]: entry.lastmod for entry in document.entries()}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(tmp_path)
    return Site(tmp_path, monkeypatch)


def in_main(text: str, around: str = "") -> str:
    return f"<!doctype html><title>A</title><body><main><h1>A page</h1><p>{text}</p></main>{around}</body>"


def in_article(text: str, around: str = "") -> str:
    return f"<!doctype html><title>A</title><body><article><h1>A page</h1><p>{text}</p></article>{around}</body>"


def by_role(text: str, around: str = "") -> str:
    return f'<!doctype html><title>A</title><body><div role="main"><h1>A page</h1><p>{text}</p></div>{around}</body>'


AROUND = {
    "views": ("<div>1,204 people viewed this page</div>", "<div>1,377 people viewed this page</div>"),
    "generated at": ("<p>Generated at 2026-01-01 10:00:03</p>", "<p>Generated at 2026-01-02 10:00:07</p>"),
    "an advertisement": ("<div><p>Buy three lamps</p></div>", "<div><p>Winter coats, half the price</p></div>"),
    "related links": ("<ul><li>Read about oak</li></ul>", "<ul><li>Read about elm</li><li>And ash</li></ul>"),
    "a comment count": ("<p>3 comments so far</p>", "<p>4 comments so far</p>"),
    "a related article": ("<aside><article>Oak</article></aside>", "<aside><article>Elm</article></aside>"),
    "the time of the build": (
        '<p>Built <time datetime="2026-01-01">today</time></p>',
        '<p>Built <time datetime="2026-01-02">today</time></p>',
    ),
}


@pytest.mark.parametrize("page", [in_main, in_article, by_role])
@pytest.mark.parametrize("what", AROUND)
def test_what_changes_outside_the_main_element_moves_no_date(site: Site, page: Page, what: str) -> None:
    before, after = AROUND[what]
    assert site.build(a=page("Some words.", before), b=page("Other words.", before)) == {"a.html": None, "b.html": None}
    assert site.build(a=page("Some words.", after)) == {"a.html": None, "b.html": None}


@pytest.mark.parametrize("page", [in_main, in_article, by_role])
def test_what_changes_inside_it_does(site: Site, page: Page) -> None:
    site.build(a=page("Some words."), b=page("Other words."))
    assert site.build(a=page("Some other words.")) == {"a.html": "2026-01-02", "b.html": None}


@pytest.mark.parametrize("framed", [False, True])
def test_a_page_that_gets_a_main_element_has_not_changed_by_that(site: Site, *, framed: bool) -> None:
    """As all pages do on the first build after the change to this rule, and in a redesign."""
    frame = "<div>A menu</div>{}<div>Views: 12 today</div>"
    bare = "<!doctype html><body>" + frame.format("<h1>A page</h1><p>Some words.</p>") + "</body>"
    if framed:
        bare = bare.replace("<body>", "<body><nav>Home</nav>")
    marked = "<!doctype html><body>" + frame.format("<main><h1>A page</h1><p>Some words.</p></main>") + "</body>"
    site.build(a=bare, b=in_main("Other words."))
    assert site.build(a=marked) == {"a.html": None, "b.html": None}
    assert site.build(a=bare) == {"a.html": None, "b.html": None}


def test_navigation_inside_the_main_element_is_not_its_content(site: Site) -> None:
    def page(following: str) -> str:
        return f'<main><h1>A</h1><p>Words.</p><nav role="navigation">Next: {following}</nav></main>'

    site.build(a=page("B"), b=in_main("Other words."))
    assert site.build(a=page("C")) == {"a.html": None, "b.html": None}


def test_an_empty_main_element_decides_nothing(site: Site) -> None:
    site.build(a="<main></main><p>Some words.</p>", b=in_main("Other words."))
    assert site.build(a="<main></main><p>New words.</p>") == {"a.html": "2026-01-02", "b.html": None}


def test_a_commit_of_a_new_footer_dates_no_page_without_a_ledger(site: Site) -> None:
    repository = Repository(site.folder.parent / "repository")
    repository.write("public/a.html", in_main("Some words.", "<footer>2024</footer>"))
    repository.write("public/b.html", in_main("Other words.", "<footer>2024</footer>"))
    repository.commit()
    repository.write("public/a.html", in_main("Some words.", "<footer>2025</footer>"))
    repository.write("public/b.html", in_main("New words.", "<footer>2025</footer>"))
    repository.commit()
    site.folder = repository.folder / "public"
    assert site.build() == {"a.html": "2023-11-15T22:13:20Z", "b.html": "2023-11-16T22:13:20Z"}


def in_frame(text: str, menu: str, footer: str) -> str:
    return (
        f"<!doctype html><body><nav>{menu}</nav><h1>A page</h1><p>{text}</p><aside>Ads: {footer}</aside>"
        f"<footer>{footer}</footer></body>"
    )


def test_without_a_main_element_what_is_marked_as_frame_moves_no_date(site: Site) -> None:
    site.build(a=in_frame("Some words.", "Home", "2025"), b=in_frame("Other words.", "Home", "2025"))
    assert site.build(a=in_frame("Some words.", "Home and shop", "2026, today")) == {"a.html": None, "b.html": None}
    assert site.build(a=in_frame("New words.", "Home", "2026")) == {"a.html": "2026-01-03", "b.html": None}


def test_a_site_of_one_page_under_git_is_not_dated_by_its_footer(site: Site) -> None:
    repository = Repository(site.folder.parent / "repository")
    for footer in ("2024", "2025"):
        repository.write("public/a.html", in_frame("Some words.", "Home", footer))
        repository.commit()
    site.folder = repository.folder / "public"
    assert site.build() == {"a.html": "2023-11-15T22:13:20Z"}
