"""A build folder is audited without a single request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.model.visit import State
from urlset.reports.pages import PageRow
from urlset.settings.audit import AuditSettings
from urlset.workflows.audit.audit import audited
from urlset.workflows.audit.sources import AuditError, FolderSite

BASE = "https://www.example.com/"


def build(folder: Path, *paths: str) -> Path:
    files = {
        "index.html": page("home"),
        "about/index.html": page("about"),
        "plain.html": page("plain"),
        "hidden.html": page("hidden", '<meta name="robots" content="noindex">'),
        "copy.html": page("copy", f'<link rel="canonical" href="{BASE}about/">'),
        "secret/page.html": page("secret"),
        "_redirects": "/old /about/ 301\n/loop /pool\n/pool /loop\n/away https://other.example/ 302\n",
        "_headers": "/secret/*\n  X-Robots-Tag: noindex\n",
        "robots.txt": "User-agent: *\nDisallow: /plain\n",
        "sitemap.xml": sitemap(f"{BASE}{path}" for path in paths),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def rows(target: Path, tmp_path: Path, base_url: str | None = BASE, root: Path | None = None) -> dict[str, PageRow]:
    settings = AuditSettings(target=str(target), state=tmp_path / "state", base_url=base_url, root=root)
    with audited(settings) as outcome:
        return {row.url.removeprefix(BASE): row for row in outcome.report.pages()}


def test_files_answer_instead_of_a_server(tmp_path: Path) -> None:
    listed = ("", "about/", "about", "plain", "plain.html", "old", "nowhere", "loop", "hidden.html", "copy", "away")
    found = rows(build(tmp_path / "public", *listed, "secret/page.html"), tmp_path)
    assert {path: row.state for path, row in found.items()} == {
        "": State.OK,
        "about/": State.OK,
        "about": State.OK,
        "plain": State.OK,
        "plain.html": State.OK,
        "old": State.REDIRECTED,
        "nowhere": State.GONE,
        "loop": State.ERROR,
        "hidden.html": State.OK,
        "copy": State.OK,
        "away": State.UNKNOWN,
        "secret/page.html": State.OK,
    }
    assert found["old"].final_url == f"{BASE}about/"
    assert found["nowhere"].reason == "no such file in the folder"
    assert found["secret/page.html"].reasons == ("noindex",)
    assert found["plain"].reasons == ('disallowed by robots.txt: "/plain"',)
    assert found["copy"].remedy is not None
    assert found["copy"].remedy.to == f"{BASE}about/"
    assert not (tmp_path / "state").exists()


def test_a_redirect_keeps_the_status_it_is_written_with(tmp_path: Path) -> None:
    folder = build(tmp_path / "public", "old", "now")
    (folder / "_redirects").write_text("/old /about/\n/now /about/ 302\n")
    found = rows(folder, tmp_path)
    assert [found[path].hops[0].status for path in ("old", "now")] == [301, 302]


def test_a_sitemap_beside_its_folder(tmp_path: Path) -> None:
    folder = build(tmp_path / "public", "about/", "nowhere")
    file = tmp_path / "elsewhere.xml"
    file.write_text((folder / "sitemap.xml").read_text())
    found = rows(file, tmp_path, root=folder)
    assert [row.state for row in found.values()] == [State.OK, State.GONE]


def test_dates_are_held_against_what_the_build_ledger_saw(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "index.html").write_text(page("home", '<meta property="article:modified_time" content="2026-03-01">'))
    built = run("build", folder, "--base-url", BASE, "--state", tmp_path / "state")
    assert built.code == 0
    file = folder / "sitemap.xml"
    assert "<lastmod>2026-03-01</lastmod>" in file.read_text()
    (folder / "index.html").write_text(page("home"))  # only the ledger knows the date now
    settings = AuditSettings(target=str(folder), state=tmp_path / "state", base_url=BASE, select=("A025",))
    with audited(settings) as outcome:
        assert outcome.report.verdict.counts == {}
    file.write_text(file.read_text().replace("2026-03-01", "2025-01-01"))
    with audited(settings) as outcome:
        (finding,) = outcome.report.verdict.findings
    assert "build ledger:" in finding.message


def test_a_folder_needs_its_address(tmp_path: Path) -> None:
    folder = build(tmp_path / "public", "about/")
    with pytest.raises(AuditError, match="--base-url"):
        rows(folder, tmp_path, None)
    with pytest.raises(AuditError, match="not a URL"):
        rows(folder, tmp_path, "example")
    settings = AuditSettings(target=str(folder), state=tmp_path / "state", known=True, base_url=BASE)
    with pytest.raises(AuditError, match="--known"), audited(settings):
        pass


@pytest.mark.parametrize(
    "path",
    [
        "../secret.html",
        "%2e%2e/secret.html",
        "a/..%2f..%2fsecret.html",
        "..%5csecret.html",
        "%00",
        "x" * 5000,
        "link.html",
    ],
)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, path: str) -> None:
    folder = build(tmp_path / "public")
    (tmp_path / "secret.html").write_text(page("secret"))
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    answer, file = FolderSite(folder, BASE).answer(BASE + path)
    assert (answer.status, file) == (404, None)


def test_a_folder_below_the_root_of_its_host(tmp_path: Path) -> None:
    site = FolderSite(build(tmp_path / "public"), f"{BASE}docs")
    assert site.answer(f"{BASE}docs/about/")[1] == "about/index.html"
    assert site.answer(f"{BASE}docs")[1] == "index.html"
    assert site.answer(f"{BASE}about/")[0].status is None
    assert site.robots().status == 404
