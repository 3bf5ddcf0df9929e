"""A request → a sitemap or an index: the views of django.contrib.sitemaps with urlset behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Self

from django.contrib.sitemaps import views as django_views
from django.contrib.sites.shortcuts import get_current_site
from django.core.handlers.asgi import ASGIRequest
from django.core.paginator import EmptyPage, PageNotAnInteger
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import path, reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import http_date

from urlset.building.robots_lines import corrected
from urlset.integrations.calls import batches
from urlset.integrations.django import classes
from urlset.integrations.django.classes import QuerySetSource, Sitemap
from urlset.integrations.http import GZIP, TEXT, FinishedFile, etag_of
from urlset.model.entry import IndexEntry
from urlset.workflows.library.build import SitemapStream
from urlset.writing.gzip import compress
from urlset.writing.urlset import compact, write_index

SITEMAP_URL_NAME = "django.contrib.sitemaps.views.sitemap"
_TEMPLATE, _INDEX_TEMPLATE = "sitemap.xml", "sitemap_index.xml"
# Kept from the import on: a project may point Django's own names to these views.
_django_sitemap, _django_index = django_views.sitemap, django_views.index


def sitemap(
    request: HttpRequest,
    sitemaps: Mapping[str, Any] | None = None,
    section: str | None = None,
    template_name: str = _TEMPLATE,
    content_type: str = "application/xml",
    *,
    gzip: bool = False,
) -> HttpResponseBase:
    """The pages of one section, or of all; `gzip` for the view of a `.xml.gz` path.

    A template of your own, given by name or found before Django's, is rendered by Django's view.
    """
    maps = _sitemaps(request, sitemaps)
    if section is not None and section not in maps:
        raise Http404(f"No sitemap available for section: {section!r}")
    if _is_customized(template_name, _TEMPLATE):
        response: HttpResponseBase = _django_sitemap(request, maps, section, template_name, content_type)
        return response
    chosen = maps[section] if section is not None else None
    if isinstance(chosen, Sitemap) and not _is_overridden(chosen):
        return _robots_tag(_shard(request, chosen, section or "", content_type, gzip=gzip))
    return _robots_tag(_page(request, list(maps.values()) if chosen is None else [chosen], content_type, gzip=gzip))


def index(
    request: HttpRequest,
    sitemaps: Mapping[str, Any],
    template_name: str = _INDEX_TEMPLATE,
    content_type: str = "application/xml",
    sitemap_url_name: str = SITEMAP_URL_NAME,
    *,
    gzip: bool = False,
) -> HttpResponseBase:
    """Every page of every section, with its date."""
    maps = _sitemaps(request, sitemaps)
    if _is_customized(template_name, _INDEX_TEMPLATE):
        response: HttpResponseBase = _django_index(request, maps, template_name, content_type, sitemap_url_name)
        return response
    host = get_current_site(request).domain
    children: list[IndexEntry] = []
    latest, has_dates = None, True
    for section, site in maps.items():
        address = f"{site.protocol or request.scheme}://{host}{reverse(sitemap_url_name, kwargs={'section': section})}"
        date: Any
        if isinstance(site, Sitemap) and not _is_overridden(site):
            shards = site.plan(section, host).listed
            children += [IndexEntry(_numbered(address, each.number), each.tally.latest) for each in shards]
            date = max((each.modified for each in shards), default=0.0) or None
            date = None if date is None else classes.moment(date)
        else:
            date = classes.latest_of(site)
            pages = range(1, site.paginator.num_pages + 1)
            children += [IndexEntry(_numbered(address, number), classes.lastmod_text(date)) for number in pages]
        has_dates = has_dates and date is not None
        latest = classes.newest(latest, date) if has_dates else None
    return _robots_tag(_whole(request, map(compact, write_index(children)), content_type, latest, gzip=gzip))


def robots(request: HttpRequest, sitemap_path: str = "/sitemap.xml", rules: str = "") -> HttpResponse:
    """robots.txt with the line that names the index; `rules` are your own lines."""
    url = f"{request.scheme}://{get_current_site(request).domain}{sitemap_path}"
    return HttpResponse(corrected(rules.encode() or None, [url], create=True).data or b"", TEXT)


def urls(sitemaps: Mapping[str, Any]) -> list[Any]:
    """Patterns for the index, its sections and their .gz twins, to include at the root of the site."""
    given = {"sitemaps": sitemaps}
    return [
        path("sitemap.xml", index, given),
        path("sitemap.xml.gz", index, {**given, "gzip": True}),
        path("sitemap-<section>.xml", sitemap, given, name=SITEMAP_URL_NAME),
        path("sitemap-<section>.xml.gz", sitemap, {**given, "gzip": True}),
    ]


def _page(request: HttpRequest, sites: Iterable[Any], content_type: str, *, gzip: bool) -> HttpResponseBase:
    """Classes of Django: their own methods give the pages, in one piece, so cache_page keeps working."""
    number = request.GET.get("p", 1)
    latest, has_dates = None, True
    rendering = SitemapStream(declare=("xhtml",), any_host=True, one_line=True)
    chunks: list[bytes] = []
    for site in sites:
        try:
            found = site.get_urls(page=number, site=get_current_site(request), protocol=request.scheme)
        except EmptyPage:
            raise Http404(f"Page {number} empty") from None
        except PageNotAnInteger:
            raise Http404(f"No page '{number}'") from None
        date = getattr(site, "latest_lastmod", None)
        has_dates = has_dates and date is not None
        latest = classes.newest(latest, date) if has_dates else None
        chunks += map(rendering.feed, batches(classes.pages(found)))
    chunks.append(rendering.finish(request.path))
    return _whole(request, chunks, content_type, latest, gzip=gzip)


def _shard(request: HttpRequest, site: Sitemap, section: str, content_type: str, *, gzip: bool) -> HttpResponseBase:
    host = get_current_site(request).domain
    plan = site.plan(section, host)
    number = request.GET.get("p", "1")
    found = plan.shard(int(number)) if number.isascii() and number.isdigit() and len(number) < 19 else None
    if found is None or not found.tally.count:
        raise Http404(f"Page {number} empty" if number.isdigit() else f"No page '{number}'")
    protocol = site.get_protocol(request.scheme)
    tally = found.tally
    etag = etag_of(protocol, host, section, found.number, found.after, found.upto, tally.count, tally.latest, gzip)
    response = StreamingHttpResponse((), content_type=GZIP if gzip else content_type)
    patch_cache_control(response, public=True, max_age=int(site.refresh))
    answer = _conditional(request, response, etag, int(found.modified) or None)
    if answer is response:
        file = FinishedFile()
        if request.method != "HEAD":
            rows = QuerySetSource(site).rows(found.after, found.upto, plan.most_rows(found))
            rendering = SitemapStream(f"{protocol}://{host}", gzip=gzip)
            with FinishedFile.making() as file:
                for batch in batches(rows):
                    file.write(rendering.feed(batch))
                file.finish(rendering.finish(request.path))
            response.headers["Content-Length"] = str(len(file))
        response.streaming_content = _AsyncFile(file) if isinstance(request, ASGIRequest) else file
    return answer


def _whole(request: HttpRequest, chunks: Iterable[bytes], content_type: str, latest: Any, *, gzip: bool) -> Any:
    data = b"".join(compress(chunks) if gzip else chunks)
    response = HttpResponse(data, GZIP if gzip else content_type)
    etag = etag_of(blake2b(data).hexdigest(), weak=False)
    return _conditional(request, response, etag, None if latest is None else int(latest.timestamp()))


def _conditional(request: HttpRequest, response: HttpResponseBase, etag: str, modified: int | None) -> Any:
    response.headers["ETag"] = etag
    if modified is not None:
        response.headers["Last-Modified"] = http_date(modified)
    return get_conditional_response(request, etag, modified, response)


class _AsyncFile:
    """Under ASGI Django warns about an iterator that is not async, and reads all of it into memory."""

    def __init__(self, file: FinishedFile) -> None:
        self._file, self.close = file, file.close

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        for chunk in self._file:
            return chunk
        raise StopAsyncIteration


def _sitemaps(request: HttpRequest, sitemaps: Mapping[str, Any] | None) -> dict[str, Any]:
    if sitemaps is None:  # as in Wagtail's view
        from wagtail.contrib.sitemaps import Sitemap as WagtailSitemap

        sitemaps = {"wagtail": WagtailSitemap}
    return {name: classes.instance(site, request) for name, site in sitemaps.items()}


def _is_customized(name: str, usual: str) -> bool:
    if name != usual:
        return True
    try:
        origin = get_template(name).origin
    except TemplateDoesNotExist:
        return False
    template = getattr(origin, "name", "")
    return "/contrib/sitemaps/templates/" not in str(template).replace("\\", "/")


def _is_overridden(site: Sitemap) -> bool:
    """Whether the class overrides how its pages are listed."""
    kind = type(site)
    return kind.get_urls is not Sitemap.get_urls or kind._urls is not Sitemap._urls  # noqa: SLF001 - Django's protocol


def _numbered(address: str, number: int) -> str:
    return address if number == 1 else f"{address}?p={number}"


def _robots_tag(response: HttpResponseBase) -> HttpResponseBase:
    response.headers["X-Robots-Tag"] = "noindex, noodp, noarchive"
    return response
