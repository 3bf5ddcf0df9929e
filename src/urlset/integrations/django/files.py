"""The sitemap views of a project → the files a crawler would fetch, one at a time, without a server."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from django.apps import apps
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.core.management.base import CommandError
from django.http.response import HttpResponseBase
from django.test import RequestFactory
from django.urls import Resolver404, resolve

from urlset.integrations.django.classes import QuerySetSource, Route, Sitemap, instance, pages, routes, sections
from urlset.spec.lazy_pattern import lazy_pattern

_SECTION = lazy_pattern(r"<(?:[a-z]+:)?section>|\(\?P<section>[^()]*\)")
_PARAMETER = lazy_pattern(r"[<(\[]")


class File(NamedTuple):
    url: str
    data: bytes


class DjangoSite(NamedTuple):
    scheme: str
    domain: str

    @classmethod
    def of(cls, base_url: str | None) -> DjangoSite:
        """What the command was given, else the sites framework, else the first host that is allowed."""
        if base_url is not None:
            parts = urlsplit(base_url)
            if parts.scheme not in ("http", "https") or not parts.netloc:
                raise CommandError(f"--base-url {base_url!r} is not an http or https URL")
            return cls(parts.scheme, parts.netloc)
        if apps.is_installed("django.contrib.sites"):
            return cls("https", get_current_site(None).domain)
        hosts = [host for host in settings.ALLOWED_HOSTS if "*" not in host and not host.startswith(".")]
        if not hosts:
            raise CommandError("the host is unknown; give it with --base-url https://www.example.com")
        return cls("https", hosts[0])

    def request(self, path: str) -> Any:
        secure = self.scheme == "https"
        return RequestFactory().get(path, secure=secure, headers={"host": self.domain})

    def fetch(self, path: str) -> File:
        request = self.request(path)
        match = resolve(urlsplit(path).path)
        response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        render = getattr(response, "render", None)
        if callable(render):
            response = render()
        data = b"".join(response) if response.streaming else response.content
        return File(f"{self.scheme}://{self.domain}{path}", data)


def files(site: DjangoSite, wanted: Collection[str]) -> Iterator[File]:
    """The files of the wanted sections, or everything that any sitemap view serves."""
    seen: set[str] = set()
    for route in routes():
        for path in _paths(site, route, wanted):
            if path not in seen and not path.endswith(".gz"):
                seen.add(path)
                try:
                    yield site.fetch(path)
                except Resolver404 as error:
                    raise CommandError(f"{path}: no view answers") from error


def _paths(site: DjangoSite, route: Route, wanted: Collection[str]) -> Iterator[str]:
    """Those of one view; a route with other parameters cannot be filled in."""
    if not route.takes_section:
        if not wanted and _PARAMETER.search(route.route) is None:
            yield f"/{route.route}"
        return
    for name, given in route.sitemaps.items():
        path = _SECTION.sub(lambda _: quote(name), f"/{route.route}")  # noqa: B023 - called at once
        if (not wanted or name in wanted) and _PARAMETER.search(path) is None:
            found = instance(given, site.request("/"))
            if isinstance(found, Sitemap):
                numbers = [shard.number for shard in found.plan(name, site.domain).listed]
            else:
                numbers = list(range(1, found.paginator.num_pages + 1))
            yield from (path if number == 1 else f"{path}?p={number}" for number in numbers)


def rows(site: DjangoSite, wanted: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Every page of the wanted sections, or of all, with the name of its section."""
    known = sections()
    unknown = sorted(set(wanted) - known.keys())
    if unknown:
        raise CommandError(f"no section is called {unknown[0]!r}; there are {', '.join(sorted(known)) or 'none'}")
    for name, given in known.items():
        if wanted and name not in wanted:
            continue
        request = site.request("/")
        found = instance(given, request)
        if isinstance(found, Sitemap):
            for page in QuerySetSource(found).rows(None, None, 1 << 62):
                yield name, page
            continue
        for number in range(1, found.paginator.num_pages + 1):
            urls = found.get_urls(page=number, site=get_current_site(request), protocol=site.scheme)
            for page in pages(urls):
                yield name, page
