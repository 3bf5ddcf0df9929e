"""A037: an audit of a real server, watched from the server: robots.txt obeyed, distance kept, nothing but GET."""

from __future__ import annotations

from pathlib import Path

from tests.workflows.live_sites import pages, robots, xml
from urlset.settings.audit import AuditSettings
from urlset.testing import PageAnswer, Site
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited

DELAY = 0.05


def test_visits_are_polite(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    with Site({f"/{name}": PageAnswer(body=f"<title>{name}</title><p>Words of {name}.") for name in names}) as site:
        site.routes["/robots.txt"] = robots("User-agent: *", "Disallow: /b")
        site.routes["/sitemap.xml"] = xml(pages(*(site.url(f"/{name}") for name in names)))
        web = WebOptions(allow_private=True, delay=DELAY, backoff=0.01)
        options = AuditSettings(target=site.url("/sitemap.xml"), state=tmp_path, web=web)
        with audited(options) as outcome:
            verdict = outcome.report.verdict
        asked = [request.path for request in site.log]
        assert {request.method for request in site.log} == {"GET"}
        assert "/b" not in asked
        assert asked.index("/robots.txt") < min(asked.index(f"/{name}") for name in "acd")
        assert site.most_at_once == 1
        assert min(site.gaps()) >= DELAY
    assert verdict.counts.get("A011") == 1
    assert [each.subject for each in verdict.findings if each.code == "A011"] == [site.url("/b")]
