"""Scrapy: what SitemapSpider reads from a response, and what it would request next."""

from __future__ import annotations

import logging
from typing import Any

import scrapy
from protocol import Request, data_of, is_robots, speak, url_of
from scrapy.http import Response, TextResponse, XmlResponse
from scrapy.spiders import SitemapSpider
from scrapy.utils.test import get_crawler

logging.disable()


class Spider(SitemapSpider):
    """Keeps what a project would filter: the entries as dictionaries."""

    name = "suite"
    seen: tuple[dict[str, Any], ...] = ()

    def sitemap_filter(self, entries: Any) -> Any:
        self.seen = tuple(entries)
        return iter(self.seen)


def answer(request: Request) -> dict[str, Any]:
    url, spider = url_of(request), Spider.from_crawler(get_crawler(Spider))
    kind = TextResponse if is_robots(request) else XmlResponse if url.endswith(".xml") else Response
    found = list(spider._parse_sitemap(kind(url, body=data_of(request), request=scrapy.Request(url))))
    if is_robots(request):
        return {"urls": [{"loc": each.url} for each in found], "error": None}
    urls = [{"loc": entry["loc"], "lastmod": entry.get("lastmod")} for entry in spider.seen if "loc" in entry]
    return {"urls": urls, "error": None}


speak(answer)
