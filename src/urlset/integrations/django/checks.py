"""The sitemap classes of a project → messages of `manage.py check`, before a crawler meets the problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.sitemaps import Sitemap as DjangoSitemap
from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Caution
from django.core.exceptions import FieldDoesNotExist
from django.db.models import QuerySet

from urlset.integrations.django.classes import Sitemap, instance, sections
from urlset.spec.protocol import MAX_URLS


def check_sitemaps(**_kwargs: Any) -> list[CheckMessage]:
    """Nothing is read from the database."""
    return [message for name, site in sections().items() for message in _messages(name, site)]


def _messages(name: str, given: Any) -> Iterator[CheckMessage]:
    try:
        site = instance(given)
    except TypeError:  # a factory that needs a request
        return
    if not isinstance(site, DjangoSitemap):
        return
    if site.limit > MAX_URLS:
        yield Error(
            f"sitemap section {name!r}: limit is {site.limit:,}",
            hint=f"A sitemap lists at most {MAX_URLS:,} URLs.",
            obj=type(site),
            id="urlset.E001",
        )
    try:
        items = site.items()
    except Exception:  # noqa: BLE001 - it may need a request, a site or a table that is not there yet
        return
    if isinstance(site, Sitemap):
        yield from _keyset(name, site, items)
    elif isinstance(items, QuerySet):
        yield from _classic(name, site, items)


def _classic(name: str, site: Any, items: QuerySet[Any]) -> Iterator[CheckMessage]:
    if not items.ordered:
        yield Caution(
            f"sitemap section {name!r}: the queryset has no order",
            hint="Pages can move between files or get lost. Add order_by('pk'), or use the keyset class of urlset.",
            obj=type(site),
            id="urlset.W001",
        )
    own = type(site).get_latest_lastmod is not DjangoSitemap.get_latest_lastmod
    if callable(getattr(site, "lastmod", None)) and not own:
        yield Caution(
            f"sitemap section {name!r}: the index reads every object to find the latest lastmod",
            hint="Define get_latest_lastmod(), or use the keyset class of urlset with date_field.",
            obj=type(site),
            id="urlset.W002",
        )


def _keyset(name: str, site: Sitemap, items: Any) -> Iterator[CheckMessage]:
    if not isinstance(items, QuerySet):
        yield Error(
            f"sitemap section {name!r}: items() returns {type(items).__name__}, and keyset needs a QuerySet",
            obj=type(site),
            id="urlset.E002",
        )
        return
    options = items.model._meta  # noqa: SLF001 - Django's documented interface
    annotated = items.query.annotations
    for field in (site.keyset, site.date_field, *site.fields):
        if field is None or field == "pk" or field in annotated or "__" in field:
            continue
        try:
            options.get_field(field)
        except FieldDoesNotExist:
            yield Error(
                f"sitemap section {name!r}: {items.model.__name__} has no field {field!r}",
                obj=type(site),
                id="urlset.E003",
            )
            return
    key = options.pk if site.keyset == "pk" else None
    if key is None and site.keyset not in annotated and "__" not in site.keyset:
        key = options.get_field(site.keyset)
    if key is not None and not key.unique:
        yield Error(
            f"sitemap section {name!r}: keyset field {site.keyset!r} is not unique",
            hint="Rows that share a key could be left out between two files. Use 'pk' or a unique field.",
            obj=type(site),
            id="urlset.E004",
        )
