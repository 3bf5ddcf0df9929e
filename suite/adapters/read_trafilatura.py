"""trafilatura.sitemaps on the bytes, decoded as its downloads are; with --best also links to other hosts."""

from __future__ import annotations

import logging
from typing import Any

from protocol import BEST, Request, data_of, speak, url_of
from trafilatura.sitemaps import SitemapObject
from trafilatura.utils import decode_file

logging.disable()


def answer(request: Request) -> dict[str, Any]:
    sitemap = SitemapObject("https://example.com", "example.com", [], external=BEST)
    sitemap.current_url = url_of(request)
    sitemap.content = decode_file(data_of(request))
    sitemap.process()
    return {"urls": [{"loc": loc} for loc in (*sitemap.sitemap_urls, *sitemap.urls)], "error": None}


speak(answer)
