"""flask-sitemapper: one route for each page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from flask import Flask
from flask_sitemapper import Sitemapper
from protocol import Request, speak


def answer(request: Request) -> dict[str, Any]:
    app = Flask(__name__)
    app.config["SERVER_NAME"] = "example.com"
    sitemapper = Sitemapper(app)
    app.add_url_rule("/<path:rest>", "page", lambda rest: rest)
    app.add_url_rule("/", "home", lambda: "")
    for row in json.loads(Path(request["path"]).read_text(encoding="utf-8"))["rows"]:
        parts = urlsplit(row["loc"])
        rest, query = unquote(parts.path[1:]), {name: [value] for name, value in parse_qsl(parts.query)}
        values = {name: row[name] for name in ("lastmod", "changefreq", "priority") if name in row}
        if rest or query:  # a dynamic route takes lists
            values = {name: [value] for name, value in values.items()}
        variables = ({"rest": [rest]} if rest else {}) | query
        sitemapper.add_endpoint("page" if rest else "home", url_variables=variables, **values)
    with app.test_request_context("/", base_url="https://example.com"):
        content = sitemapper.generate().get_data()
    Path(request["out"], "sitemap.xml").write_bytes(content)
    return {"files": ["sitemap.xml"], "writes": []}


speak(answer)
