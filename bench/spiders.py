"""A site → JSON lines, by Scrapy: every page of the sitemap with what an audit needs, or every page that links reach.

python -m bench.spiders audit|crawl ADDRESS OUT

As a careful user would write and set it up: no log, no telnet, no cookies, no delay, no statistics, the same number
of requests at a time as urlset. The frontier stays in memory, where urlset keeps its own on disk.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

CONCURRENCY = 8
SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": CONCURRENCY,
    "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
    "DOWNLOAD_DELAY": 0,
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "STATS_DUMP": False,
    "LOGSTATS_INTERVAL": 0,
    "HTTPERROR_ALLOW_ALL": True,
    "USER_AGENT": "bench",
}
MARKUP_DATES = "article:modified_time", "article:published_time", "og:updated_time"


def audit(address: str) -> type:
    base: Any = import_module("scrapy.spiders").SitemapSpider

    class Audit(base):  # type: ignore[misc]
        name = "audit"
        sitemap_urls = (f"{address}/robots.txt",)

        def parse(self, response: Any) -> Iterator[dict[str, Any]]:
            yield page_facts(response)

    return Audit


def page_facts(response: Any) -> dict[str, Any]:
    """What `urlset audit` wants to know of a page, without the parts it keeps to compare pages by."""
    head = response.xpath("/html/head")
    words = response.xpath(
        "/html/body//text()[not(parent::script or parent::style or parent::noscript or parent::template)]"
    )
    return {
        "url": response.url,
        "status": response.status,
        "redirects": response.meta.get("redirect_urls", []),
        "bytes": len(response.body),
        "type": response.headers.get("Content-Type", b"").decode("latin-1"),
        "last_modified": response.headers.get("Last-Modified", b"").decode("latin-1"),
        "header_robots": [each.decode("latin-1") for each in response.headers.getlist("X-Robots-Tag")],
        "header_links": [each.decode("latin-1") for each in response.headers.getlist("Link")],
        "title": head.xpath("title/text()").get(),
        "language": response.xpath("/html/@lang").get(),
        "canonical": head.xpath('link[@rel="canonical"]/@href').getall(),
        "robots": head.xpath('meta[@name="robots" or @name="googlebot"]/@content').getall(),
        "refresh": head.xpath('meta[@http-equiv="refresh"]/@content').get(),
        "alternates": [
            (each.attrib.get("hreflang"), each.attrib.get("href"))
            for each in head.xpath('link[@rel="alternate"][@hreflang]')
        ],
        "dates": list(dates_of(response)),
        "words": sum(len(text.split()) for text in words.getall()),
    }


def dates_of(response: Any) -> Iterator[str]:
    for text in response.xpath('//script[@type="application/ld+json"]/text()').getall():
        value = json.loads(text)
        yield from (value[name] for name in ("dateModified", "datePublished") if name in value)
    for meta in response.xpath("/html/head/meta[@property]"):
        if meta.attrib["property"] in MARKUP_DATES:
            yield meta.attrib.get("content", "")
    yield from response.xpath("//time/@datetime").getall()


def crawl(address: str) -> type:
    spiders: Any = import_module("scrapy.spiders")
    extractor = import_module("scrapy.linkextractors").LinkExtractor

    class Crawl(spiders.CrawlSpider):  # type: ignore[misc]
        name = "crawl"
        start_urls = (f"{address}/",)
        rules = (spiders.Rule(extractor(allow_domains=(urlsplit(address).netloc,)), callback="page", follow=True),)

        def page(self, response: Any) -> Iterator[dict[str, Any]]:
            yield {
                "url": response.url,
                "status": response.status,
                "depth": response.meta.get("depth", 0),
                "referer": response.request.headers.get("Referer", b"").decode("latin-1"),
                "bytes": len(response.body),
                "title": response.xpath("/html/head/title/text()").get(),
                "canonical": response.xpath('/html/head/link[@rel="canonical"]/@href').get(),
                "robots": response.xpath('/html/head/meta[@name="robots"]/@content').get(),
            }

    return Crawl


def main(task: str, address: str, out: str) -> None:
    process = import_module("scrapy.crawler").CrawlerProcess
    running = process(settings=SETTINGS | {"FEEDS": {out: {"format": "jsonlines", "overwrite": True}}})
    running.crawl({"audit": audit, "crawl": crawl}[task](address))
    running.start()


if __name__ == "__main__":
    main(*sys.argv[1:4])
