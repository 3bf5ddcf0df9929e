"""The official schemas with lxml. The folder of the schemas is the last argument."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from lxml import etree
from protocol import Request, data_of, speak

FOLDER = Path(sys.argv[-1])
SCHEMAS = {
    "urlset": etree.XMLSchema(etree.parse(FOLDER / "sitemap.xsd")),
    "sitemapindex": etree.XMLSchema(etree.parse(FOLDER / "siteindex.xsd")),
}


def answer(request: Request) -> dict[str, Any]:
    root = etree.fromstring(data_of(request), etree.XMLParser(resolve_entities=False, no_network=True))
    schema = SCHEMAS["sitemapindex" if etree.QName(root).localname == "sitemapindex" else "urlset"]
    schema.validate(root)
    return {"error": None, "defects": [{"line": each.line, "text": each.message} for each in schema.error_log]}


speak(answer)
