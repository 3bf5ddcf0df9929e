"""Sitemap classes of django.contrib.sitemaps → pages and index entries, through their own methods."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.utils import timezone

from urlset.building.entry_lines import Page
from urlset.building.sources.dates import DateError, to_lastmod
from urlset.model.entry import Entry
from urlset.model.media import NOTHING, Alternate, Media

CHUNK = 2_000
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
            yield {"loc": url["location"], "lastmod": _date(url.get("lastmod")), "alternates": _links(url),
                   **{name: url.get(name) for name in ("changefreq", "priority", *_MORE)}}  # fmt: skip
            continue
        links = url.get("alternates")
        priority = url.get("priority")
        yield Entry(
            str(url["location"]),
            _date(url.get("lastmod")),
            url.get("changefreq") or None,
            None if priority is None or priority == "" else str(priority),
            Media(alternates=tuple(Alternate(*pair) for pair in _links(url).items())) if links else NOTHING,
        )


def _links(url: Mapping[str, Any]) -> dict[str, str]:
    return {str(link["lang_code"]): str(link["location"]) for link in url.get("alternates") or ()}


def _date(value: object) -> str | None:
    """A time without a zone is kept to the day: Django writes it, and no parser knows which moment it is."""
    try:
        return to_lastmod(value)
    except DateError:
        return None


def latest_of(site: Any) -> Any:
    """`get_latest_lastmod`; Django's own reads every object into a list, which is not needed for a maximum."""
    if type(site).get_latest_lastmod is not Sitemap.get_latest_lastmod:
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


def lastmod_text(value: object) -> str | None:
    return _date(value)


def moment(seconds: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(seconds, dt.UTC)
