"""django.contrib.sitemaps: the index view and the sitemap view, page by page."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from protocol import BEST, Request, speak

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SITE_ID=1,
    INSTALLED_APPS=["django.contrib.sitemaps"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    USE_TZ=True,
)
django.setup()

from django.contrib.sitemaps import Sitemap, views  # noqa: E402 - needs the settings
from django.test import RequestFactory  # noqa: E402
from django.urls import path  # noqa: E402

ROWS: list[dict[str, Any]] = []
HOST = "https://example.com"


def moment(text: str) -> date | datetime:
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)


class Pages(Sitemap):  # type: ignore[misc] # Django has no types here
    protocol = "https"

    def items(self) -> list[dict[str, Any]]:
        return ROWS

    def location(self, item: dict[str, Any]) -> str:
        return str(item["loc"]).removeprefix(HOST)

    def lastmod(self, item: dict[str, Any]) -> Any:
        return item.get("lastmod") and moment(item["lastmod"])

    def changefreq(self, item: dict[str, Any]) -> Any:
        return item.get("changefreq")

    def priority(self, item: dict[str, Any]) -> Any:
        return item.get("priority")


MAPS = {"pages": Pages}
urlpatterns = [
    path("sitemap.xml", views.index, {"sitemaps": MAPS}, name="index"),
    path("sitemap-<section>.xml", views.sitemap, {"sitemaps": MAPS}, name="django.contrib.sitemaps.views.sitemap"),
]


def answer(request: Request) -> dict[str, Any]:
    ROWS[:] = json.loads(Path(request["path"]).read_text(encoding="utf-8"))["rows"]
    if BEST and any(len(row["loc"]) > 1000 for row in ROWS):
        Pages.limit = 20_000  # documented for long URLs
    out, factory = Path(request["out"]), RequestFactory(SERVER_NAME="example.com")
    pages = Pages().paginator.num_pages
    files = []
    for number in range(1, pages + 1):
        asked = factory.get("/sitemap-pages.xml", {"p": number}, secure=True)
        files.append(f"sitemap-pages.xml?p={number}" if number > 1 else "sitemap-pages.xml")
        (out / files[-1]).write_bytes(views.sitemap(asked, MAPS, section="pages").render().content)
    if pages > 1:
        index = views.index(factory.get("/sitemap.xml", secure=True), MAPS)
        (out / "sitemap.xml").write_bytes(index.render().content)
        files.append("sitemap.xml")
    return {"files": files, "writes": []}


if __name__ == "__main__":
    speak(answer)
