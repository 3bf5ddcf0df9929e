"""site-map-parser."""

from __future__ import annotations

import logging
from typing import Any

from protocol import Loopback, Request, speak
from sitemapparser import SiteMapParser

logging.disable()
SERVER = Loopback()


def answer(request: Request) -> dict[str, Any]:
    parser = SiteMapParser(SERVER.url(request))
    found = parser.get_sitemaps() if parser.has_sitemaps() else parser.get_urls()
    urls = [{"loc": each.loc, "lastmod": each.lastmod and each.lastmod.isoformat()} for each in found]
    return {"urls": urls, "error": None}


speak(answer)
