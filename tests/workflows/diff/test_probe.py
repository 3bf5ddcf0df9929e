"""A live site with redirects → renames with that evidence; robots.txt is obeyed and --probe 0 requests no page."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.testing import Request, Site, redirect
from urlset.testing.exchange import Reply


def answer(request: Request) -> Reply | None:
    match request.path:
        case "/robots.txt":
            return "User-agent: *\nDisallow: /private/\n"
        case "/sitemap.xml":
            return sitemap(f"{request.origin}/{name}" for name in ("stays", "x", "y"))
        case "/a":
            return redirect("/x")
        case "/private/b":
            return redirect("/y")
    return page(request.path)


def test_redirects_of_a_live_site_are_evidence(tmp_path: Path) -> None:
    old = tmp_path / "old.xml"
    with Site(answer) as site:
        old.write_text(sitemap(site.url(path) for path in ("/stays", "/a", "/private/b")))
        told = json.loads(run("diff", old, site.url("/sitemap.xml"), "--allow-private", "--format", "json").text)
        assert [(each["from"], each["to"], each["evidence"]) for each in told["renamed"]] == [
            (site.url("/a"), site.url("/x"), "redirect")
        ]
        asked = [request.path for request in site.log]
        assert "/private/b" not in asked
        run("diff", old, site.url("/sitemap.xml"), "--allow-private", "--probe", "0")
        assert [request.path for request in site.log][len(asked) :].count("/a") == 0
