"""A sitemap class with a key → shards by key range: a page stays in its file, and a shard reads only its rows.

class Articles(Sitemap):
    keyset = "pk"
    fields = ("slug", "updated")
    date_field = "updated"

    def items(self):
        return Article.objects.filter(published=True)

    def location(self, row):
        return f"/articles/{row.slug}/"
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

from django.contrib.sitemaps import Sitemap as DjangoSitemap
from django.core.exceptions import ImproperlyConfigured
from django.core.paginator import EmptyPage, PageNotAnInteger
from django.db.models import Count, Max, QuerySet

from urlset.building.entry_lines import Page
from urlset.building.sources.dates import DateError, to_lastmod
from urlset.integrations.django.plans import keeper_of
from urlset.integrations.keyed import Extent, Key, KeyedSource, Tally
from urlset.integrations.plan import ServingPlan

CHUNK = 2_000


class Sitemap(DjangoSitemap):  # type: ignore[misc]  # Django has no types
    """Everything of django.contrib.sitemaps.Sitemap but `i18n`, and these."""

    keyset = "pk"
    """a unique field with an index, best one that grows"""
    fields: tuple[str, ...] = ()
    """fetch only these fields, as named tuples; without them rows are model instances"""
    date_field: str | None = None
    """the field of the last change: dates of pages and shards, and how a changed shard is recognized"""
    refresh: float = 300.0
    """seconds after which counts and dates are renewed in the background"""

    def images(self, _row: Any) -> Any:
        """URLs or dicts with the fields of the image extension."""
        return None

    def videos(self, _row: Any) -> Any:
        """Dicts with the fields of the video extension."""
        return None

    def news(self, _row: Any) -> Any:
        """A dict with the fields of the news extension."""
        return None

    def alternates_for(self, _row: Any) -> Any:
        """Locations by hreflang."""
        return None

    def lastmod(self, row: Any) -> Any:
        return None if self.date_field is None else getattr(row, self.date_field)

    # what the views of Django and of urlset ask for

    @property
    def paginator(self) -> Any:
        return _Pages(self.plan())

    def get_latest_lastmod(self) -> Any:
        if self.date_field is None:
            return None
        return self.items().order_by().aggregate(latest=Max(self.date_field))["latest"]

    def plan(self, section: str = "", domain: str = "") -> ServingPlan:
        return keeper_of(self, QuerySetSource(self), section, domain).plan()

    def _urls(self, page: Any, protocol: str, domain: str) -> list[dict[str, Any]]:
        """As Django's view and its templates want them."""
        plan = self.plan(domain=domain)
        shard = plan.shard(self.paginator.number(page))
        assert shard is not None
        rows = QuerySetSource(self).raw_rows(shard.after, shard.upto, plan.width)
        return [self._url(row, f"{protocol}://{domain}") for row in rows]

    def _url(self, row: Any, head: str) -> dict[str, Any]:
        priority = self._get("priority", row)
        links = self.alternates_for(row) or {}
        return {
            "item": row,
            "location": f"{head}{self._get('location', row)}",
            "lastmod": self._get("lastmod", row),
            "changefreq": self._get("changefreq", row),
            "priority": "" if priority is None else str(priority),
            "alternates": [{"lang_code": code, "location": f"{head}{path}"} for code, path in links.items()],
        }


class _Pages:
    """As much of a paginator as Django's views ask for; numbers may have gaps."""

    def __init__(self, plan: ServingPlan) -> None:
        self._numbers = [shard.number for shard in plan.listed]
        self.num_pages = max(self._numbers, default=1)

    def number(self, page: Any) -> int:
        try:
            number = int(page)
        except (TypeError, ValueError):
            raise PageNotAnInteger("That page number is not an integer") from None
        if number not in self._numbers:
            raise EmptyPage("That page contains no results")
        return number


class QuerySetSource(KeyedSource):
    """The rows of a keyset sitemap."""

    def __init__(self, sitemap: Sitemap) -> None:
        self._sitemap, self._key = sitemap, sitemap.keyset
        kind = type(sitemap)
        more = ("images", "videos", "news", "alternates_for")
        self._is_plain = all(getattr(kind, name) is getattr(Sitemap, name) for name in more) and not any(
            hasattr(sitemap, name) for name in ("changefreq", "priority")
        )
        if sitemap.i18n:
            raise ImproperlyConfigured(f"{kind.__name__}: a keyset sitemap gives its languages by alternates_for()")

    def extent(self) -> Extent:
        rows = self._rows(None, None)
        ends = [
            rows.order_by(order).values_list(self._key, flat=True).first() for order in (self._key, f"-{self._key}")
        ]
        return Extent(rows.count(), *ends)

    def tally(self, after: Key | None, upto: Key | None) -> Tally:
        wanted = {"count": Count("*")}
        if self._sitemap.date_field is not None:
            wanted["latest"] = Max(self._sitemap.date_field)
        found = self._rows(after, upto).aggregate(**wanted)
        try:
            return Tally(found["count"], to_lastmod(found.get("latest")))
        except DateError:
            return Tally(found["count"])

    def cut(self, after: Key | None, rows: int) -> Key | None:
        """Within the next shard, so the cost does not grow; used when shards are planned, never to serve one."""
        keys = self._rows(after, None).order_by(self._key).values_list(self._key, flat=True)
        key: Key | None = next(iter(keys[rows - 1 : rows]), None)
        return key

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> Iterator[Page]:
        location, lastmod = _reader(self._sitemap, "location"), _reader(self._sitemap, "lastmod")
        with closing(self.raw_rows(after, upto, limit)) as found:  # a row that fails must not leave the cursor open
            if self._is_plain:
                yield from ((location(row), lastmod(row)) for row in found)
            else:
                yield from (self._page(row, location(row), lastmod(row)) for row in found)

    def raw_rows(self, after: Key | None, upto: Key | None, limit: int) -> Generator[Any]:
        rows = self._rows(after, upto).order_by(self._key)
        if self._sitemap.fields:
            rows = rows.values_list(*self._sitemap.fields, named=True)
        found: Generator[Any] = rows[:limit].iterator(chunk_size=CHUNK)
        return found

    def _rows(self, after: Key | None, upto: Key | None) -> QuerySet[Any]:
        items = self._sitemap.items()
        if not isinstance(items, QuerySet):
            raise ImproperlyConfigured(f"{type(self._sitemap).__name__}.items() must return a QuerySet for keyset")
        bounds = {f"{self._key}__gt": after, f"{self._key}__lte": upto}
        return items.order_by().filter(**{name: key for name, key in bounds.items() if key is not None})

    def _page(self, row: Any, location: str, lastmod: Any) -> Page:
        sitemap = self._sitemap
        values = {name: sitemap._get(name, row) for name in ("changefreq", "priority")}  # noqa: SLF001 - Django's protocol
        more = {"images": sitemap.images, "videos": sitemap.videos, "news": sitemap.news}
        values |= {name: read(row) for name, read in more.items()}
        links = sitemap.alternates_for(row)
        return {"loc": location, "lastmod": lastmod, "alternates": links, **values}


def _reader(sitemap: Sitemap, name: str) -> Any:
    value = getattr(sitemap, name)
    return value if callable(value) else lambda _row: value
