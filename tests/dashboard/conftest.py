"""A month of the sample shop, simulated once for all tests of the dashboard; and a small hostile site."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.dashboard.served import Client, served
from urlset.execution.workers import Where
from urlset.settings.audit import AuditSettings
from urlset.settings.history import SnapshotSettings
from urlset.settings.serve import ServeSettings
from urlset.testing.exchange import PageAnswer
from urlset.testing.site import Site
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited
from urlset.workflows.demo.month import Month, simulate
from urlset.workflows.snapshot import snapshot

WEB = WebOptions(allow_addresses=frozenset({"127.0.0.1"}), patience=0.1, backoff=0.05)
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Simulated(NamedTuple):
    state: Path
    month: Month
    site: Site


@pytest.fixture(scope="session")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulated]:
    state = tmp_path_factory.mktemp("month")
    with Site({}) as site:
        yield Simulated(state, simulate(site, state, NOW), site)


@pytest.fixture(scope="session")
def shop(month: Simulated) -> Iterator[Client]:
    """The dashboard of that month."""
    with served(ServeSettings(state=month.state, web=month.month.web)) as client:
        yield client


SCRIPT = "<script>alert(1)</script>"
HOSTILE_PATH = "/a%22%3E%3Cimg%20src=x%20onerror=alert(2)%3E"
LISTED = ("/", HOSTILE_PATH, "/plain", "/'onmouseover='alert(3)")


class Hostile(NamedTuple):
    state: Path
    site: Site


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """Titles, paths and canonicals that would run as script if any page forgot to escape them."""
    state = tmp_path_factory.mktemp("hostile")
    body = f'<title>{SCRIPT.replace("<", "&lt;")}"\'{{{{7*7}}}}</title><link rel=canonical href="javascript:alert(4)">'
    with Site({}) as site:
        urls = "".join(f"<url><loc>{site.origin}{path}</loc></url>" for path in LISTED)
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        site.routes["/sitemap.xml"] = f'<urlset xmlns="{namespace}">{urls}</urlset>'
        site.routes["/robots.txt"] = f"Sitemap: {site.origin}/sitemap.xml\n"
        site.routes["/*"] = PageAnswer(body=f"<html><head>{body}</head><body><main>{SCRIPT}</main></body></html>")
        target = f"{site.origin}/"
        with audited(AuditSettings(target=target, state=state, web=WEB)):
            pass
        for _ in range(2):
            snapshot(SnapshotSettings(target=target, state=state, web=WEB, executor=Where.LOCAL))
        yield Hostile(state, site)
