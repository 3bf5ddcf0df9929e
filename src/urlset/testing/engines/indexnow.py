"""IndexNow and Baidu's push: batches of URLs in, a status or a count out."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

from urlset.testing.engines.google import answer_json
from urlset.testing.exchange import PageAnswer, Reply, Request


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
