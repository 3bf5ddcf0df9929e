"""feedparser, for feeds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import feedparser
from protocol import Request, data_of, speak


def answer(request: Request) -> dict[str, Any]:
    feed = feedparser.parse(data_of(request))
    urls = []
    for entry in feed.entries:
        moment = entry.get("updated_parsed") or entry.get("published_parsed")
        if entry.get("link"):
            date = moment and datetime(*moment[:6], tzinfo=UTC).isoformat()
            urls.append({"loc": entry["link"], "lastmod": date})
    return {"urls": urls, "error": str(feed.bozo_exception) if feed.bozo else None}


speak(answer)
