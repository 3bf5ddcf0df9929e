"""`urlset audit --crawl`: the sitemap against the links of the site, both ways, and silence where nothing is proved."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.crawled_sites import html
from urlset.testing import PageAnswer, Request, Routes, Site, redirect

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
LISTED = ("/", "/a", "/orphan", "/moved", "/nofollowed", "/paper.pdf", "/forbidden", "/picture.png")


def sitemap(request: Request) -> PageAnswer:
    locs = "".join(f"<url><loc>{request.origin}{path}</loc></url>" for path in LISTED)
    return PageAnswer(body=f'<urlset xmlns="{NAMESPACE}">{locs}<url><loc>https://other.example/x</loc></url></urlset>',
                type="application/xml")  # fmt: skip


def routes() -> Routes:
    return {
        "/robots.txt": "User-agent: *\nDisallow: /forbidden\n",
        "/sitemap.xml": sitemap,
        "/": html("/a", "/unlisted", "/noindex", "/copy", "/way-to-moved", "/paper.pdf", "/forbidden", "/picture.png",
                  '<a rel=nofollow href="/nofollowed">n</a>', "/list?page=2", "/old", title="Home"),
        "/a": html("/", title="A"),
        "/orphan": html("/", title="Orphan"),
        "/unlisted": html("/", title="Unlisted"),
        "/noindex": html(title="N", head="<meta name=robots content=noindex>"),
        "/copy": html(title="C", head="<link rel=canonical href=/a>"),
        "/way-to-moved": redirect("/moved"),
        "/moved": html(title="Moved"),
        "/nofollowed": html(title="Nofollowed"),
        "/paper.pdf": PageAnswer(body=b"%PDF-1.7", type="application/pdf"),
        "/list": html(title="Page 2"),
        "/old": PageAnswer(404),
    }  # fmt: skip


def audited(site: Site, tmp_path: Path) -> dict[str, Any]:
    ran = run("audit", site.url("/"), "--crawl", "--allow-private", "--state", tmp_path, "--select", "A035,A036",
              "--format", "json")  # fmt: skip
    assert ran.code in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def said(report: dict[str, Any], code: str, site: Site) -> set[str]:
    findings = [each for each in report["findings"] if each["code"] == code]
    return {(each.get("subject") or "").removeprefix(site.origin) for each in findings}


def test_both_ways(tmp_path: Path) -> None:
    with Site(routes()) as site:
        report = audited(site, tmp_path)
        assert said(report, "A035", site) == {"/unlisted"}
        assert said(report, "A036", site) == {"/orphan"}


def test_pages_that_the_crawl_saw_are_not_asked_again(tmp_path: Path) -> None:
    with Site(routes()) as site:
        ran = run("audit", site.url("/"), "--crawl", "--allow-private", "--state", tmp_path, "--format", "json")
        asked = Counter(request.target for request in site.log)
        pages = {page["url"].removeprefix(site.origin): page for page in json.loads(ran.out)["pages"]}
    assert asked["/"] == asked["/a"] == asked["/moved"] == asked["/paper.pdf"] == asked["/orphan"] == 1
    assert (pages["/a"]["state"], pages["/orphan"]["state"], pages["/moved"]["state"]) == ("ok", "ok", "ok")
    with Site(routes()) as site:  # and nothing is found that an audit alone would not find
        alone = run("audit", site.url("/"), "--allow-private", "--state", tmp_path / "alone", "--format", "json")
        others = {page["url"].removeprefix(site.origin): page for page in json.loads(alone.out)["pages"]}
    reported = [{path: page["state"] for path, page in each.items()} for each in (pages, others)]
    assert reported[0] == reported[1]
    codes = [{each["code"] for each in json.loads(each.out)["findings"]} for each in (ran, alone)]
    assert codes[0] - {"A035", "A036", "A049"} == codes[1]


def test_ctrl_c_during_the_crawl_ends_the_whole(tmp_path: Path) -> None:
    def answer(request: Request) -> PageAnswer:
        if request.path == "/sitemap.xml":
            return sitemap(request)
        number = int(request.path[1:] or 0) if request.path[1:].isdigit() or request.path == "/" else -1
        return PageAnswer(body=html(f"/{number + 1}"), pause=0.02) if 0 <= number < 400 else PageAnswer(404)

    with Site(answer) as site:
        command = [sys.executable, "-m", "urlset", "audit", site.url("/"), "--crawl", "--allow-private"]
        command += ["--state", str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 20
            while len(site.log) < 15 and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=90)
    assert process.returncode == 130, err
    assert out == ""
    assert "nothing was audited: run the same command to resume" in err
    assert "/sitemap.xml" not in {request.path for request in site.log}


def test_one_failing_page_leaves_unlisted_pages_certain_and_orphans_likely(tmp_path: Path) -> None:
    with Site({**routes(), "/broken": PageAnswer(500), "/": html("/a", "/unlisted", "/broken", title="Home")}) as site:
        report = audited(site, tmp_path)
        assert said(report, "A035", site) == {"/unlisted"}
        assert "/orphan" in said(report, "A036", site)
        assert "/a" not in said(report, "A036", site)
    assert report["not_checked"] == []
    orphans = [each for each in report["findings"] if each["code"] == "A036"]
    assert all("(likely, 1 page could not be crawled: 1 page failed" in each["message"] for each in orphans)
    assert {each["severity"] for each in report["findings"]} == {"warning"}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("start", [PageAnswer(404), PageAnswer(503)])
def test_no_orphans_where_nothing_was_crawled(tmp_path: Path, start: PageAnswer) -> None:
    """No page links to a listed one where no page was read."""
    with Site({**routes(), "/": start}) as site:
        report = audited(site, tmp_path)
        assert said(report, "A036", site) == set()
    assert [each["code"] for each in report["not_checked"]] == ["A036"]
    assert "the crawl read " in report["not_checked"][0]["reason"]


def test_no_orphans_where_most_of_the_site_could_not_be_read(tmp_path: Path) -> None:
    broken = {f"/broken-{number}": PageAnswer(500) for number in range(4)}
    with Site({**routes(), **broken, "/": html("/unlisted", *broken, title="Home")}) as site:
        report = audited(site, tmp_path)
        assert said(report, "A035", site) == {"/unlisted"}
        assert said(report, "A036", site) == set()
    assert [each["code"] for each in report["not_checked"]] == ["A036"]
    assert "read 2 pages, and 4 could not be crawled: 4 pages failed" in report["not_checked"][0]["reason"]


def test_a_folder_cannot_be_crawled(tmp_path: Path) -> None:
    ran = run("audit", tmp_path, "--base-url", "https://example.com/", "--crawl")
    assert ran.code == 2
    assert "not a folder" in ran.err


def test_the_text_says_what_was_asked_for(tmp_path: Path) -> None:
    with Site(routes()) as site:
        ran = run("audit", site.url("/"), "--crawl", "--allow-private", "--state", tmp_path)
    assert (
        "sitemap compared with crawl\n  1 page linked, but in no sitemap (A035)\n  1 page listed, but not linked"
        in ran.text
    )
