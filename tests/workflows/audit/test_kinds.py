"""Kinds of pages from an audit to the fixed file, and in a build: only what is named is removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.testing import Site

NOT_FOUND = "<title>Page not found</title><h1>Page not found</h1><p>Sorry, this page does not exist.</p>"


@pytest.mark.network
def test_fix_drops_the_named_kinds(tmp_path: Path) -> None:
    with Site({}) as site:
        pages = {"/a": page("a"), "/tag/oak/": page("oak"), "/author/jane/": page("jane"), "/soft": NOT_FOUND}
        site.routes.update({**pages, "/sitemap.xml": sitemap(f"{site.origin}{path}" for path in pages)})
        ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, "--format", "json")
        report = json.loads(ran.out)
        kinds = {
            each["url"].removeprefix(site.origin): each["kind"] and each["kind"]["kind"] for each in report["pages"]
        }
        text = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, "--known").text
        origin = site.origin
    assert kinds == {"/a": None, "/tag/oak/": "tag-archive", "/author/jane/": "author-archive", "/soft": None}
    assert "25.0% of sitemap.xml is tag archive pages: 1 of 4 (90% certain: one page below /tag/)" in " ".join(
        text.split()
    )
    (tmp_path / "audit.json").write_bytes(ran.out)
    file = tmp_path / "sitemap.xml"
    for drop, left in (
        ((), ["/a", "/tag/oak/", "/author/jane/", "/soft"]),
        (("--drop", "tag-archive,soft-404"), ["/a", "/author/jane/"]),
    ):
        file.write_text(sitemap(f"{origin}{path}" for path in pages))
        fixed = run("fix", file, "--using", tmp_path / "audit.json", "--unsafe", *drop)
        assert fixed.code in (0, 1), fixed.err
        listed = run("ls", file).text.split()
        assert [url.removeprefix(origin) for url in listed] == left
    assert run("fix", file, "--drop", "thin").code == 2


def test_build_excludes_a_kind(tmp_path: Path) -> None:
    urls = [f"https://www.example.com{path}" for path in ("/a", "/tag/oak/", "/tags", "/2023/05/", "/2023/05/17/story")]
    (tmp_path / "urls.txt").write_text("\n".join(urls))
    ran = run("build", tmp_path / "urls.txt", "--out", tmp_path / "out", "--base-url", "https://www.example.com/",
              "--state", tmp_path / "state", "--exclude-kind", "tag-archive,date-archive")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "/tag/oak/ (tag-archive)" in ran.text + ran.err
    listed = run("ls", tmp_path / "out" / "sitemap.xml").text.split()
    assert [url.removeprefix("https://www.example.com") for url in listed] == ["/2023/05/17/story", "/a", "/tags"]


def with_data(name: str, node: dict[str, object]) -> str:
    return page(name).replace("</title>", f'</title><script type="application/ld+json">{json.dumps(node)}</script>')


def concert(day: str) -> str:
    return with_data(day, {"@type": "Event", "name": "Concert", "startDate": day, "endDate": day})


def lamp(stock: str) -> str:
    return with_data(stock, {"@type": "Product", "offers": {"availability": f"https://schema.org/{stock}"}})


OVER = {
    "/past": concert("2020-05-01"),
    "/next": concert("2099-05-01"),
    "/gone": lamp("Discontinued"),
    "/out": lamp("OutOfStock"),
}


@pytest.mark.network
def test_past_events_and_expired_products_from_audit_to_fix_and_build(tmp_path: Path) -> None:
    links = "".join(f"<a href={path}>{path}</a>" for path in OVER)
    with Site({"/": page("home").replace("</body>", f"{links}</body>")}) as site:
        site.routes.update({**OVER, "/sitemap.xml": sitemap(f"{site.origin}{path}" for path in OVER)})
        ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, "--format", "json")
        crawled = run("build", site.origin, "--out", tmp_path / "out", "--state", tmp_path / "built", "--allow-private",
                      "--exclude-kind", "past-event,expired-product")  # fmt: skip
        origin = site.origin
    assert crawled.code == 0, crawled.err
    built = run("ls", tmp_path / "out" / "sitemap.xml").text.split()
    assert [url.removeprefix(origin) for url in built] == ["/", "/next", "/out"]
    kinds = {each["url"].removeprefix(origin): each["kind"] for each in json.loads(ran.out)["pages"]}
    assert kinds["/past"] == {"kind": "past-event", "certainty": 0.95, "evidence": "the event ended on 2020-05-01"}
    assert kinds["/next"] is None
    assert (kinds["/gone"]["certainty"], kinds["/out"]["certainty"]) == (0.95, 0.3)
    (tmp_path / "audit.json").write_bytes(ran.out)
    file = tmp_path / "sitemap.xml"
    file.write_text(sitemap(f"{origin}{path}" for path in OVER))
    fixed = run("fix", file, "--using", tmp_path / "audit.json", "--unsafe", "--drop", "past-event,expired-product")
    assert fixed.code in (0, 1), fixed.err
    assert [url.removeprefix(origin) for url in run("ls", file).text.split()] == ["/next", "/out"]


def test_a_build_of_a_folder_excludes_what_is_over(tmp_path: Path) -> None:
    for path, text in OVER.items():
        (tmp_path / f"{path[1:]}.html").write_text(text)
    how = ("--base-url", "https://www.example.com/", "--state", tmp_path / "state", "--page-style", "drop")
    ran = run("build", tmp_path, *how, "--exclude-kind", "past-event,expired-product")
    assert ran.code == 0, ran.err
    listed = run("ls", tmp_path / "sitemap.xml").text.split()
    assert sorted(url.rpartition("/")[2] for url in listed) == ["next", "out"]
    explained = run("explain", "https://www.example.com/past", "--state", tmp_path / "state")
    assert "past-event: the event ended on 2020-05-01" in explained.text
