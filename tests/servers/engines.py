"""The engines of the demo with everything else that tests need of the real ones: errors, quotas, reports, faults."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from urlset.testing import PageAnswer, Raw, Reply, Request
from urlset.workflows.demo import fake_engines as demo
from urlset.workflows.demo.fake_engines import BING_KEY, TOKEN, YANDEX_TOKEN, answer_json

BAIDU_TOKEN = "baidu-token-4711"


class FakeEngines(demo.FakeEngines):
    """`engines.environment(folder)` points urlset at them.

    `plant(part_of_path, reply, …)` answers the next requests whose method and path contain the text with these
    replies, one each, before the engine itself answers again.
    """

    google: FakeGoogle
    bing: FakeBing
    yandex: FakeYandex
    indexnow: FakeIndexNow

    def __init__(self) -> None:
        super().__init__()
        self.google, self.bing, self.yandex = FakeGoogle(), FakeBing(), FakeYandex()
        self.indexnow, self.baidu = FakeIndexNow(), FakeBaidu()
        self._planted: list[tuple[str, deque[Reply]]] = []

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
        key_file.write_text(json.dumps(service_account(self.site.url("/token"))), encoding="utf-8")
        return {**self.endpoints(), "GOOGLE_APPLICATION_CREDENTIALS": str(key_file)}

    def endpoints(self) -> dict[str, str]:
        baidu = {"URLSET_BAIDU_ENDPOINT": self.site.url("/baidu"), "URLSET_BAIDU_TOKEN": BAIDU_TOKEN}
        return super().endpoints() | baidu

    def reply(self, request: Request) -> Reply | None:
        for part, replies in self._planted:
            if replies and part in f"{request.method} {request.target}":
                return replies.popleft()
        if request.path.startswith("/baidu"):
            return self.baidu.answer(request)
        return super().reply(request)


def cut_connection() -> Raw:
    """A server that closes the connection instead of answering."""
    return Raw(end="reset")


def error(status: int, message: str, reason: str = "", state: str = "") -> PageAnswer:
    body: dict[str, Any] = {"code": status, "message": message}
    if reason:
        body["errors"] = [{"message": message, "domain": "global", "reason": reason}]
    if state:
        body["status"] = state
    return answer_json({"error": body}, status)


def service_account(token_uri: str) -> dict[str, str]:
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


class FakeGoogle(demo.FakeGoogle):
    """With permissions and numbers as strings."""

    def __init__(self) -> None:
        super().__init__()
        self.impressions: list[str] = []
        self.inspections_left: dict[str, int] = {}
        """property → inspections that today's quota still allows; no entry means no limit"""
        self.inspected: list[str] = []

    def token(self, request: Request, rest: str) -> Reply:
        if parse_qs(request.body.decode()).get("refresh_token") == ["revoked"]:
            refused = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}
            return answer_json(refused, 400)
        return super().token(request, rest)

    def answer(self, request: Request, rest: str) -> Reply:
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return error(401, "Request had invalid authentication credentials.", state="UNAUTHENTICATED")
        if rest == "v1/urlInspection/index:inspect":
            asked = json.loads(request.body)
            name = asked["siteUrl"]
            if not self._may_use(name):
                return error(403, "You do not own this site, or the inspected URL is not part of this property.")
            left = self.inspections_left.get(name)
            if left is not None:
                if left <= 0:
                    return error(429, f"Quota exceeded for {name}.", "rateLimitExceeded", "RESOURCE_EXHAUSTED")
                self.inspections_left[name] = left - 1
            self.inspected.append(asked["inspectionUrl"])
        return super().answer(request, rest)

    def of_property(self, request: Request, name: str, more: list[str], query: str) -> Reply:
        if not self._may_use(name):
            return error(403, f"User does not have sufficient permission for site '{name}'.", "forbidden")
        known = self.sitemaps.setdefault(name, {})
        match (request.method, *more):
            case ("GET", "sitemaps", url) if url in known:
                return answer_json(known[url])
            case ("DELETE", "sitemaps", url) if url in known:
                del known[url]
                return PageAnswer(204, "")
            case ("GET" | "DELETE", "sitemaps", _):
                return error(404, "Sitemap not found.", "notFound")
            case ("POST", "searchAnalytics", "query"):
                asked = json.loads(request.body)
                first, limit = asked.get("startRow", 0), asked.get("rowLimit", 1000)
                rows = [
                    {"keys": [url], "clicks": 1, "impressions": 9, "ctr": 0.1, "position": 3.5}
                    for url in self.impressions[first : first + limit]
                ]
                return answer_json({"responseAggregationType": "byPage"} | ({"rows": rows} if rows else {}))
        return super().of_property(request, name, more, query)

    def _may_use(self, name: str) -> bool:
        return self.properties.get(name, "siteUnverifiedUser") != "siteUnverifiedUser"


class FakeBing(demo.FakeBing):
    """With .NET dates and error bodies with a number."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []
        self.batches: list[list[str]] = []
        self.daily = self.monthly = 10_000
        self.stats: list[dict[str, Any]] = []

    def answer(self, request: Request, rest: str) -> Reply:
        method, _, query = rest.partition("?")
        asked = parse_qs(query)
        if asked.get("apikey") != [BING_KEY]:
            return answer_json({"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}, 400)
        body = json.loads(request.body) if request.body else {}
        site = body.get("siteUrl") or asked.get("siteUrl", [""])[0]
        if method != "GetUserSites" and site not in self.sites:
            return answer_json({"ErrorCode": 14, "Message": "ERROR!!! NotAuthorized"}, 400)
        match method:
            case "GetFeeds":
                return answer_json({"d": self.feeds.get(site, [])})
            case "SubmitUrlBatch":
                return self._batch(body["urlList"])
            case "GetUrlSubmissionQuota":
                return answer_json({"d": {"DailyQuota": self.daily, "MonthlyQuota": self.monthly}})
            case "GetCrawlStats":
                return answer_json({"d": self.stats})
            case "GetUserSites" | "SubmitFeed":
                return super().answer(request, rest)
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


class FakeYandex(demo.FakeYandex):
    def __init__(self) -> None:
        super().__init__()
        self.sitemaps: dict[str, list[dict[str, Any]]] = {}

    def answer(self, request: Request, rest: str) -> Reply:
        if request.headers.get("authorization") != f"OAuth {YANDEX_TOKEN}":
            return answer_json({"error_code": "INVALID_OAUTH_TOKEN", "error_message": "Invalid OAuth token"}, 403)
        path, _, text = rest.partition("?")
        match (request.method, *map(unquote, path.split("/"))):
            case (_, "user", _, "hosts", host, *_) if host not in self.hosts:
                return answer_json({"error_code": "HOST_NOT_FOUND", "error_message": "Host not found"}, 404)
            case ("GET", "user", _, "hosts", host, "sitemaps"):
                known, query, start = self.sitemaps.setdefault(host, []), parse_qs(text), 0
                if after := query.get("from"):
                    start = next((n + 1 for n, row in enumerate(known) if row["sitemap_id"] == after[0]), len(known))
                return answer_json({"sitemaps": known[start : start + int(query.get("limit", ["10"])[0])]})
            case ("POST", "user", _, "hosts", _, "user-added-sitemaps"):
                if json.loads(request.body)["url"] in self.added:
                    refused = {"error_code": "SITEMAP_ALREADY_ADDED", "error_message": "already added"}
                    return answer_json(refused, 409)
        return super().answer(request, rest)


class FakeIndexNow(demo.FakeIndexNow):
    def __init__(self) -> None:
        super().__init__()
        self.first_status = 202
        """the first batch of a host: its key is validated later"""
        self._hosts: set[str] = set()

    def answer(self, request: Request, rest: str) -> Reply:
        try:
            body = json.loads(request.body)
            host, urls, key = body["host"], body["urlList"], body["key"]
        except (ValueError, KeyError, TypeError):
            return PageAnswer(400, "")
        if not urls or len(urls) > 10_000 or not 8 <= len(key) <= 128:
            return PageAnswer(400, "")
        if any(urlsplit(url).netloc != host for url in urls):
            return PageAnswer(422, "")
        super().answer(request, rest)
        status = 200 if host in self._hosts else self.first_status
        self._hosts.add(host)
        return PageAnswer(status, "")


class FakeBaidu:
    def __init__(self) -> None:
        self.urls: list[str] = []
        self.remaining = 100_000

    def answer(self, request: Request) -> Reply:
        asked = parse_qs(request.target.partition("?")[2])
        if asked.get("token") != [BAIDU_TOKEN]:
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
