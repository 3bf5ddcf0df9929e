"""Search Console as the wire speaks it: lower camel case, numbers as strings, `{}` for nothing."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, unquote

from urlset.testing.exchange import PageAnswer, Reply, Request

TOKEN = "google-access-token-4711"


def answer_json(body: Any, status: int = 200) -> PageAnswer:
    return PageAnswer(status, json.dumps(body), type="application/json; charset=utf-8")


def error(status: int, message: str, reason: str = "", state: str = "") -> PageAnswer:
    body: dict[str, Any] = {"code": status, "message": message}
    if reason:
        body["errors"] = [{"message": message, "domain": "global", "reason": reason}]
    if state:
        body["status"] = state
    return answer_json({"error": body}, status)


class FakeGoogle:
    """One account with properties, sitemaps per property, and what it knows about URLs."""

    def __init__(self) -> None:
        self.properties: dict[str, str] = {}
        """property → permission level"""
        self.sitemaps: dict[str, dict[str, dict[str, Any]]] = {}
        """property → sitemap URL → resource"""
        self.children: dict[str, list[dict[str, Any]]] = {}
        """index URL → resources of its children"""
        self.pages: dict[str, dict[str, Any]] = {}
        """URL → indexStatusResult"""
        self.impressions: list[str] = []
        self.inspections_left: dict[str, int] = {}
        """property → inspections that today's quota still allows; no entry means no limit"""
        self.inspected: list[str] = []
        self.grants: list[dict[str, list[str]]] = []

    def service_account(self, token_uri: str) -> dict[str, str]:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        written = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account",
            "client_email": "urlset@project.iam.example",
            "private_key_id": "4711",
            "private_key": written.decode(),
            "token_uri": token_uri,
        }

    def token(self, request: Request, _rest: str) -> Reply:
        grant = parse_qs(request.body.decode())
        self.grants.append(grant)
        if grant.get("refresh_token") == ["revoked"]:
            refused = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
            return answer_json(refused, 400)
        return answer_json({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})

    def answer(self, request: Request, rest: str) -> Reply:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return error(401, "Request had invalid authentication credentials.", state="UNAUTHENTICATED")
        path, _, query = rest.partition("?")
        if path == "v1/urlInspection/index:inspect":
            return self._inspect(json.loads(request.body))
        parts = [unquote(part) for part in path.split("/")]
        match (request.method, *parts):
            case ("GET", "webmasters", "v3", "sites"):
                rows = [{"siteUrl": name, "permissionLevel": level} for name, level in self.properties.items()]
                return answer_json({"siteEntry": rows} if rows else {})
            case (_, "webmasters", "v3", "sites", name, *more):
                return self._site(request, name, more, query)
        return error(404, "Requested entity was not found.", "notFound")

    def _site(self, request: Request, name: str, more: list[str], query: str) -> Reply:
        if self.properties.get(name, "siteUnverifiedUser") == "siteUnverifiedUser":
            return error(403, f"User does not have sufficient permission for site '{name}'.", "forbidden")
        known = self.sitemaps.setdefault(name, {})
        match (request.method, *more):
            case ("GET", "sitemaps"):
                index = parse_qs(query).get("sitemapIndex")
                rows = self.children.get(index[0], []) if index else list(known.values())
                return answer_json({"sitemap": rows} if rows else {})
            case ("GET", "sitemaps", url):
                return answer_json(known[url]) if url in known else error(404, "Sitemap not found.", "notFound")
            case ("PUT", "sitemaps", url):
                known.setdefault(url, {"path": url, "isPending": True, "errors": "0", "warnings": "0"})
                known[url]["lastSubmitted"] = "2026-11-15T12:00:00.000Z"
                return PageAnswer(204, "")
            case ("DELETE", "sitemaps", url):
                return PageAnswer(204, "") if known.pop(url, None) else error(404, "Sitemap not found.", "notFound")
            case ("POST", "searchAnalytics", "query"):
                return self._analytics(json.loads(request.body))
        return error(404, "Requested entity was not found.", "notFound")

    def _analytics(self, asked: dict[str, Any]) -> Reply:
        first, limit = asked.get("startRow", 0), asked.get("rowLimit", 1000)
        rows = [
            {"keys": [url], "clicks": 1, "impressions": 9, "ctr": 0.1, "position": 3.5}
            for url in self.impressions[first : first + limit]
        ]
        return answer_json({"responseAggregationType": "byPage"} | ({"rows": rows} if rows else {}))

    def _inspect(self, asked: dict[str, str]) -> Reply:
        name, url = asked["siteUrl"], asked["inspectionUrl"]
        if self.properties.get(name, "siteUnverifiedUser") == "siteUnverifiedUser":
            return error(403, "You do not own this site, or the inspected URL is not part of this property.")
        left = self.inspections_left.get(name)
        if left is not None:
            if left <= 0:
                return error(429, f"Quota exceeded for {name}.", "rateLimitExceeded", "RESOURCE_EXHAUSTED")
            self.inspections_left[name] = left - 1
        self.inspected.append(url)
        unknown = {
            "verdict": "NEUTRAL",
            "coverageState": "URL is unknown to Google",
            "robotsTxtState": "ROBOTS_TXT_STATE_UNSPECIFIED",
            "indexingState": "INDEXING_STATE_UNSPECIFIED",
            "pageFetchState": "PAGE_FETCH_STATE_UNSPECIFIED",
        }
        found = {
            "inspectionResultLink": "https://search.google.com/search-console/inspect",
            "indexStatusResult": self.pages.get(url, unknown),
        }
        return answer_json({"inspectionResult": found})
