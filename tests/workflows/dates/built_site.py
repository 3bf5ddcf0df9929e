"""A small built site to date: pages as a generator writes them, a sitemap stamped with the time of the build."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import urlset
from urlset.settings.dates import DatesSettings
from urlset.workflows.dates.dates import DatesReport, date_pages

BASE = "https://example.com"
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 12, tzinfo=UTC)


def page(name: str, text: str = "", *, footer: str = "© 2026 Example", head: str = "") -> str:
    own = text or f"This page tells all about {name}, in one sentence."
    return (
        f"<!doctype html><html><head><title>{name}</title>{head}</head><body><header>Shop of lamps</header>"
        f"<main><h1>{name}</h1><p>{own}</p></main><footer>{footer}</footer></body></html>"
    )


class BuiltSite:
    """`texts`: page → its own text. Written again as a generator does, with every file new."""

    def __init__(self, folder: Path, texts: Mapping[str, str] | None = None) -> None:
        self.folder, self.public, self.lock = folder, folder / "public", folder / "sitemap.lock"
        self.texts = dict(texts or dict.fromkeys(("", "a", "b", "c", "d"), ""))
        self.footer = "© 2026 Example"
        self.write()

    def write(self, stamp: str = "2026-11-18T09:00:00.000Z") -> None:
        shutil.rmtree(self.public, ignore_errors=True)
        for name, text in self.texts.items():
            home = self.public / name
            home.mkdir(parents=True, exist_ok=True)
            (home / "index.html").write_text(page(name or "home", text, footer=self.footer), encoding="utf-8")
        locs = [f"{BASE}/{name}/" if name else f"{BASE}/" for name in self.texts]
        rows = "".join(f"  <url>\n    <loc>{loc}</loc>\n    <lastmod>{stamp}</lastmod>\n  </url>\n" for loc in locs)
        (self.public / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by a tool -->\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n',
            encoding="utf-8",
        )

    def settings(self, now: datetime = DAY, **options: Any) -> DatesSettings:
        given: dict[str, Any] = {
            "target": str(self.public),
            "lock": self.lock,
            "state": self.folder / ".urlset",
            "now": now,
        }
        return DatesSettings(**(given | options))

    def date(self, now: datetime = DAY, **options: Any) -> DatesReport:
        return date_pages(self.settings(now, **options))

    def dates(self) -> dict[str, str | None]:
        """As the sitemap says now."""
        return sitemap_dates(self.public / "sitemap.xml")


def sitemap_dates(path: Path) -> dict[str, str | None]:
    return {(entry.loc or "").removeprefix(BASE): entry.lastmod for entry in urlset.read(path).entries()}
