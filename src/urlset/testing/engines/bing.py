"""Bing Webmaster API: `{"d": …}`, .NET dates, error bodies with a number."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

from urlset.testing.engines.google import answer_json
from urlset.testing.exchange import Reply, Request


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
