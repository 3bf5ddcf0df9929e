"""Two audits of one site → findings about dates that move without the pages, and none about those that are honest."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.cli.commands import run
from tests.workflows.audit_sites import page
from urlset.testing import Request, Site
from urlset.testing.exchange import Reply

ABOUT_TIME = {"D028", "D029", "Q020"}


class Blog:
    """Pages with words of their own, and a sitemap whose dates the test decides on."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.version = dict.fromkeys(range(count), 0)
        self.dates: dict[int, str] | None = None
        """None: the time of the request"""
        self.requests = 0

    def __call__(self, request: Request) -> Reply | None:
        if request.path == "/sitemap.xml":
            self.requests += 1
            now = datetime.now(UTC).isoformat()
            rows = "".join(
                f"<url><loc>{request.origin}/p{number}</loc>"
                f"<lastmod>{now if self.dates is None else self.dates[number]}</lastmod></url>"
                for number in range(self.count)
            )
            return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        name = request.path[2:]
        if request.path.startswith("/p") and name.isdigit() and int(name) < self.count:
            return page(f"{name}-{self.version[int(name)]}")
        return None


def audit(site: Site, state: Path) -> tuple[set[str], dict[str, Any]]:
    ran = run("audit", site.url("/sitemap.xml"), "--allow-private", "--state", state, "--format", "json")
    assert ran.code in (0, 1), ran.err
    body = json.loads(ran.text)
    return ABOUT_TIME & set(body["counts"]), body


def test_two_audits_report_dates_that_are_always_now(tmp_path: Path) -> None:
    count = 3
    with Site(Blog(count)) as site:
        assert audit(site, tmp_path)[0] == set()
        found, body = audit(site, tmp_path)
        assert found == {"D028", "Q020"}
        (reported,) = (each for each in body["findings"] if each["code"] == "D028")
        assert reported["severity"] == "warning"
        assert reported["message"].startswith(f"lastmod was the time of each of 2 fetches, on {count} pages")
        again = run("audit", site.url("/sitemap.xml"), "--state", tmp_path, "--known", "--format", "json")
        assert ABOUT_TIME & set(json.loads(again.text)["counts"]) == {"D028", "Q020"}


def test_honest_dates_are_not_reported(tmp_path: Path) -> None:
    blog = Blog(24)
    blog.dates = dict.fromkeys(range(24), "2026-01-01")
    with Site(blog) as site:
        audit(site, tmp_path)
        for number in range(10):
            blog.version[number] += 1
            blog.dates[number] = "2026-11-01"
        assert audit(site, tmp_path)[0] == set()


def test_changes_that_leave_the_date_are_reported(tmp_path: Path) -> None:
    blog = Blog(24)
    blog.dates = dict.fromkeys(range(24), "2026-01-01")
    with Site(blog) as site:
        audit(site, tmp_path)
        for number in range(12):
            blog.version[number] += 1
        assert audit(site, tmp_path)[0] == {"D029"}
