"""ultimate-sitemap-parser through its own web client interface, as `sitemap_tree_for_homepage` uses it."""

from __future__ import annotations

import logging
from typing import Any

from protocol import Request, data_of, speak, url_of
from usp.fetch_parse import SitemapFetcher
from usp.web_client.abstract_client import (
    AbstractWebClient,
    AbstractWebClientResponse,
    AbstractWebClientSuccessResponse,
    WebClientErrorResponse,
)

logging.disable()


class Missing(WebClientErrorResponse):
    pass


class Found(AbstractWebClientSuccessResponse):
    def __init__(self, url: str, data: bytes) -> None:
        self._url, self._data = url, data

    def status_code(self) -> int:
        return 200

    def status_message(self) -> str:
        return "OK"

    def header(self, case_insensitive_name: str) -> str | None:
        types = {".gz": "application/gzip", "txt": "text/plain"}
        return types.get(self._url[-3:], "application/xml") if case_insensitive_name.lower() == "content-type" else None

    def raw_data(self) -> bytes:
        return self._data

    def url(self) -> str:
        return self._url


class OneFile(AbstractWebClient):
    def __init__(self, url: str, data: bytes) -> None:
        self._url, self._data = url, data

    def set_max_response_data_length(self, max_response_data_length: int | None) -> None:
        pass

    def get(self, url: str) -> AbstractWebClientResponse:
        return Found(url, self._data) if url == self._url else Missing("not part of the case", retryable=False)


def answer(request: Request) -> dict[str, Any]:
    url = url_of(request)
    tree = SitemapFetcher(url, 0, OneFile(url, data_of(request))).sitemap()
    if type(tree).__name__ == "InvalidSitemap":
        return {"urls": [], "error": tree.reason}
    children = getattr(tree, "sub_sitemaps", [])
    if children:
        return {"urls": [{"loc": child.url} for child in children], "error": None}
    is_feed = "RSS" in type(tree).__name__ or "Atom" in type(tree).__name__
    return {"urls": [{"loc": page.url, "lastmod": date_of(page, is_feed)} for page in tree.pages], "error": None}


def date_of(page: Any, is_feed: bool) -> str | None:
    """Items of feeds have their date as that of a news story."""
    story = page.news_story if is_feed else None
    found = page.last_modified or (story and story.publish_date)
    return found.isoformat() if found else None


speak(answer)
