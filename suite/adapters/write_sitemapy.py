"""sitemapy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protocol import Request, speak
from sitemapy import ImageEntry, Sitemap, URLEntry


def answer(request: Request) -> dict[str, Any]:
    sitemap = Sitemap()
    for row in json.loads(Path(request["path"]).read_text(encoding="utf-8"))["rows"]:
        entry = URLEntry(**{name: row[name] for name in ("loc", "lastmod", "changefreq", "priority") if name in row})
        entry.add_alternates([dict(link) for link in row.get("alternates", [])])
        if row.get("images"):
            entry.images = [ImageEntry(loc=image) for image in row["images"]]
        sitemap.add_url(entry)
    sitemap.write_to_file(str(Path(request["out"], "sitemap.xml")))
    return {"files": ["sitemap.xml"], "writes": ["images", "alternates"]}


speak(answer)
