"""urlset: reads and checks each case in one process."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import urlset

NEWS = ("name", "language", "publication_date", "title")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    data = Path(request["path"]).read_bytes()
    name = "robots.txt" if request["case"].startswith("robots/") else Path(request["path"]).name
    document = urlset.read(data, name=name, url=request.get("url"))
    now = datetime.fromisoformat(request.get("now", "2026-11-15T12:00:00+00:00"))
    verdict = urlset.check(document, now=now)
    if document.robots is not None:
        urls = [{"loc": line.value} for line in document.robots.sitemaps]
    else:
        urls = [url_of(entry) for entry in document if entry.loc]
    defects = [
        {"line": finding.line, "severity": finding.severity.value, "text": f"{finding.code} {finding.message}"}
        for finding in verdict.findings
    ]
    return {"urls": urls, "kind": document.kind.value, "error": None, "defects": defects}


def url_of(entry: Any) -> dict[str, Any]:
    url = {"loc": entry.loc, "lastmod": entry.lastmod}
    media = getattr(entry, "media", None)
    if not media:
        return url
    return url | {
        "images": [image.loc for image in media.images],
        "alternates": [
            {"hreflang": link.hreflang, "href": link.href} for link in media.alternates if is_translation(link)
        ],
        "videos": [{"title": video.title, "thumbnail_loc": video.thumbnail_loc} for video in media.videos],
        "news": {name: getattr(entry.news, name) for name in NEWS} if entry.news else None,
    }


def is_translation(link: Any) -> bool:
    return bool(link.hreflang and link.href) and "alternate" in (link.rel or "").lower().split()


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"case": asked["case"], **answer(asked)}), flush=True)
