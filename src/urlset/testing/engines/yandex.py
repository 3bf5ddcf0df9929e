"""Yandex Webmaster v4: user, hosts, sitemaps with a comma before the milliseconds."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, unquote

from urlset.testing.engines.google import answer_json
from urlset.testing.exchange import Reply, Request

USER = "4711"


class FakeYandex:
    def __init__(self, token: str) -> None:
        self._token = token
        self.hosts: dict[str, str] = {}
        """host id → address"""
        self.sitemaps: dict[str, list[dict[str, Any]]] = {}
        self.added: list[str] = []
        self.searchable = 0

    def answer(self, request: Request, rest: str) -> Reply:
        if request.headers.get("authorization") != f"OAuth {self._token}":
            return answer_json({"error_code": "INVALID_OAUTH_TOKEN", "error_message": "Invalid OAuth token"}, 403)
        path, _, query = rest.partition("?")
        match (request.method, *map(unquote, path.split("/"))):
            case ("GET", "user"):
                return answer_json({"user_id": int(USER)})
            case ("GET", "user", _, "hosts"):
                rows = [{"host_id": key, "ascii_host_url": url, "verified": True} for key, url in self.hosts.items()]
                return answer_json({"hosts": rows})
            case (_, "user", _, "hosts", host, *more) if host in self.hosts:
                return self._host(request, host, more, parse_qs(query))
        return answer_json({"error_code": "HOST_NOT_FOUND", "error_message": "Host not found"}, 404)

    def _host(self, request: Request, host: str, more: list[str], query: dict[str, list[str]]) -> Reply:
        known = self.sitemaps.setdefault(host, [])
        match (request.method, *more):
            case ("GET", "sitemaps"):
                start = 0
                if after := query.get("from"):
                    start = next((n + 1 for n, row in enumerate(known) if row["sitemap_id"] == after[0]), len(known))
                return answer_json({"sitemaps": known[start : start + int(query.get("limit", ["10"])[0])]})
            case ("POST", "user-added-sitemaps"):
                url = json.loads(request.body)["url"]
                if url in self.added:
                    refused = {"error_code": "SITEMAP_ALREADY_ADDED", "error_message": "already added"}
                    return answer_json(refused, 409)
                self.added.append(url)
                return answer_json({"sitemap_id": f"id-{len(self.added)}"}, 201)
            case ("GET", "summary"):
                return answer_json({"sqi": 10, "searchable_pages_count": self.searchable, "excluded_pages_count": 0})
        return answer_json({"error_code": "RESOURCE_NOT_FOUND", "error_message": "not found"}, 404)
