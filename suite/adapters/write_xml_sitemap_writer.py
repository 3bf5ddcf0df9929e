"""xml-sitemap-writer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protocol import Request, speak
from xml_sitemap_writer import XMLSitemap


def answer(request: Request) -> dict[str, Any]:
    rows = json.loads(Path(request["path"]).read_text(encoding="utf-8"))["rows"]
    out = Path(request["out"])
    with XMLSitemap(path=str(out), root_url="https://example.com") as sitemap:
        sitemap.add_section("pages")
        for row in rows:
            values = {"priority": str(row["priority"]) if "priority" in row else None}
            values |= {"changefreq": row.get("changefreq"), "lastmod": row.get("lastmod")}
            sitemap.add_url(row["loc"].removeprefix("https://example.com"), **values)
    return {"files": sorted(path.name for path in out.iterdir()), "writes": []}


speak(answer)
