"""Keyset classes whose rows are left out for a while, or fail in the middle, and the URLs that serve them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import include, path

from tests.integrations.djangosite.models import Article
from urlset.integrations.django import Sitemap, urls


class Complete(Sitemap):
    refresh = 0

    def items(self) -> Any:
        return Article.objects.all()

    def location(self, row: Any) -> str:
        return f"/{row.pk}"


class LeftOut(Complete):
    """Two whole batches of 100 rows are on another host."""

    def location(self, row: Any) -> str:
        return f"https://elsewhere.example.net/{row.pk}" if 100 < row.pk <= 300 else f"/{row.pk}"


class Broken(Complete):
    def location(self, row: Any) -> str:
        if row.pk > 350:
            raise RuntimeError("no database")
        return f"/{row.pk}"


class BrokenAtOnce(Complete):
    def location(self, row: Any) -> str:
        raise RuntimeError(f"no database: {row.pk}")


class Ended(Complete):
    """A source that ends with an exception which generators treat as their end."""

    def images(self, row: Any) -> Any:
        if row.pk > 350:
            nothing: Iterator[str] = iter(())
            return [next(nothing)]
        return None


SITEMAPS = {"complete": Complete, "left-out": LeftOut, "broken": Broken, "at-once": BrokenAtOnce, "ended": Ended}
urlpatterns = [path("", include(urls(SITEMAPS)))]
