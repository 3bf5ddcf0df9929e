"""A site on a named private host that leads to another private host by every way there is → none of it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page
from urlset.testing import Site, redirect

INSIDE = "127.0.0.2"
INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{own}</loc></sitemap>'
    "<sitemap><loc>{inside}</loc></sitemap></sitemapindex>"
)
URLSET = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">{}</urlset>'
)
ENTRY = (
    "<url><loc>{own}/image</loc><image:image><image:loc>{inside}/image.png</image:loc></image:image></url>"
    '<url><loc>{own}/language</loc><xhtml:link rel="alternate" hreflang="de" href="{inside}/de"/>'
    '<xhtml:link rel="alternate" hreflang="en" href="{own}/language"/></url>'
    "<url><loc>{own}/canonical</loc></url><url><loc>{own}/redirect</loc></url><url><loc>{own}/refresh</loc></url>"
    "<url><loc>{inside}/listed</loc></url>"
)


@contextmanager
def leading_inside() -> Iterator[Site]:
    with Site({}, addresses=("127.0.0.1", INSIDE)) as site:
        own, inside = site.origin, site.url("", host=INSIDE).rstrip("/")
        site.routes.update(
            {
                "/": page("home", f'<link rel="alternate" hreflang="de" href="{inside}/de">')
                + "".join(f"<a href={where}/{each}>x</a>" for where in (own, inside) for each in ("redirect", "image")),
                "/sitemap.xml": INDEX.format(own=f"{own}/own.xml", inside=f"{inside}/child.xml"),
                "/own.xml": URLSET.format(ENTRY.format(own=own, inside=inside)),
                "/image": page("image"),
                "/language": page("language"),
                "/canonical": page("canonical", f'<link rel="canonical" href="{inside}/canonical">'),
                "/redirect": redirect(f"{inside}/secret"),
                "/refresh": page("refresh", f'<meta http-equiv="refresh" content="0; url={inside}/secret">'),
            }
        )
        yield site


def asked_inside(site: Site) -> list[str]:
    return [request.target for request in site.log if request.host == INSIDE]


@pytest.mark.parametrize("more", [(), ("--media",), ("--check",)])
def test_an_audit(more: tuple[str, ...], tmp_path: Path) -> None:
    with leading_inside() as site:
        ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, *more)
        assert asked_inside(site) == []
        assert "/canonical" in site.paths()
    assert f"not fetched from {INSIDE}" in ran.text + ran.err


def test_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with leading_inside() as site:
        ran = run("check", site.url("/sitemap.xml"), "--allow-private")
        assert asked_inside(site) == []
        assert "/own.xml" in site.paths()
    assert f"--private-host {INSIDE}" in ran.text + ran.err


def test_a_crawl(tmp_path: Path) -> None:
    with leading_inside() as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--seed-sitemaps")
        assert asked_inside(site) == []
        assert "/redirect" in site.paths()
    assert ran.code == 0, ran.err


def test_an_audit_of_a_file_asks_the_host_that_it_lists_first(tmp_path: Path) -> None:
    with leading_inside() as site:
        own = tmp_path / "own.xml"
        own.write_bytes(bytes(str(site.routes["/own.xml"]), "utf-8"))
        run("audit", own, "--allow-private", "--state", tmp_path / "state")
        assert asked_inside(site) == []
        assert "/canonical" in site.paths()


def test_another_host_is_opened_by_its_name(tmp_path: Path) -> None:
    with leading_inside() as site:
        site.routes["/child.xml"] = URLSET.format("")
        inside = f"{INSIDE}:{site.port}"
        run("audit", site.url("/sitemap.xml"), "--allow-private", "--private-host", inside, "--state", tmp_path)
        assert "/secret" in asked_inside(site)
