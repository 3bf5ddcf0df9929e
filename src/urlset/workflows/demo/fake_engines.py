"""Search engines on loopback: the addresses and bodies of the real ones, as far as the demo and a dry run ask them.

One server has the Search Console with its token endpoint (camel case, `{}` for nothing), Bing (`{"d": …}`), Yandex (v4)
and IndexNow. Tests add the rest in `tests/servers/engines.py`: errors, quotas, Baidu, and faults on request.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import parse_qs, unquote

from urlset.testing import PageAnswer, Reply, Request, Site

TOKEN = "google-access-token-4711"
BING_KEY = "bing-key-4711"
YANDEX_TOKEN = "yandex-token-4711"
USER = "4711"


class FakeEngines:
    """`with FakeEngines() as engines:` serves until the block ends."""

    def __init__(self) -> None:
        self.google = FakeGoogle()
        self.bing = FakeBing()
        self.yandex = FakeYandex()
        self.indexnow = FakeIndexNow()
        self.site = Site(self.reply)

    def __enter__(self) -> Self:
        self.site.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self.site.__exit__(None, None, None)

    def endpoints(self) -> dict[str, str]:
        """Where the engines are, and the keys of those that have simple ones."""
        return {
            "URLSET_GOOGLE_ENDPOINT": self.site.url("/google"),
            "URLSET_BING_ENDPOINT": self.site.url("/bing"),
            "URLSET_BING_KEY": BING_KEY,
            "URLSET_YANDEX_ENDPOINT": self.site.url("/yandex/v4"),
            "URLSET_YANDEX_TOKEN": YANDEX_TOKEN,
            "URLSET_INDEXNOW_ENDPOINT": self.site.url("/indexnow"),
        }

    def reply(self, request: Request) -> Reply | None:
        engines: dict[str, Callable[[Request, str], Reply]] = {
            "/token": self.google.token,
            "/google/": self.google.answer,
            "/bing/": self.bing.answer,
            "/yandex/v4/": self.yandex.answer,
            "/indexnow": self.indexnow.answer,
        }
        for prefix, answer in engines.items():
            if request.path.startswith(prefix):
                return answer(request, request.target.removeprefix(prefix))
        return None


def answer_json(body: Any, status: int = 200) -> PageAnswer:
    return PageAnswer(status, json.dumps(body), type="application/json; charset=utf-8")


NOT_FOUND = answer_json({"error": {"code": 404, "message": "not found"}}, 404)


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

    def token(self, request: Request, _rest: str) -> Reply:
        grant = parse_qs(request.body.decode())
        granted = {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}
        if grant.get("grant_type") == ["authorization_code"]:
            granted["refresh_token"] = "google-refresh-token-4711"
        return answer_json(granted)

    def answer(self, request: Request, rest: str) -> Reply:
        path, _, query = rest.partition("?")
        if path == "v1/urlInspection/index:inspect":
            asked = json.loads(request.body)
            unknown = {
                "verdict": "NEUTRAL",
                "coverageState": "URL is unknown to Google",
                "robotsTxtState": "ROBOTS_TXT_STATE_UNSPECIFIED",
                "indexingState": "INDEXING_STATE_UNSPECIFIED",
                "pageFetchState": "PAGE_FETCH_STATE_UNSPECIFIED",
            }
            found = {
                "inspectionResultLink": "https://search.google.com/search-console/inspect",
                "indexStatusResult": self.pages.get(asked["inspectionUrl"], unknown),
            }
            return answer_json({"inspectionResult": found})
        parts = [unquote(part) for part in path.split("/")]
        match (request.method, *parts):
            case ("GET", "webmasters", "v3", "sites"):
                rows = [{"siteUrl": name, "permissionLevel": level} for name, level in self.properties.items()]
                return answer_json({"siteEntry": rows} if rows else {})
            case (_, "webmasters", "v3", "sites", name, *more):
                return self.of_property(request, name, more, query)
        return NOT_FOUND

    def of_property(self, request: Request, name: str, more: list[str], query: str) -> Reply:
        known = self.sitemaps.setdefault(name, {})
        match (request.method, *more):
            case ("GET", "sitemaps"):
                index = parse_qs(query).get("sitemapIndex")
                rows = self.children.get(index[0], []) if index else list(known.values())
                return answer_json({"sitemap": rows} if rows else {})
            case ("PUT", "sitemaps", url):
                known.setdefault(url, {"path": url, "isPending": True, "errors": "0", "warnings": "0"})
                known[url]["lastSubmitted"] = "2026-11-15T12:00:00.000Z"
                return PageAnswer(204, "")
        return NOT_FOUND


class FakeBing:
    def __init__(self) -> None:
        self.sites: list[str] = []
        self.feeds: dict[str, list[dict[str, Any]]] = {}

    def answer(self, request: Request, rest: str) -> Reply:
        body = json.loads(request.body) if request.body else {}
        match rest.partition("?")[0]:
            case "GetUserSites":
                return answer_json({"d": [{"__type": "Site", "Url": each, "IsVerified": True} for each in self.sites]})
            case "SubmitFeed":
                feed = {"Url": body["feedUrl"], "Submitted": "/Date(1763200000000-0800)/", "Status": "Pending"}
                self.feeds.setdefault(body["siteUrl"], []).append(feed)
                return answer_json({"d": None})
        return answer_json({"d": []})


class FakeYandex:
    def __init__(self) -> None:
        self.hosts: dict[str, str] = {}
        """host id → address"""
        self.added: list[str] = []
        self.searchable = 0

    def answer(self, request: Request, rest: str) -> Reply:
        match (request.method, *map(unquote, rest.partition("?")[0].split("/"))):
            case ("GET", "user"):
                return answer_json({"user_id": int(USER)})
            case ("GET", "user", _, "hosts"):
                rows = [{"host_id": key, "ascii_host_url": url, "verified": True} for key, url in self.hosts.items()]
                return answer_json({"hosts": rows})
            case ("POST", "user", _, "hosts", _, "user-added-sitemaps"):
                self.added.append(json.loads(request.body)["url"])
                return answer_json({"sitemap_id": f"id-{len(self.added)}"}, 201)
            case ("GET", "user", _, "hosts", _, "summary"):
                return answer_json({"sqi": 10, "searchable_pages_count": self.searchable, "excluded_pages_count": 0})
        return NOT_FOUND


class FakeIndexNow:
    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    @property
    def urls(self) -> list[str]:
        return [url for batch in self.batches for url in batch]

    def answer(self, request: Request, _rest: str) -> Reply:
        self.batches.append(json.loads(request.body)["urlList"])
        # the first batch of a host is accepted before its key is validated
        return PageAnswer(202 if len(self.batches) == 1 else 200, "")
