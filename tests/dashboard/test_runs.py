"""Runs from the page: in processes, one per site at a time, stopped and found again after a restart."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.cli.commands import run as command
from tests.dashboard.conftest import WEB, Hostile
from tests.dashboard.served import Client, served
from urlset.dashboard.access import Protection
from urlset.dashboard.runs import RunOrder
from urlset.settings.serve import ServeSettings
from urlset.testing.exchange import PageAnswer
from urlset.testing.site import Site
from urlset.web.options import WebOptions

pytestmark = pytest.mark.slow
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def until(client: Client, path: str, mark: str) -> str:
    for _ in range(400):
        text = client.get(path).text
        if mark in text:
            return text
        time.sleep(0.05)
    raise AssertionError(f"{mark} did not appear: {text}")


def slow_site(site: Site, pages: int = 40) -> None:
    urls = "".join(f"<url><loc>{site.origin}/{number}</loc></url>" for number in range(pages))
    site.routes["/sitemap.xml"] = f'<urlset xmlns="{NAMESPACE}">{urls}</urlset>'
    site.routes["/robots.txt"] = f"Sitemap: {site.origin}/sitemap.xml\n"
    site.routes["/*"] = PageAnswer(body="<title>a page</title><p>words</p>", pause=0.4)


def test_an_audit_is_watched_stopped_and_found_again(tmp_path: Path) -> None:
    with Site({}) as site:
        slow_site(site)
        options = ServeSettings(state=tmp_path, web=WEB)
        with served(options) as client:
            answer = client.submit("/runs", {"kind": "audit", "target": f"{site.origin}/"})
            assert answer.status == 303
            path = answer.headers["location"]
            until(client, path, "requesting pages: ")
            again = client.submit("/runs", {"kind": "audit", "target": f"{site.origin}/"})
            assert again.headers["location"] == path
            other = client.submit("/runs", {"kind": "check", "target": f"{site.origin}/"})
            assert other.status == 409
            assert "another run of this site is in progress" in other.text
            assert client.submit(f"{path}/stop", {}, path).status == 303
            until(client, path, 'class="pill good"')
            assert "stopped after" in client.get(path).text
        with served(options) as client:
            text = client.get("/").text
            assert path in text
            report = client.get(f"{path}/report.json")
            assert report.status == 200
            assert report.headers["content-disposition"].startswith("attachment")
            assert '"command":"audit"' in re.sub(r"\s", "", report.text)
            assert client.get(f"{path}/report.exe").status == 404


def test_a_read_only_dashboard_refuses_a_form_with_the_right_token(hostile: Hostile) -> None:
    """The form to sign out has the token of the session, which is not enough to start or stop anything."""
    token = "a-token-of-decent-length"
    with served(ServeSettings(state=hostile.state, read_only=True), Protection(token)) as client:
        assert client.get(f"/login?token={token}").status == 303
        answer = client.submit("/runs", {"kind": "check", "target": "https://example.com/"})
        assert answer.status == 403
        assert "read-only" in answer.text
        assert client.submit("/logout", {}).status == 303


def test_what_the_watch_did_is_shown(tmp_path: Path) -> None:
    with Site({}) as site:
        slow_site(site, 3)
        target = f"{site.origin}/"
        command("snapshot", target, "--state", tmp_path, "--allow-private")
        command("watch", target, "--once", "--state", tmp_path, "--allow-private")
        with served(ServeSettings(state=tmp_path)) as client:
            found = re.search(r'href="(/sites/[^"/]+)"', client.get("/").text)
            assert found is not None
            text = client.get(f"{found[1]}/alerts").text
            assert "Runs of the watch" in text
            assert ">check<" in text


def test_an_order_survives_the_pipe() -> None:
    web = WebOptions(private_hosts=frozenset({"10.0.0.1"}), ca_file=Path("/ca.pem"))
    order = RunOrder("audit", "https://example.com/", Path("state"), Path("folder"), "keep all", web)
    assert RunOrder.decode(order.encode()) == order
