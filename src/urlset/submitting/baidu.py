"""Baidu push: lines of URLs over plain HTTP, the token in the address, off by default."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.receipt import Refused, Status
from urlset.submitting.secrets import Secret
from urlset.web.api import Api, ApiRequest


class Pushed(msgspec.Struct, frozen=True):
    """The part of a batch that was accepted, and what is left of the day's quota."""

    rejected: frozenset[str]
    accepted: int
    remaining: int


class Baidu:
    def __init__(self, api: Api, token: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._token = api, token
        api.hide([token.reveal()])
        facts = CHANNELS[Channel.BAIDU]
        self._endpoint = environment.get(facts.endpoint_variable, "").strip() or facts.endpoint

    def submission(self, site: str, urls: Sequence[str]) -> ApiRequest:
        query = urlencode({"site": site, "token": self._token.reveal()})
        return ApiRequest("POST", f"{self._endpoint}?{query}", text="\n".join(urls))

    async def submit(self, site: str, urls: Sequence[str]) -> Pushed:
        answer = await self._api.call(self.submission(site, urls))
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"Baidu could not be reached: {answer.failure}")
        body: Any = answer.json()
        found: dict[str, Any] = body if isinstance(body, dict) else {}
        if "success" not in found:
            said = self._api.redact(str(found.get("message") or f"status {answer.status}"))
            postponed = answer.status == 429 or "quota" in said.lower()
            status = Status.POSTPONED if postponed else Status.UNREACHABLE if answer.transient else Status.REFUSED
            raise Refused(status, f"Baidu answered: {said}")
        rejected = frozenset(str(url) for key in ("not_same_site", "not_valid") for url in found.get(key) or ())
        return Pushed(rejected, int(found["success"]), int(found.get("remain") or 0))
