"""Pages, entries and faults, one after another → the routes, the sitemaps and the labels of a site."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import TypedDict, Unpack

from urlset.testing.exchange import HTML, PageAnswer, Route, Routes
from urlset.testing.sample.labels import Label, Stage
from urlset.testing.sample.layout import Layout, html


class DraftParts(TypedDict, total=False):
    """What can be different about a page."""

    links: Mapping[str, str]
    changed: datetime
    head: str
    canonical: str | None
    """the path it names; the page itself unless something else is given; None leaves it out"""
    language: str
    picture: str
    below: str
    """markup at the end of the body"""
    headers: Mapping[str, str]


class Draft:
    """A site being put together. Paths are what follows the origin, escaped as in a link."""

    def __init__(self, origin: str, now: datetime) -> None:
        self.origin = origin
        self.now = now.astimezone(UTC).replace(microsecond=0)
        self.routes: Routes = {}
        self.entries: dict[str, list[str]] = {}
        """sitemap → its entries, as XML"""
        self.labels: list[Label] = []
        self.links: dict[str, str] = {}
        """what the page of all the rest links to"""
        self._dated = 0

    def url(self, path: str) -> str:
        return self.origin + path

    def next_date(self) -> datetime:
        """No two alike, each on another day and at another hour of the last ten months."""
        self._dated += 1
        return self.now - timedelta(days=2 + self._dated * 37 % 290, hours=self._dated * 5 % 24, minutes=self._dated)

    def page(self, path: str, title: str, **parts: Unpack[DraftParts]) -> datetime:
        """A page with its own words. Returns when it was changed, which the page and its headers say too."""
        changed = parts.get("changed") or self.next_date()
        head, canonical = parts.get("head", ""), parts.get("canonical", path)
        if canonical is not None:
            head = f'<link rel="canonical" href="{self.url(canonical)}">\n{head}'
        layout = Layout(
            links=parts.get("links", {}),
            head=head,
            language=parts.get("language", "en"),
            picture=parts.get("picture", ""),
            below=parts.get("below", ""),
            changed=changed,
        )
        sent = {"Last-Modified": format_datetime(changed, usegmt=True), **parts.get("headers", {})}
        self.serve(path, PageAnswer(body=html(path, title, layout), headers=sent, type=HTML))
        return changed

    def serve(self, path: str, route: Route) -> None:
        if path in self.routes:
            raise ValueError(f"{path} is there already")
        self.routes[path] = route

    def entry(self, sitemap: str, path: str, changed: datetime | str | None = None, extra: str = "") -> None:
        """`path` may be a whole address, exactly as written in the file."""
        loc = self.url(path) if path.startswith("/") else path
        self.raw(sitemap, f"<loc>{loc.replace('&', '&amp;')}</loc>{lastmod(changed)}{extra}")

    def raw(self, sitemap: str, inside: str) -> None:
        self.entries.setdefault(sitemap, []).append(f"  <url>{inside}</url>\n")

    def listed(self, sitemap: str, path: str, title: str, extra: str = "", **parts: Unpack[DraftParts]) -> None:
        """A page and its entry."""
        self.entry(sitemap, path, self.page(path, title, **parts), extra)

    def link(self, path: str, title: str) -> None:
        self.links[path] = title

    def changed(self, path: str) -> datetime:
        """When the page says it was changed."""
        route = self.routes[path]
        assert isinstance(route, PageAnswer)
        return parsedate_to_datetime(dict(route.pairs())["Last-Modified"])

    def flaw(self, stage: Stage, code: str, at: str, why: str, *, stays: bool = False) -> None:
        self.labels.append(Label(stage, code, at, why, stays))


def lastmod(changed: datetime | str | None) -> str:
    if changed is None:
        return ""
    return f"<lastmod>{w3c(changed) if isinstance(changed, datetime) else changed}</lastmod>"


def w3c(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
