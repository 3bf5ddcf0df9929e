"""Search Console API: sites, sitemaps, URL inspection, search analytics → plain values or Refused."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.google_tokens import GoogleTokens
from urlset.submitting.properties import Property, folded
from urlset.submitting.receipt import Refused, Status
from urlset.web.api import Api, ApiAnswer, ApiRequest

_ROWS = 25_000
_ROWS_PER_DAY = 50_000


class EngineSitemap(msgspec.Struct, frozen=True):
    """A sitemap as an engine knows it; None where it does not say."""

    url: str
    type: str | None = None
    is_index: bool = False
    submitted: str | None = None
    last_read: str | None = None
    pending: bool = False
    errors: int | None = None
    warnings: int | None = None
    urls: int | None = None
    """the number of pages it counts in it"""


class Inspection(msgspec.Struct, frozen=True, omit_defaults=True):
    """What Google knows about one URL."""

    url: str
    verdict: str = ""
    coverage: str = ""
    """display text; never compared"""
    robots: str = ""
    indexing: str = ""
    fetch: str = ""
    last_crawl: str | None = None
    google_canonical: str | None = None
    user_canonical: str | None = None
    sitemaps: tuple[str, ...] = ()

    @property
    def indexed(self) -> bool:
        return folded(self.verdict) == "pass"


class Google:
    """One account; every method is one request."""

    def __init__(self, api: Api, tokens: GoogleTokens, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._tokens = api, tokens
        facts = CHANNELS[Channel.GOOGLE]
        self._root = (environment.get(facts.endpoint_variable, "").strip() or facts.endpoint).rstrip("/")

    async def properties(self) -> list[Property]:
        body = await self._read("GET", "/webmasters/v3/sites")
        return [
            Property(str(site["siteUrl"]), str(site.get("permissionLevel", "")))
            for site in _rows(body, "siteEntry")
            if site.get("siteUrl")
        ]

    async def sitemaps(self, name: str, index: str | None = None) -> list[EngineSitemap]:
        """Those submitted; with `index`, the children of that one as Google sees them."""
        query = f"?{urlencode({'sitemapIndex': index})}" if index else ""
        body = await self._read("GET", f"{self._site(name)}/sitemaps{query}")
        return [_sitemap(row) for row in _rows(body, "sitemap") if row.get("path")]

    async def sitemap(self, name: str, url: str) -> EngineSitemap | None:
        answer = await self._call(ApiRequest("GET", f"{self._root}{self._site(name)}/sitemaps/{_segment(url)}"))
        if answer.status == 404:
            return None
        body = self._checked(answer)
        return _sitemap(body) if body.get("path") else None

    def submission(self, name: str, url: str) -> ApiRequest:
        return ApiRequest("PUT", f"{self._root}{self._site(name)}/sitemaps/{_segment(url)}")

    async def submit(self, name: str, url: str) -> None:
        self._checked(await self._call(self.submission(name, url)))

    async def delete(self, name: str, url: str) -> None:
        request = ApiRequest("DELETE", f"{self._root}{self._site(name)}/sitemaps/{_segment(url)}")
        self._checked(await self._call(request))

    async def inspect(self, name: str, url: str) -> Inspection:
        asked = {"inspectionUrl": url, "siteUrl": name, "languageCode": "en-US"}
        body = await self._read("POST", "/v1/urlInspection/index:inspect", asked)
        result = body.get("inspectionResult")
        status = result.get("indexStatusResult") if isinstance(result, dict) else None
        return _inspection(url, status if isinstance(status, dict) else {})

    async def pages_with_impressions(self, name: str, start: str, end: str) -> AsyncIterator[str]:
        """Pages that search results showed between two days: each is indexed, but not every indexed page is here."""
        for first in range(0, _ROWS_PER_DAY, _ROWS):
            asked = {
                "startDate": start,
                "endDate": end,
                "dimensions": ["page"],
                "rowLimit": _ROWS,
                "startRow": first,
            }
            body = await self._read("POST", f"{self._site(name)}/searchAnalytics/query", asked)
            rows = _rows(body, "rows")
            for row in rows:
                keys = row.get("keys")
                if isinstance(keys, list) and keys:
                    yield str(keys[0])
            if len(rows) < _ROWS:
                return

    def _site(self, name: str) -> str:
        return f"/webmasters/v3/sites/{_segment(name)}"

    async def _read(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        return self._checked(await self._call(ApiRequest(method, f"{self._root}{path}", json=body)))

    async def _call(self, request: ApiRequest) -> ApiAnswer:
        token = await self._tokens.token()
        return await self._api.call(
            msgspec.structs.replace(request, headers=(*request.headers, ("Authorization", f"Bearer {token}")))
        )

    def _checked(self, answer: ApiAnswer) -> dict[str, Any]:
        body = answer.json()
        if answer.ok:
            return body if isinstance(body, dict) else {}
        raise refusal(answer, self._api, self._tokens.account)


def refusal(answer: ApiAnswer, api: Api, account: str) -> Refused:
    """What an error answer means and what to do about it."""
    if answer.failure is not None:
        return Refused(Status.UNREACHABLE, f"Search Console could not be reached: {answer.failure}")
    error = _error(answer)
    said = api.redact(str(error.get("message") or f"status {answer.status}"))
    reasons = {folded(reason) for reason in _reasons(error)}
    if answer.status == 429 or "quotaexceeded" in reasons or "ratelimitexceeded" in reasons:
        return Refused(Status.POSTPONED, f"Search Console quota reached: {said}")
    if answer.transient:
        return Refused(Status.UNREACHABLE, f"Search Console answered {answer.status}: {said}")
    if answer.status == 401:
        return Refused(Status.REFUSED, f"Search Console rejected the token: {said}")
    if "servicedisabled" in reasons:
        return Refused(
            Status.REFUSED, f"the Search Console API is off in the credentials' Cloud project; enable it there: {said}"
        )
    if answer.status == 403:
        who = f"; add {account} as a full user of the property in Search Console" if account else ""
        return Refused(Status.REFUSED, f"no permission: {said}{who}")
    return Refused(Status.REFUSED, f"Search Console answered {answer.status}: {said}")


def _error(answer: ApiAnswer) -> dict[str, Any]:
    body = answer.json()
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _reasons(error: dict[str, Any]) -> list[str]:
    listed = [*_rows(error, "errors"), *_rows(error, "details")]
    return [str(each.get("reason")) for each in listed if each.get("reason")]


def _rows(body: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """A list that Google leaves out when it is empty."""
    rows = body.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _segment(text: str) -> str:
    return quote(text, safe="")


def _sitemap(row: dict[str, Any]) -> EngineSitemap:
    counts = [
        _number(each.get("submitted")) for each in _rows(row, "contents") if folded(str(each.get("type"))) == "web"
    ]
    return EngineSitemap(
        url=str(row["path"]),
        type=str(row["type"]) if row.get("type") else None,
        is_index=bool(row.get("isSitemapsIndex")),
        submitted=row.get("lastSubmitted"),
        last_read=row.get("lastDownloaded"),
        pending=bool(row.get("isPending")),
        errors=_number(row.get("errors")),
        warnings=_number(row.get("warnings")),
        urls=sum(count for count in counts if count is not None) if counts else None,
    )


def _inspection(url: str, status: dict[str, Any]) -> Inspection:
    listed = status.get("sitemap")
    return Inspection(
        url=url,
        verdict=str(status.get("verdict", "")),
        coverage=str(status.get("coverageState", "")),
        robots=str(status.get("robotsTxtState", "")),
        indexing=str(status.get("indexingState", "")),
        fetch=str(status.get("pageFetchState", "")),
        last_crawl=status.get("lastCrawlTime"),
        google_canonical=status.get("googleCanonical"),
        user_canonical=status.get("userCanonical"),
        sitemaps=tuple(map(str, listed)) if isinstance(listed, list) else (),
    )


def _number(value: object) -> int | None:
    """Google writes 64-bit integers as strings."""
    try:
        return int(str(value))
    except ValueError:
        return None
