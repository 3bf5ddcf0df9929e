"""Five kinds of classes as projects write them, and the same tables with the keyset class."""

from __future__ import annotations

from typing import Any

from django.contrib.sitemaps import GenericSitemap, Sitemap
from django.utils.translation import get_language

from tests.integrations.djangosite.models import Article, Note
from urlset.integrations.django import Sitemap as KeysetSitemap


class Static(Sitemap):  # type: ignore[misc]  # Django has no types
    """Attributes only."""

    changefreq = "weekly"
    priority = 0.5

    def items(self) -> list[str]:
        return ["", "about & contact", "größe"]

    def location(self, item: Any) -> str:
        return f"/{item}"


class Articles(Sitemap):  # type: ignore[misc]  # Django has no types
    """Methods on a queryset."""

    limit = 200

    def items(self) -> Any:
        return Article.objects.filter(live=True).order_by("pk")

    def lastmod(self, item: Article) -> Any:
        return item.updated


class Translated(Sitemap):  # type: ignore[misc]  # Django has no types
    """Languages with alternates."""

    i18n = True
    alternates = True
    x_default = True
    languages = ("en", "de")

    def items(self) -> list[str]:
        return ["guide", "faq"]

    def location(self, item: Any) -> str:
        return f"/{get_language()}/{item}/"


class Custom(Sitemap):  # type: ignore[misc]  # Django has no types
    """Its own get_urls, with images."""

    def items(self) -> list[int]:
        return [1, 2]

    def get_urls(self, page: Any = 1, site: Any = None, protocol: str | None = None) -> list[dict[str, Any]]:
        head = f"{protocol}://{site.domain}"
        return [
            {"item": n, "location": f"{head}/gallery/{n}", "lastmod": None, "changefreq": None, "priority": "",
             "images": [f"{head}/gallery/{n}.jpg"]}
            for n in self.paginator.page(page).object_list
        ]  # fmt: skip


class KeysetArticles(KeysetSitemap):
    keyset = "pk"
    fields = ("slug", "updated")
    date_field = "updated"
    limit = 200
    refresh = 0

    def items(self) -> Any:
        return Article.objects.filter(live=True)

    def location(self, row: Any) -> str:
        return f"/articles/{row.slug}/"


class KeysetNotes(KeysetSitemap):
    keyset = "code"
    limit = 200
    refresh = 0
    priority = 0.3

    def items(self) -> Any:
        return Note.objects.all()

    def images(self, row: Any) -> Any:
        return [{"loc": f"/notes/{row.code}.jpg", "title": row.title}]

    def news(self, row: Any) -> Any:
        if row.title != "note 1":
            return None
        return {"name": "The Example", "language": "en", "publication_date": "2026-05-01", "title": row.title}


CLASSIC = {
    "static": Static,
    "articles": Articles,
    "generic": GenericSitemap({"queryset": Article.objects.order_by("pk"), "date_field": "updated"}, priority=0.6),
    "translated": Translated,
    "custom": Custom,
}
KEYSET = {"articles": KeysetArticles, "notes": KeysetNotes}
