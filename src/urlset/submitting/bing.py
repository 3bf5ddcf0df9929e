"""Bing Webmaster API (JSON): sites, feeds, URL batches, quota, crawl figures → plain values or Refused."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlencode

import msgspec

from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.google import EngineSitemap
from urlset.submitting.receipt import Refused, Status
from urlset.submitting.secrets import Secret
from urlset.web.api import Api, ApiAnswer, ApiRequest

_DATE = re.compile(r"/Date\((-?\d+)([+-]\d{4})?\)/")
_INVALID_KEY, _THROTTLED, _NOT_ALLOWED = 3, (4, 5), (13, 14)
_EXISTS = 12


class BingQuota(msgspec.Struct, frozen=True):
    daily: int
    monthly: int

    @property
    def left(self) -> int:
        return max(0, min(self.daily, self.monthly))


class Bing:
    """One account, known by its key, which Bing wants in every address."""

    def __init__(self, api: Api, key: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._key = api, key
        api.hide([key.reveal()])
        facts = CHANNELS[Channel.BING]
        self._root = (environment.get(facts.endpoint_variable, "").strip() or facts.endpoint).rstrip("/")

    async def sites(self) -> list[str]:
        return [str(row["Url"]) for row in _rows(await self._get("GetUserSites")) if row.get("Url")]

    async def feeds(self, site: str) -> list[EngineSitemap]:
        return [_feed(row) for row in _rows(await self._get("GetFeeds", siteUrl=site)) if row.get("Url")]

    def feed_submission(self, site: str, feed: str) -> ApiRequest:
        return self._post("SubmitFeed", {"siteUrl": site, "feedUrl": feed})

    async def submit_feed(self, site: str, feed: str) -> None:
        self._checked(await self._api.call(self.feed_submission(site, feed)), harmless=(_EXISTS,))

    def url_submission(self, site: str, urls: Sequence[str]) -> ApiRequest:
        return self._post("SubmitUrlBatch", {"siteUrl": site, "urlList": list(urls)})

    async def submit_urls(self, site: str, urls: Sequence[str]) -> None:
        self._checked(await self._api.call(self.url_submission(site, urls)))

    async def quota(self, site: str) -> BingQuota:
        body = await self._get("GetUrlSubmissionQuota", siteUrl=site)
        found = body if isinstance(body, dict) else {}
        return BingQuota(int(found.get("DailyQuota") or 0), int(found.get("MonthlyQuota") or 0))

    async def indexed_pages(self, site: str) -> tuple[str, int] | None:
        """The newest day with a count of pages in the index."""
        rows = [
            (day, int(row.get("InIndex") or 0))
            for row in _rows(await self._get("GetCrawlStats", siteUrl=site))
            if (day := _moment(row.get("Date")))
        ]
        return max(rows, default=None)

    async def _get(self, method: str, **query: str) -> Any:
        asked = urlencode({**query, "apikey": self._key.reveal()})
        return self._checked(await self._api.call(ApiRequest("GET", f"{self._root}/{method}?{asked}")))

    def _post(self, method: str, body: dict[str, Any]) -> ApiRequest:
        return ApiRequest("POST", f"{self._root}/{method}?{urlencode({'apikey': self._key.reveal()})}", json=body)

    def _checked(self, answer: ApiAnswer, harmless: tuple[int, ...] = ()) -> Any:
        body = answer.json()
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"Bing could not be reached: {answer.failure}")
        code = body.get("ErrorCode") if isinstance(body, dict) else None
        if answer.ok and not code:
            return body.get("d") if isinstance(body, dict) else None
        if code in harmless:
            return None
        said = self._api.redact(str(body.get("Message"))) if isinstance(body, dict) and body.get("Message") else ""
        raise self._refusal(answer, code, said or f"status {answer.status}")

    def _refusal(self, answer: ApiAnswer, code: object, said: str) -> Refused:
        if answer.status == 429 or code in _THROTTLED:
            return Refused(Status.POSTPONED, f"Bing limits the rate: {said}")
        if answer.transient and code in (None, 1, 2):
            return Refused(Status.UNREACHABLE, f"Bing answered {answer.status}: {said}")
        if code == _INVALID_KEY or answer.status == 401:
            return Refused(Status.REFUSED, f"Bing rejected the API key (URLSET_BING_KEY): {said}")
        if code in _NOT_ALLOWED or answer.status == 403:
            return Refused(Status.REFUSED, f"the account has no permission for this site at Bing: {said}")
        return Refused(Status.REFUSED, f"Bing answered: {said}")


def _rows(body: Any) -> list[dict[str, Any]]:
    return [row for row in body if isinstance(row, dict)] if isinstance(body, list) else []


def _feed(row: dict[str, Any]) -> EngineSitemap:
    status = str(row.get("Status") or "")
    return EngineSitemap(
        url=str(row["Url"]),
        type=str(row["Type"]) if row.get("Type") else None,
        is_index="index" in str(row.get("Type") or "").lower(),
        submitted=_moment(row.get("Submitted")),
        last_read=_moment(row.get("LastCrawled")),
        pending=status.lower() == "pending",
        errors=1 if status.lower() in ("error", "failed") else None,
        urls=int(row["UrlCount"]) if isinstance(row.get("UrlCount"), int) else None,
    )


def _moment(text: object) -> str | None:
    """`/Date(1316156400000-0700)/` → ISO 8601; the number is in milliseconds of UTC."""
    match = _DATE.fullmatch(str(text or ""))
    if match is None:
        return None
    try:
        moment = datetime.fromtimestamp(int(match[1]) / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    if moment.year < 1990:  # .NET's way to say never
        return None
    if match[2]:
        sign = -1 if match[2][0] == "-" else 1
        moment = moment.astimezone(timezone(sign * timedelta(hours=int(match[2][1:3]), minutes=int(match[2][3:]))))
    return moment.isoformat()
