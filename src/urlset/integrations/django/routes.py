"""The URLconf → every sitemap dictionary that a sitemap view serves, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver


class Route(NamedTuple):
    route: str
    """as written in the URLconf, with the prefixes of its includes"""
    sitemaps: Mapping[str, Any]
    takes_section: bool
    options: Mapping[str, Any]
    """the other arguments of the view"""


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
            given = dict(pattern.default_args)
            yield Route(route, given.pop("sitemaps"), "section>" in str(pattern.pattern), given)
