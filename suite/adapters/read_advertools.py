"""advertools.sitemap_to_df, without fetching the children of an index."""

from __future__ import annotations

import logging
from typing import Any

from advertools import sitemap_to_df
from protocol import Loopback, Request, speak

logging.disable()
SERVER = Loopback()


def answer(request: Request) -> dict[str, Any]:
    frame = sitemap_to_df(SERVER.url(request), max_workers=1, recursive=False)
    errors = [str(each) for each in frame.get("errors", []) if isinstance(each, str)]
    dates = frame["lastmod"] if "lastmod" in frame else [None] * len(frame)
    column = frame["loc"] if "loc" in frame else frame.get("sitemap", [])
    urls = [
        {"loc": loc, "lastmod": None if str(date) in ("NaT", "nan", "None") else str(date)}
        for loc, date in zip(column, dates, strict=False)
        if isinstance(loc, str) and "127.0.0.1" not in loc
    ]
    return {"urls": urls, "error": "; ".join(errors) or None}


speak(answer)
