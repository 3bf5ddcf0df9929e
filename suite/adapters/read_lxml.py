"""The loop that people write with lxml; with --best its parser recovers and resolves no entities."""

from __future__ import annotations

from typing import Any

from lxml import etree
from protocol import BEST, Request, data_of, speak

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def answer(request: Request) -> dict[str, Any]:
    parser = etree.XMLParser(recover=True, resolve_entities=False, huge_tree=True) if BEST else None
    root = etree.fromstring(data_of(request), parser)
    urls = []
    for entry in root.iter(f"{NAMESPACE}url", f"{NAMESPACE}sitemap"):
        loc, date = entry.findtext(f"{NAMESPACE}loc"), entry.findtext(f"{NAMESPACE}lastmod")
        if loc:
            urls.append({"loc": loc.strip(), "lastmod": date and date.strip()})
    return {"urls": urls, "error": None}


speak(answer)
