"""Sitemap classes: the keyset class of urlset, those of django.contrib.sitemaps, and where a project serves them.

The keyset class has a key, and shards are ranges of keys: a page stays in its file, and a shard reads only its rows.

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

import datetime as dt
from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import blake2b
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.sitemaps import Sitemap as DjangoSitemap
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured
from django.core.paginator import EmptyPage, PageNotAnInteger
from django.db import connections
from django.db.models import Count, Max, QuerySet
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from urlset.building.entry_lines import Page
from urlset.building.sources.cells import DateError, to_lastmod
from urlset.integrations.keyed import Extent, Key, KeyedSource, Tally
from urlset.integrations.plan import ServedSection, ServingPlan
from urlset.integrations.store import Keeper
from urlset.model.entry import NOTHING, Alternate, Entry, Media

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
        return Tally(found["count"], lastmod_text(found.get("latest")))

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


# Plans of keyset sitemaps, kept in Django's cache so every process answers by the same one.

_MOST = 256
"""sections times hosts: a Host header must not fill the memory"""
_keepers: OrderedDict[str, Keeper] = OrderedDict()


class CacheStore:
    """`URLSET_CACHE` names the cache; "default" otherwise."""

    def __init__(self, key: str) -> None:
        self._key = f"urlset-plan-{key}"

    def load(self, _name: str) -> bytes | None:
        found: bytes | None = self._cache.get(self._key)
        return found

    def save(self, _name: str, data: bytes) -> None:
        self._cache.set(self._key, data, None)

    @property
    def _cache(self) -> Any:
        return caches[getattr(settings, "URLSET_CACHE", "default")]


def keeper_of(sitemap: Any, source: KeyedSource, section: str, domain: str) -> Keeper:
    """Of a keyset sitemap; one per class, section and host."""
    kind = type(sitemap)
    name = f"{kind.__module__}.{kind.__qualname__}|{section}|{domain}|{sitemap.limit}|{sitemap.keyset}"
    key = blake2b(name.encode(), digest_size=16).hexdigest()
    keeper = _keepers.get(key)
    if keeper is None:
        planned = ServedSection("plan", source, sitemap.limit)
        refresh = getattr(settings, "URLSET_REFRESH", sitemap.refresh)
        base = f"https://{domain or 'localhost'}"
        keeper = _keepers[key] = Keeper(planned, base, refresh, CacheStore(key), _own_connections, shared=True)
        while len(_keepers) > _MOST:
            _keepers.popitem(last=False)
    return keeper


@contextmanager
def _own_connections() -> Iterator[None]:
    """A thread opens its own connections, and nothing else closes them."""
    try:
        yield
    finally:
        connections.close_all()


# Sitemap classes of django.contrib.sitemaps → pages and index entries, through their own methods.
_WAGTAIL = "wagtail.contrib.sitemaps"
_MORE = ("images", "videos", "news")


def instance(site: Any, request: Any = None) -> Any:
    """The values of `sitemaps` are classes or instances; Wagtail's classes take the request."""
    if not callable(site):
        return site
    bases = getattr(site, "__mro__", ())
    wants_request = any(base.__module__.startswith(_WAGTAIL) for base in bases)
    return site(request) if wants_request else site()


def pages(urls: Iterable[Mapping[str, Any]]) -> Iterator[Page]:
    """The dicts of `get_urls`; `images`, `videos` and `news` are read as well where a class adds them."""
    for url in urls:
        if any(url.get(name) for name in _MORE):
            yield {"loc": url["location"], "lastmod": lastmod_text(url.get("lastmod")), "alternates": _links(url),
                   **{name: url.get(name) for name in ("changefreq", "priority", *_MORE)}}  # fmt: skip
            continue
        links = url.get("alternates")
        priority = url.get("priority")
        yield Entry(
            str(url["location"]),
            lastmod_text(url.get("lastmod")),
            url.get("changefreq") or None,
            None if priority is None or priority == "" else str(priority),
            Media(alternates=tuple(Alternate(*pair) for pair in _links(url).items())) if links else NOTHING,
        )


def _links(url: Mapping[str, Any]) -> dict[str, str]:
    return {str(link["lang_code"]): str(link["location"]) for link in url.get("alternates") or ()}


def lastmod_text(value: object) -> str | None:
    """A time without a zone is kept to the day: Django writes it, and no parser knows which moment it is."""
    try:
        return to_lastmod(value)
    except DateError:
        return None


def latest_of(site: Any) -> Any:
    """`get_latest_lastmod`; Django's own reads every object into a list, which is not needed for a maximum."""
    if type(site).get_latest_lastmod is not DjangoSitemap.get_latest_lastmod:
        return site.get_latest_lastmod()
    lastmod = getattr(site, "lastmod", None)
    if not callable(lastmod):
        return lastmod
    items = site.items()
    rows = items.iterator(chunk_size=CHUNK) if isinstance(items, QuerySet) else items
    try:
        return max(map(lastmod, rows), default=None)
    except TypeError:  # an object without a date
        return None


def newest(current: dt.datetime | None, value: Any) -> dt.datetime:
    """The later of two, dates and times alike; what has no zone counts as UTC, as in Django."""
    if not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time.min)
    if timezone.is_naive(value):
        value = timezone.make_aware(value, dt.UTC)
    found: dt.datetime = value if current is None else max(current, value)
    return found


def moment(seconds: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(seconds, dt.UTC)


# The URLconf → every sitemap dictionary that a sitemap view serves, and where.


class Route(NamedTuple):
    route: str
    """as written in the URLconf, with the prefixes of its includes"""
    sitemaps: Mapping[str, Any]
    takes_section: bool


def routes() -> list[Route]:
    """Of views of urlset, Django, Wagtail or any other that is given `sitemaps`; each dictionary once per path."""
    return list(_walk(get_resolver().url_patterns, ""))


def sections() -> dict[str, Any]:
    """Every section of the project, by name; the first of a name counts."""
    found: dict[str, Any] = {}
    for route in routes():
        for name, site in route.sitemaps.items():
            found.setdefault(name, site)
    return found


def _walk(patterns: Any, prefix: str) -> Iterator[Route]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and isinstance(pattern.default_args.get("sitemaps"), Mapping):
            yield Route(route, pattern.default_args["sitemaps"], "section>" in str(pattern.pattern))
