"""A small site that can break, the receiver of its alerts, and `urlset watch --once` on both."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

from tests.cli.commands import Ran, run
from urlset.testing import PageAnswer, Request, Site

SECRET = "a secret of more than six letters"


class WatchedSite:
    """`site.routes` changes what the next `once` finds; `hooks` are the bodies that arrived since the last one."""

    def __init__(self, site: Site, folder: Path, pages: int = 12) -> None:
        self.site, self.folder, self.state = site, folder, folder / "state"
        self.received: list[Request] = []
        self.refuse = 0
        site.routes["/robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site.origin}/sitemap.xml\n"
        site.routes["/hook"] = self._hook
        self.list_pages(pages)

    def _hook(self, request: Request) -> PageAnswer:
        if self.refuse:
            return PageAnswer(self.refuse, "later")
        self.received.append(request)
        return PageAnswer(204)

    def list_pages(self, count: int, path: str = "/sitemap.xml") -> None:
        rows = "".join(
            f"<url><loc>{self.site.origin}/p{n}</loc>"
            f"<lastmod>2026-0{n % 9 + 1}-1{n % 9}T0{n % 9}:00:00Z</lastmod></url>"
            for n in range(count)
        )
        self.site.routes[path] = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
        for n in range(count):
            self.site.routes[f"/p{n}"] = self.page(n)

    def page(self, number: int, head: str = "") -> str:
        words = " ".join(hashlib.sha256(f"{number} {n}".encode()).hexdigest()[:7] for n in range(60))
        link = f"<link rel=canonical href='{self.site.origin}/p{number}'>"
        return f"<html lang=en><head><title>Page {number}</title>{link}{head}</head><body><p>{words}</p></body></html>"

    def once(self, *more: object, jobs: str = "check", hook: bool = True) -> Ran:
        self.received.clear()
        off = [word for job in ("check", "audit", "snapshot") if job not in jobs for word in (f"--{job}", "off")]
        hooks = ("--webhook", self.site.url("/hook")) if hook else ()
        return run("watch", self.site.url("/"), "--once", *hooks, "--state", self.state, *off, *more)

    @property
    def hooks(self) -> list[dict[str, Any]]:
        return [json.loads(request.body) for request in self.received]

    @property
    def kinds(self) -> list[str]:
        return [f"{body['kind']}.{body['phase']}" for body in self.hooks]


def is_signed(request: Request, secret: str) -> bool:
    """As a receiver would check it, by docs/watch.md."""
    expected = "sha256=" + hmac.new(secret.encode(), request.body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(request.headers["x-urlset-signature"], expected)
