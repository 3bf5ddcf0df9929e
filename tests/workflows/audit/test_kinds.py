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
    listed = run("ls", tmp_path / "out" / "sitemap.xml").text.split()
    assert [url.removeprefix("https://www.example.com") for url in listed] == ["/2023/05/17/story", "/a", "/tags"]
