"""A site with a sitemap, and engines that know it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from tests.servers.engines import FakeEngines
from urlset.cli.main import cli
from urlset.submitting.webmasters import host_id
from urlset.testing import Site


def sitemap(urls: Iterable[tuple[str, str]]) -> str:
    entries = "".join(f"<url><loc>{url}</loc><lastmod>{date}</lastmod></url>" for url, date in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    )


class Stage:
    """One site, all engines, one state folder."""

    def __init__(self, engines: FakeEngines, site: Site, folder: Path) -> None:
        self.engines, self.site, self.folder = engines, site, folder
        self.state = folder / "state"
        self.sitemap = site.url("/sitemap.xml")
        engines.google.properties = {f"{site.origin}/": "siteOwner"}
        engines.bing.sites = [f"{site.origin}/"]
        engines.yandex.hosts = {host_id(site.origin): site.origin}
        site.routes["/robots.txt"] = "User-agent: *\nAllow: /\n"

    @cached_property
    def environment(self) -> dict[str, str]:
        return self.engines.environment(self.folder)

    def page(self, number: int) -> str:
        return f"{self.site.origin}/p/{number}"

    def serve(self, pages: Iterable[int], changed: Iterable[int] = ()) -> None:
        moved = set(changed)
        dated = ((self.page(n), "2026-02-02" if n in moved else "2026-01-01") for n in pages)
        self.site.routes["/sitemap.xml"] = sitemap(dated)

    def serve_key(self, key: str) -> None:
        self.environment["URLSET_INDEXNOW_KEY"] = key
        self.site.routes[f"/{key}.txt"] = key

    def run(self, *arguments: str) -> Result:
        given = ["submit", self.sitemap, "--state", str(self.state), *arguments]
        return CliRunner().invoke(cli, given, env=self.environment, standalone_mode=False)

    def receipts(self, *arguments: str) -> tuple[list[dict[str, Any]], int]:
        result = self.run(*arguments, "--format", "json")
        assert result.exception is None, result.output
        body = json.loads(result.stdout)
        assert (body["schema"], body["command"]) == (1, "submit")
        return body["receipts"], int(result.return_value)
