"""Build folders → pages with their addresses, dates, directives and redirects."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.building.sources.sites import BASE, candidates, canonical, html, lay_out, troubles
from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.sources.folder import from_folder
from urlset.building.sources.source import SourceError, SourceOptions
from urlset.model.entry import Alternate, Image
from urlset.reading.fingerprint import blocks_of, text_of


def options(**given: object) -> SourceOptions:
    return SourceOptions(**{"base_url": BASE, **given})  # type: ignore[arg-type]


def pages(folder: Path, **given: object) -> dict[str, Candidate]:
    return {each.origin: each for each in candidates(from_folder(folder, options(**given)))}


def locs(folder: Path, **given: object) -> set[str]:
    return {each.loc.removeprefix(BASE) for each in pages(folder, **given).values()}


SITE = {"index.html": html(), "about.html": html(), "blog/index.html": html(), "blog/post.html": html()}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"", "about.html", "blog/", "blog/post.html"}),
        ({"page_style": "drop"}, {"", "about", "blog/", "blog/post"}),
        ({"page_style": "slash"}, {"", "about/", "blog/", "blog/post/"}),
        ({"index_style": "bare"}, {"", "about.html", "blog", "blog/post.html"}),
    ],
)
def test_addresses_from_paths(tmp_path: Path, given: dict[str, object], expected: set[str]) -> None:
    assert locs(lay_out(tmp_path, SITE), **given) == expected


def test_the_style_is_that_of_most_canonicals(tmp_path: Path) -> None:
    site = {f"p{n}.html": canonical(f"/p{n}") for n in range(5)} | {
        f"d{n}/index.html": canonical(f"/d{n}") for n in range(5)
    }
    site |= {"silent.html": html(), "quiet/index.html": html(), "old.html": canonical(f"{BASE}old.html")}
    found = locs(lay_out(tmp_path, site))
    assert {"silent", "quiet", "old.html", "p1", "d1"} <= found


def test_a_canonical_elsewhere_is_kept_as_such(tmp_path: Path) -> None:
    found = pages(lay_out(tmp_path, {"a.html": canonical("b.html"), "b.html": canonical(f"{BASE}b.html#x")}))
    assert (found["a.html"].loc, found["a.html"].canonical) == (f"{BASE}a.html", f"{BASE}b.html")
    assert found["b.html"].canonical == found["b.html"].loc


def test_names_are_escaped(tmp_path: Path) -> None:
    assert locs(lay_out(tmp_path, {"ü b/c#d.html": html(), "100%.html": html()})) == {
        "%C3%BC%20b/c%23d.html",
        "100%25.html",
    }


@pytest.mark.posix
def test_a_question_mark_in_a_name_is_escaped(tmp_path: Path) -> None:
    assert locs(lay_out(tmp_path, {"c?.html": html()})) == {"c%3F.html"}


def test_a_site_below_a_path(tmp_path: Path) -> None:
    found = pages(lay_out(tmp_path, SITE), base_url=f"{BASE}docs")
    assert found["index.html"].loc == f"{BASE}docs/"
    assert found["blog/post.html"].loc == f"{BASE}docs/blog/post.html"


def test_what_is_no_page_is_passed_over(tmp_path: Path) -> None:
    names = ["404.html", "500.html", "fr/404.html", "404/index.html", ".hidden.html", ".git/x.html", "sitemap.html"]
    names += ["google0123456789abcdef.html", "style.css", "sitemap.xml", ".urlset/x.html", "note.txt"]
    site = dict.fromkeys((*names, "a.html", "404-explained.html"), html())
    assert locs(lay_out(tmp_path, site), own_output=frozenset({"sitemap.html"})) == {"a.html", "404-explained.html"}


def test_urlsetignore(tmp_path: Path) -> None:
    site = {".urlsetignore": "# drafts\ndrafts/\n*.tmp.html\n!keep.tmp.html\n/only-here.html\n"}
    site |= dict.fromkeys(("drafts/a.html", "x/drafts/a.html", "x.tmp.html", "keep.tmp.html"), html())
    site |= dict.fromkeys(("only-here.html", "x/only-here.html", "z.html"), html())
    assert locs(lay_out(tmp_path, site), ignore=("z.html",)) == {"keep.tmp.html", "x/only-here.html"}


@pytest.mark.posix
def test_links_stay_inside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    folder = lay_out(tmp_path / "site", {"a/real.html": html()})
    lay_out(outside, {"secret.html": html()})
    (folder / "secret.html").symlink_to(outside / "secret.html")
    (folder / "out").symlink_to(outside)
    (folder / "a" / "loop").symlink_to(folder / "a")
    (folder / "broken.html").symlink_to(folder / "nothing.html")
    (folder / "again.html").symlink_to(folder / "a" / "real.html")
    items = list(from_folder(folder, options()))
    assert {each.origin for each in candidates(items)} == {"a/real.html", "again.html"}
    assert {each.origin for each in troubles(items) if not each.is_note} == {"secret.html", "out", "broken.html"}
    assert {each.origin for each in troubles(items) if each.is_note} == {"a/loop"}


def test_a_file_that_cannot_be_opened_is_a_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path, {"a.html": html(), "b.html": html()})
    opened = os.open

    def refuse(path: str | Path, flags: int, *given: int, **named: int) -> int:
        if Path(path).name == "a.html":
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *given, **named)

    monkeypatch.setattr(os, "open", refuse)
    items = list(from_folder(folder, options()))
    assert [each.origin for each in candidates(items)] == ["b.html"]
    assert [(each.origin, each.reason) for each in troubles(items)] == [
        ("a.html", "cannot read the file: Permission denied")
    ]


def test_what_the_page_says(tmp_path: Path) -> None:
    head = (
        "<title>T</title><meta name=robots content='noindex'><link rel=alternate hreflang=de href=/de/>"
        '<script type="application/ld+json">{"dateModified":"2024-05-01T10:00:00","datePublished":"2023"}</script>'
        "<meta property=article:modified_time content=2024-04-01T08:00:00+02:00>"
    )
    site = {"a.html": html(head, "<p>One</p><p>Two</p><img src=i.jpg>").replace("<html", "<html lang=de")}
    (page,) = pages(lay_out(tmp_path, site), images=True).values()
    assert (page.title, page.language, page.directives) == ("T", "de", ("noindex",))
    assert [(each.kind, each.lastmod, each.detail) for each in page.evidence][:2] == [
        (EvidenceKind.PAGE, "2024-05-01", "JSON-LD dateModified"),
        (EvidenceKind.PAGE, "2024-04-01T08:00:00+02:00", "article:modified_time"),
    ]
    assert page.entry.lastmod is None
    assert page.entry.images == (Image(f"{BASE}i.jpg"),)
    assert page.entry.alternates == (Alternate("de", f"{BASE}de/"),)
    assert page.blocks is not None
    assert text_of(page.blocks) == blocks_of(["One", "Two"])
    assert pages(tmp_path, timezone="+02:00")["a.html"].evidence[0].lastmod == "2024-05-01T10:00:00+02:00"


def test_addresses_that_name_a_host_are_spelled_as_parsers_do_and_others_joined(tmp_path: Path) -> None:
    links = {"a": "HTTPS://WWW.Example.COM/x/../ü", "b": "https://WWW.Example.COM:443/y z", "c": "https://[/", "d": "z",
             "e": "//cdn.example/e", "f": "https:z", "g": "mailto:a@b.example"}  # fmt: skip
    head = "".join(f"<link rel=alternate hreflang={code} href='{href}'>" for code, href in links.items())
    lay_out(
        tmp_path, {"x/a.html": html(f"<base href=/y/>{head}", "<img src='https://I.example/ü.png'><img src=i.png>")}
    )
    (page,) = pages(tmp_path, images=True).values()
    assert {each.hreflang: each.href for each in page.entry.alternates} == {
        "a": "https://www.example.com/%C3%BC", "b": "https://www.example.com/y%20z", "d": f"{BASE}y/z",
        "e": "https://cdn.example/e", "f": f"{BASE}y/z",
    }  # fmt: skip
    assert [each.loc for each in page.entry.images] == ["https://i.example/%C3%BC.png", f"{BASE}y/i.png"]


def test_videos_are_made_absolute(tmp_path: Path) -> None:
    head = (
        '<script type="application/ld+json">{"@type":"VideoObject","name":"N","description":"D",'
        '"thumbnailUrl":"t.jpg","embedUrl":"/p","uploadDate":"2024-01-02"}</script>'
    )
    (page,) = pages(lay_out(tmp_path, {"x/a.html": html(head)}), videos=True).values()
    (video,) = page.entry.videos
    assert video.thumbnail_loc == f"{BASE}x/t.jpg"
    assert video.player_loc is not None
    assert video.player_loc.text == f"{BASE}p"


def test_redirects_and_headers(tmp_path: Path) -> None:
    site = dict.fromkeys(("old.html", "blog/a.html", "kept.html", "app.html", "private/x.html", "news.html"), html())
    site["moved.html"] = html('<meta http-equiv=refresh content="0; url=/new">')
    site["_redirects"] = "/old.html /new 301\n/blog/* /news/:splat 302!\n/app.html /index.html 200\n# /kept.html /x\n"
    site["_headers"] = "/private/*\n  X-Robots-Tag: noindex\n/news.html\n  X-Robots-Tag: bingbot: noindex\n"
    folder = lay_out(tmp_path, site)
    found = pages(folder)
    assert {name: page.redirects_to for name, page in found.items() if page.redirects_to} == {
        "old.html": f"{BASE}new",
        "blog/a.html": f"{BASE}news/a.html",
        "moved.html": f"{BASE}new",
    }
    assert found["private/x.html"].directives == ("noindex",)
    assert found["news.html"].directives == ()
    assert pages(folder, bots=("bingbot",))["news.html"].directives == ("noindex",)
    assert pages(folder, redirects_need_force=True)["old.html"].redirects_to is None


def test_a_folder_needs_an_address(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="--base-url"):
        from_folder(tmp_path, SourceOptions())
    with pytest.raises(SourceError, match="is not a folder"):
        from_folder(tmp_path / "nothing", options())


def test_the_same_order_every_time(tmp_path: Path) -> None:
    names = [f"{folder}/{page}.html" for folder in ("b", "a", "c") for page in ("z", "y")] + ["q.html"]
    folder = lay_out(tmp_path, dict.fromkeys(names, html()))
    found = [each.origin for each in candidates(from_folder(folder, options()))]
    assert found == ["q.html", "a/y.html", "a/z.html", "b/y.html", "b/z.html", "c/y.html", "c/z.html"]


def test_canonicals_that_differ_leave_the_page_where_it_is(tmp_path: Path) -> None:
    both = '<link rel="canonical" href="/b"><link rel="canonical" href="/c">'
    lay_out(tmp_path, {"a.html": html(both), "empty.html": " "})
    a, empty = candidates(from_folder(tmp_path, SourceOptions(base_url=BASE)))
    assert a.canonical is None
    assert a.error is None
    assert empty.error == "the file is empty"
