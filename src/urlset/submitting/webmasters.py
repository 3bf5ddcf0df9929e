"""Bing, Yandex, Baidu and IndexNow: sites, sitemaps and URL batches → plain values or Refused; and open accounts."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from urlset.spec.protocol import INDEXNOW_KEY_CHARACTERS, INDEXNOW_KEY_LENGTH
from urlset.spec.submission import GOOGLE_READ_SCOPE, Channel
from urlset.submitting.engine import (
    Refused,
    Secret,
    SecretError,
    Status,
    endpoint_of,
    find_secret,
    members,
    need_secret,
    refusal_of,
    rows_in,
)
from urlset.submitting.google import EngineSitemap, Google, GoogleTokens, load_credentials
from urlset.web.api import Api, ApiAnswer, ApiRequest

# Bing Webmaster API (JSON): sites, feeds, URL batches, quota, crawl figures.

_DATE = re.compile(r"/Date\((-?\d+)([+-]\d{4})?\)/")
_INVALID_KEY, _THROTTLED, _NOT_ALLOWED = 3, (4, 5), (13, 14)
_EXISTS = 12


class Bing:
    """One account, known by its key, which Bing wants in every address."""

    def __init__(self, api: Api, key: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._key = api, key
        api.hide([key.reveal()])
        self._root = endpoint_of(Channel.BING, environment)

    async def sites(self) -> list[str]:
        return [str(row["Url"]) for row in rows_in(await self._get("GetUserSites")) if row.get("Url")]

    async def feeds(self, site: str) -> list[EngineSitemap]:
        return [_bing_sitemap(row) for row in rows_in(await self._get("GetFeeds", siteUrl=site)) if row.get("Url")]

    def feed_submission(self, site: str, feed: str) -> ApiRequest:
        return self._post("SubmitFeed", {"siteUrl": site, "feedUrl": feed})

    async def submit_feed(self, site: str, feed: str) -> None:
        self._checked(await self._api.call(self.feed_submission(site, feed)), harmless=(_EXISTS,))

    def url_submission(self, site: str, urls: Sequence[str]) -> ApiRequest:
        return self._post("SubmitUrlBatch", {"siteUrl": site, "urlList": list(urls)})

    async def submit_urls(self, site: str, urls: Sequence[str]) -> None:
        self._checked(await self._api.call(self.url_submission(site, urls)))

    async def quota_left(self, site: str) -> int:
        found = members(await self._get("GetUrlSubmissionQuota", siteUrl=site))
        return max(0, min(int(found.get("DailyQuota") or 0), int(found.get("MonthlyQuota") or 0)))

    async def indexed_pages(self, site: str) -> tuple[str, int] | None:
        """The newest day with a count of pages in the index."""
        rows = [
            (day, int(row.get("InIndex") or 0))
            for row in rows_in(await self._get("GetCrawlStats", siteUrl=site))
            if (day := _moment(row.get("Date")))
        ]
        return max(rows, default=None)

    async def _get(self, method: str, **query: str) -> Any:
        asked = urlencode({**query, "apikey": self._key.reveal()})
        return self._checked(await self._api.call(ApiRequest("GET", f"{self._root}/{method}?{asked}")))

    def _post(self, method: str, body: dict[str, Any]) -> ApiRequest:
        return ApiRequest("POST", f"{self._root}/{method}?{urlencode({'apikey': self._key.reveal()})}", json=body)

    def _checked(self, answer: ApiAnswer, harmless: tuple[int, ...] = ()) -> Any:
        body = members(answer.json())
        code, status = body.get("ErrorCode"), answer.status
        if answer.ok and not code:
            return body.get("d")
        if code in harmless:
            return None
        rejected = "Bing answered"
        if code == _INVALID_KEY or status == 401:
            rejected = "Bing rejected the API key (URLSET_BING_KEY)"
        elif code in _NOT_ALLOWED or status == 403:
            rejected = "the account has no permission for this site at Bing"
        said = self._api.redact(str(body["Message"])) if body.get("Message") else f"status {status}"
        throttled = status == 429 or code in _THROTTLED
        raise refusal_of("Bing", answer, said, rejected, throttled=throttled, lasting=code not in (None, 1, 2))


def _bing_sitemap(row: dict[str, Any]) -> EngineSitemap:
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


# Yandex Webmaster API v4: hosts, sitemaps, summary.

_PAGE = 100
_MOST_PAGES = 500
_ALREADY = "SITEMAP_ALREADY_ADDED"


class Yandex:
    """One account, known by its token."""

    def __init__(self, api: Api, token: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._headers = api, (("Authorization", f"OAuth {token.reveal()}"),)
        api.hide([token.reveal()])
        self._root = endpoint_of(Channel.YANDEX, environment)
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
            for row in rows_in(body.get("hosts"))
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
            rows = rows_in((await self._get(f"{await self._host(host)}/sitemaps?{query}")).get("sitemaps"))
            found += [_yandex_sitemap(row) for row in rows if row.get("sitemap_url")]
            if len(rows) < _PAGE or not rows[-1].get("sitemap_id"):
                break
            last = str(rows[-1]["sitemap_id"])
        return found

    async def submission(self, host: str, url: str) -> ApiRequest:
        path = f"{await self._host(host)}/user-added-sitemaps"
        return ApiRequest("POST", f"{self._root}{path}", headers=self._headers, json={"url": url})

    async def submit(self, host: str, url: str) -> None:
        answer = await self._api.call(await self.submission(host, url))
        if answer.status == 409 or members(answer.json()).get("error_code") == _ALREADY:
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
        body = members(answer.json())
        if answer.ok:
            return body
        said = self._api.redact(str(body.get("error_message") or "")) or f"status {answer.status}"
        is_token = answer.status in (401, 403)
        rejected = "Yandex rejected the token (URLSET_YANDEX_TOKEN)" if is_token else f"Yandex answered {answer.status}"
        throttled = answer.status == 429 or body.get("error_code") in ("QUOTA_EXCEEDED", "TOO_MANY_REQUESTS_ERROR")
        raise refusal_of("Yandex", answer, said, rejected, throttled=throttled)


def host_id(url: str) -> str:
    """`https://www.example.com/` → `https:www.example.com:443`."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}:{parts.hostname}:{port}"


def _yandex_sitemap(row: dict[str, Any]) -> EngineSitemap:
    read = str(row.get("last_access_date") or "").replace(",", ".")  # Yandex writes a comma before milliseconds
    if len(read) > 5 and read[-5] in "+-" and read[-4:].isdigit():  # and an offset without its colon
        read = f"{read[:-2]}:{read[-2:]}"
    return EngineSitemap(
        url=str(row["sitemap_url"]),
        type=str(row["sitemap_type"]) if row.get("sitemap_type") else None,
        is_index=row.get("sitemap_type") == "INDEX_SITEMAP",
        last_read=read or None,
        pending=not read,
        errors=row.get("errors_count") if isinstance(row.get("errors_count"), int) else None,
        urls=row.get("urls_count") if isinstance(row.get("urls_count"), int) else None,
    )


# Baidu push: lines of URLs over plain HTTP, the token in the address, off by default.


class Pushed(msgspec.Struct, frozen=True):
    """The part of a batch that was accepted, and what is left of the day's quota."""

    rejected: frozenset[str]
    accepted: int
    remaining: int


class Baidu:
    def __init__(self, api: Api, token: Secret, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self._token = api, token
        api.hide([token.reveal()])
        self._endpoint = endpoint_of(Channel.BAIDU, environment)

    def submission(self, site: str, urls: Sequence[str]) -> ApiRequest:
        query = urlencode({"site": site, "token": self._token.reveal()})
        return ApiRequest("POST", f"{self._endpoint}?{query}", text="\n".join(urls))

    async def submit(self, site: str, urls: Sequence[str]) -> Pushed:
        answer = await self._api.call(self.submission(site, urls))
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"Baidu could not be reached: {answer.failure}")
        found = members(answer.json())
        if "success" not in found:
            said = self._api.redact(str(found.get("message") or f"status {answer.status}"))
            postponed = answer.status == 429 or "quota" in said.lower()
            status = Status.POSTPONED if postponed else Status.UNREACHABLE if answer.transient else Status.REFUSED
            raise Refused(status, f"Baidu answered: {said}")
        rejected = frozenset(str(url) for key in ("not_same_site", "not_valid") for url in found.get(key) or ())
        return Pushed(rejected, int(found["success"]), int(found.get("remain") or 0))


# IndexNow: a key, its file on the site, and batches of changed URLs.

_SHORTEST, _LONGEST = INDEXNOW_KEY_LENGTH
_KEY = re.compile(f"{INDEXNOW_KEY_CHARACTERS}{{{_SHORTEST},{_LONGEST}}}")


def new_key() -> str:
    """32 hexadecimal digits, which satisfies every reading of the documentation."""
    return secrets.token_hex(16)


def key_problem(key: str) -> str | None:
    """Why a key cannot be used; None for a good one."""
    if _KEY.fullmatch(key):
        return None
    return f"an IndexNow key has {_SHORTEST} to {_LONGEST} characters of A-Z, a-z, 0-9 and -"


def key_address(origin: str, key: str) -> str:
    return f"{origin.rstrip('/')}/{key}.txt"


def within_reach(url: str, key_location: str) -> bool:
    """A key file counts for its host, and for the folder it is in when that is not the root."""
    place, page = urlsplit(key_location), urlsplit(url)
    folder = place.path.rpartition("/")[0] + "/"
    return (page.netloc or "").lower() == (place.netloc or "").lower() and (page.path or "/").startswith(folder)


class IndexNow:
    """One key at one endpoint; the endpoint shares what it receives with the others."""

    def __init__(self, api: Api, key: str, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self.key = api, key
        self._endpoint = endpoint_of(Channel.INDEXNOW, environment)

    async def verify(self, location: str) -> None:
        """Raises Refused unless the key file is in place and holds the key."""
        answer = await self._api.call(ApiRequest("GET", location))
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"could not fetch the key file {location}: {answer.failure}")
        if answer.status != 200:
            raise Refused(
                Status.REFUSED,
                f"the key file {location} answers {answer.status}; put a file there whose only content is the key",
            )
        if answer.body.decode("utf-8", "replace").removeprefix("\ufeff").strip() != self.key:
            raise Refused(Status.REFUSED, f"the key file {location} does not hold the key")

    def submission(self, host: str, location: str, urls: Sequence[str]) -> ApiRequest:
        body = {"host": host, "key": self.key, "keyLocation": location, "urlList": list(urls)}
        return ApiRequest("POST", self._endpoint, json=body)

    async def submit(self, host: str, location: str, urls: Sequence[str]) -> str:
        """Returns what the endpoint said, in words; raises Refused."""
        answer = await self._api.call(self.submission(host, location, urls))
        if answer.status == 200:
            return ""
        if answer.status == 202:
            return "received; the key is validated later"
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"IndexNow could not be reached: {answer.failure}")
        if answer.status == 429:
            raise Refused(Status.POSTPONED, "IndexNow answered 429 (too many requests); wait at least 10 minutes")
        if answer.transient:
            raise Refused(Status.UNREACHABLE, f"IndexNow answered {answer.status}")
        meaning = {
            400: "the request is malformed",
            403: "the key is not valid: its file is missing or holds something else",
            422: "a URL is not on the host, or the key does not match",
        }.get(answer.status or 0, f"status {answer.status}")
        raise Refused(Status.REFUSED, f"IndexNow refused: {meaning}")


# Environment → clients of the engines whose credentials are there; read-only at Google.


class Accounts(msgspec.Struct, frozen=True):
    google: Google | None = None
    bing: Bing | None = None
    yandex: Yandex | None = None
    notes: tuple[str, ...] = ()


def open_accounts(api: Api, wanted: tuple[Channel, ...], environment: Mapping[str, str] = os.environ) -> Accounts:
    """Those wanted by name must have credentials (SecretError); with none named, all that have are used."""
    notes: list[str] = []
    google = None
    if Channel.GOOGLE in wanted or not wanted:
        try:
            tokens = GoogleTokens(api, load_credentials(environment), GOOGLE_READ_SCOPE, environment=environment)
            google = Google(api, tokens, environment=environment)
        except SecretError as error:
            if wanted:
                raise
            notes.append(f"google was skipped: {error}")
    key = _secret(Channel.BING, "URLSET_BING_KEY", "Bing API key", wanted, environment)
    bing = None if key is None else Bing(api, key, environment=environment)
    token = _secret(Channel.YANDEX, "URLSET_YANDEX_TOKEN", "Yandex token", wanted, environment)
    yandex = None if token is None else Yandex(api, token, environment=environment)
    if google is None and bing is None and yandex is None:
        raise SecretError("no credentials of any engine were found; see `urlset engines --help`")
    return Accounts(google, bing, yandex, tuple(notes))


def _secret(
    channel: Channel, variable: str, what: str, wanted: tuple[Channel, ...], environment: Mapping[str, str]
) -> Secret | None:
    if not wanted:
        return find_secret(variable, environment)
    return need_secret(variable, what, environment) if channel in wanted else None
