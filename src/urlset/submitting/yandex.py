"""Yandex Webmaster API v4: hosts, sitemaps, summary → plain values or Refused."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.google import EngineSitemap
from urlset.submitting.receipt import Refused, Status
from urlset.submitting.secrets import Secret
from urlset.web.api import Api, ApiAnswer, ApiRequest

_PAGE = 100
_MOST_PAGES = 500
_ALREADY = "SITEMAP_ALREADY_ADDED"


class Yandex:
    """One account, known by its token."""

    def __init__(self, api: Api, token: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._headers = api, (("Authorization", f"OAuth {token.reveal()}"),)
        api.hide([token.reveal()])
        facts = CHANNELS[Channel.YANDEX]
        self._root = (environment.get(facts.endpoint_variable, "").strip() or facts.endpoint).rstrip("/")
        self._user: str | None = None

    async def user(self) -> str:
        if self._user is None:
            body = await self._get("/user")
            if not body.get("user_id"):
                raise Refused(Status.REFUSED, "Yandex names no user for this token")
            self._user = str(body["user_id"])
        return self._user

    async def hosts(self) -> dict[str, str]:
        """Host id → address of the site, verified ones only."""
        body = await self._get(f"/user/{await self.user()}/hosts")
        return {
            str(row["host_id"]): str(row.get("ascii_host_url") or "")
            for row in _rows(body, "hosts")
            if row.get("host_id") and row.get("verified", True)
        }

    async def host_of(self, url: str) -> str | None:
        wanted = host_id(url)
        return wanted if wanted in await self.hosts() else None

    async def sitemaps(self, host: str) -> list[EngineSitemap]:
        found: list[EngineSitemap] = []
        last = ""
        for _ in range(_MOST_PAGES):
            query = urlencode({"limit": _PAGE, **({"from": last} if last else {})})
            rows = _rows(await self._get(f"{await self._host(host)}/sitemaps?{query}"), "sitemaps")
            found += [_sitemap(row) for row in rows if row.get("sitemap_url")]
            if len(rows) < _PAGE or not rows[-1].get("sitemap_id"):
                break
            last = str(rows[-1]["sitemap_id"])
        return found

    async def submission(self, host: str, url: str) -> ApiRequest:
        path = f"{await self._host(host)}/user-added-sitemaps"
        return ApiRequest("POST", f"{self._root}{path}", headers=self._headers, json={"url": url})

    async def submit(self, host: str, url: str) -> None:
        answer = await self._api.call(await self.submission(host, url))
        if answer.status == 409 or _code(answer) == _ALREADY:
            return
        self._checked(answer)

    async def searchable_pages(self, host: str) -> int | None:
        body = await self._get(f"{await self._host(host)}/summary")
        count = body.get("searchable_pages_count")
        return count if isinstance(count, int) else None

    async def _host(self, host: str) -> str:
        return f"/user/{quote(await self.user(), safe='')}/hosts/{quote(host, safe='')}"

    async def _get(self, path: str) -> dict[str, Any]:
        return self._checked(await self._api.call(ApiRequest("GET", f"{self._root}{path}", headers=self._headers)))

    def _checked(self, answer: ApiAnswer) -> dict[str, Any]:
        body = answer.json()
        if answer.ok:
            return body if isinstance(body, dict) else {}
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"Yandex could not be reached: {answer.failure}")
        said = self._api.redact(str((body or {}).get("error_message") or "")) if isinstance(body, dict) else ""
        said = said or f"status {answer.status}"
        if answer.status == 429 or _code(answer) in ("QUOTA_EXCEEDED", "TOO_MANY_REQUESTS_ERROR"):
            raise Refused(Status.POSTPONED, f"Yandex limits the rate: {said}")
        if answer.transient:
            raise Refused(Status.UNREACHABLE, f"Yandex answered {answer.status}: {said}")
        if answer.status in (401, 403):
            raise Refused(Status.REFUSED, f"Yandex rejected the token (URLSET_YANDEX_TOKEN): {said}")
        raise Refused(Status.REFUSED, f"Yandex answered {answer.status}: {said}")


def host_id(url: str) -> str:
    """`https://www.example.com/` → `https:www.example.com:443`."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}:{parts.hostname}:{port}"


def _code(answer: ApiAnswer) -> str:
    body = answer.json()
    return str(body.get("error_code") or "") if isinstance(body, dict) else ""


def _rows(body: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = body.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _sitemap(row: dict[str, Any]) -> EngineSitemap:
    read = row.get("last_access_date")
    return EngineSitemap(
        url=str(row["sitemap_url"]),
        type=str(row["sitemap_type"]) if row.get("sitemap_type") else None,
        is_index=row.get("sitemap_type") == "INDEX_SITEMAP",
        last_read=_iso(str(read)) if read else None,
        pending=not read,
        errors=row.get("errors_count") if isinstance(row.get("errors_count"), int) else None,
        urls=row.get("urls_count") if isinstance(row.get("urls_count"), int) else None,
    )


def _iso(text: str) -> str:
    """Yandex writes a comma before milliseconds and an offset without its colon."""
    text = text.replace(",", ".")
    if len(text) > 5 and text[-5] in "+-" and text[-4:].isdigit():
        text = f"{text[:-2]}:{text[-2:]}"
    return text
