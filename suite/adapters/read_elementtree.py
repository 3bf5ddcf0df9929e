"""The loop that people write with xml.etree."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from protocol import Request, data_of, speak

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def answer(request: Request) -> dict[str, Any]:
    root = ET.fromstring(data_of(request))
    urls = []
    for entry in (*root.iter(f"{NAMESPACE}url"), *root.iter(f"{NAMESPACE}sitemap")):
        loc, date = entry.findtext(f"{NAMESPACE}loc"), entry.findtext(f"{NAMESPACE}lastmod")
        if loc:
            urls.append({"loc": loc.strip(), "lastmod": date and date.strip()})
    return {"urls": urls, "error": None}


speak(answer)
