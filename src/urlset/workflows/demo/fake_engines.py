"""Search engines on loopback: the addresses, bodies and errors of the real ones, with planted answers and faults.

One server has the Search Console with its token endpoint (camel case, numbers as strings, `{}` for nothing), Bing
(`{"d": …}`, .NET dates, error bodies with a number), Yandex (v4, a comma before the milliseconds), IndexNow and Baidu.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from urlset.testing import PageAnswer, Raw, Reply, Request, Site

TOKEN = "google-access-token-4711"
BING_KEY = "bing-key-4711"
YANDEX_TOKEN = "yandex-token-4711"
BAIDU_TOKEN = "baidu-token-4711"
USER = "4711"


class FakeEngines:
    """`with FakeEngines() as engines:` serves until the block ends; `engines.environment(folder)` points urlset at it.

    `plant(part_of_path, reply, …)` answers the next requests whose method and path contain the text with these
    replies, one each, before the engine itself answers again.
    """

    def __init__(self) -> None:
        self.google = FakeGoogle()
        self.bing = FakeBing(BING_KEY)
        self.yandex = FakeYandex(YANDEX_TOKEN)
        self.indexnow = FakeIndexNow()
        self.baidu = FakeBaidu(BAIDU_TOKEN)
        self._planted: list[tuple[str, deque[Reply]]] = []
        self.site = Site(self._reply)

    def __enter__(self) -> Self:
        self.site.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        self.site.__exit__(None, None, None)

    @property
    def log(self) -> list[Request]:
        return self.site.log

    def plant(self, part_of_path: str, *replies: Reply) -> None:
        self._planted.append((part_of_path, deque(replies)))

    def calls(self, part_of_path: str) -> list[Request]:
        return [request for request in self.log if part_of_path in f"{request.method} {request.target}"]

    def environment(self, folder: Path) -> dict[str, str]:
        """Endpoints and credentials; the service account key is written into `folder`."""
        key_file = folder / "service-account.json"
        key_file.write_text(json.dumps(self.google.service_account(self.site.url("/token"))), encoding="utf-8")
        return {**self.endpoints(), "GOOGLE_APPLICATION_CREDENTIALS": str(key_file)}

    def endpoints(self) -> dict[str, str]:
        """Where the engines are, and the keys of those that have simple ones."""
        return {
            "URLSET_GOOGLE_ENDPOINT": self.site.url("/google"),
            "URLSET_BING_ENDPOINT": self.site.url("/bing"),
            "URLSET_BING_KEY": BING_KEY,
            "URLSET_YANDEX_ENDPOINT": self.site.url("/yandex/v4"),
            "URLSET_YANDEX_TOKEN": YANDEX_TOKEN,
            "URLSET_INDEXNOW_ENDPOINT": self.site.url("/indexnow"),
            "URLSET_BAIDU_ENDPOINT": self.site.url("/baidu"),
            "URLSET_BAIDU_TOKEN": BAIDU_TOKEN,
        }

    def _reply(self, request: Request) -> Reply | None:
        for part, replies in self._planted:
            if replies and part in f"{request.method} {request.target}":
                return replies.popleft()
        engines: dict[str, Callable[[Request, str], Reply]] = {
            "/token": self.google.token,
            "/google/": self.google.answer,
            "/bing/": self.bing.answer,
            "/yandex/v4/": self.yandex.answer,
            "/indexnow": self.indexnow.answer,
            "/baidu": self.baidu.answer,
        }
        for prefix, answer in engines.items():
            if request.path.startswith(prefix):
                return answer(request, request.target.removeprefix(prefix))
        return None


def cut_connection() -> Raw:
    """A server that closes the connection instead of answering."""
    return Raw(end="reset")


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
        granted = {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}
        if grant.get("grant_type") == ["authorization_code"]:
            granted["refresh_token"] = "google-refresh-token-4711"
        return answer_json(granted)

    def answer(self, request: Request, rest: str) -> Reply:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return error(401, "Request had invalid authentication credentials.", state="UNAUTHENTICATED")
        path, _, query = rest.partition("?")
        if path == "v1/urlInspection/index:inspect":
            asked = json.loads(request.body)
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
                asked = json.loads(request.body)
                first, limit = asked.get("startRow", 0), asked.get("rowLimit", 1000)
                rows = [
                    {"keys": [url], "clicks": 1, "impressions": 9, "ctr": 0.1, "position": 3.5}
                    for url in self.impressions[first : first + limit]
                ]
                return answer_json({"responseAggregationType": "byPage"} | ({"rows": rows} if rows else {}))
        return error(404, "Requested entity was not found.", "notFound")


class FakeBing:
    def __init__(self, key: str) -> None:
        self._key = key
        self.sites: list[str] = []
        self.feeds: dict[str, list[dict[str, Any]]] = {}
        self.urls: list[str] = []
        self.batches: list[list[str]] = []
        self.daily = self.monthly = 10_000
        self.stats: list[dict[str, Any]] = []

    def answer(self, request: Request, rest: str) -> Reply:
        method, _, query = rest.partition("?")
        asked = parse_qs(query)
        if asked.get("apikey") != [self._key]:
            return answer_json({"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}, 400)
        body = json.loads(request.body) if request.body else {}
        site = body.get("siteUrl") or asked.get("siteUrl", [""])[0]
        if method != "GetUserSites" and site not in self.sites:
            return answer_json({"ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}, 400)
        match method:
            case "GetUserSites":
                return answer_json({"d": [{"__type": "Site", "Url": each, "IsVerified": True} for each in self.sites]})
            case "GetFeeds":
                return answer_json({"d": self.feeds.get(site, [])})
            case "SubmitFeed":
                feed = {"Url": body["feedUrl"], "Submitted": "/Date(1763200000000-0800)/", "Status": "Pending"}
                self.feeds.setdefault(site, []).append(feed)
                return answer_json({"d": None})
            case "SubmitUrlBatch":
                return self._batch(body["urlList"])
            case "GetUrlSubmissionQuota":
                return answer_json({"d": {"DailyQuota": self.daily, "MonthlyQuota": self.monthly}})
            case "GetCrawlStats":
                return answer_json({"d": self.stats})
        return answer_json({"ErrorCode": 8, "Message": "ERROR!!! InvalidParameter"}, 400)

    def _batch(self, urls: list[str]) -> Reply:
        if len(urls) > 500:
            return answer_json({"ErrorCode": 8, "Message": "ERROR!!! InvalidParameter"}, 400)
        if len(urls) > self.daily:
            return answer_json({"ErrorCode": 4, "Message": "ERROR!!! ThrottleUser"}, 400)
        self.daily -= len(urls)
        self.batches.append(urls)
        self.urls += urls
        return answer_json({"d": None})


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


class FakeIndexNow:
    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.first_status = 202
        """the first batch of a host: its key is validated later"""
        self._hosts: set[str] = set()

    @property
    def urls(self) -> list[str]:
        return [url for batch in self.batches for url in batch]

    def answer(self, request: Request, _rest: str) -> Reply:
        try:
            body = json.loads(request.body)
            host, urls, key = body["host"], body["urlList"], body["key"]
        except (ValueError, KeyError, TypeError):
            return PageAnswer(400, "")
        if not urls or len(urls) > 10_000 or not 8 <= len(key) <= 128:
            return PageAnswer(400, "")
        if any(urlsplit(url).netloc != host for url in urls):
            return PageAnswer(422, "")
        self.batches.append(urls)
        status = 200 if host in self._hosts else self.first_status
        self._hosts.add(host)
        return PageAnswer(status, "")


class FakeBaidu:
    def __init__(self, token: str) -> None:
        self._token = token
        self.urls: list[str] = []
        self.remaining = 100_000

    def answer(self, request: Request, rest: str) -> Reply:
        asked = parse_qs(rest.partition("?")[2])
        if asked.get("token") != [self._token]:
            return answer_json({"error": 401, "message": "token is not valid"}, 401)
        urls = request.body.decode().split("\n")
        site = asked.get("site", [""])[0]
        foreign = [url for url in urls if not url.startswith(site)]
        good = [url for url in urls if url.startswith(site)][: self.remaining]
        if not good:
            return answer_json({"error": 400, "message": "over quota"}, 400)
        self.remaining -= len(good)
        self.urls += good
        return answer_json({"remain": self.remaining, "success": len(good), "not_same_site": foreign, "not_valid": []})
