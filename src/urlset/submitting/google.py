"""Search Console API: sites, sitemaps, URL inspection, search analytics → plain values or Refused."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from urlset.spec.submission import (
    GOOGLE_AUTHORIZATION,
    GOOGLE_AUTHORIZATION_VARIABLE,
    GOOGLE_REVOCATION,
    GOOGLE_REVOCATION_VARIABLE,
    GOOGLE_TOKEN_ENDPOINT,
    GOOGLE_TOKEN_VARIABLE,
    GOOGLE_WRITE_SCOPE,
    Channel,
)
from urlset.submitting.engine import Refused, SecretError, Status, endpoint_of, members, refusal_of, rows_in
from urlset.web.api import Api, ApiAnswer, ApiRequest
from urlset.web.status_server import Landing
from urlset.writing.files import make_state_folder, write_atomically

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
        self._root = endpoint_of(Channel.GOOGLE, environment)

    async def properties(self) -> list[Property]:
        body = await self._read("GET", "/webmasters/v3/sites")
        return [
            Property(str(site["siteUrl"]), str(site.get("permissionLevel", "")))
            for site in rows_in(body.get("siteEntry"))
            if site.get("siteUrl")
        ]

    async def sitemaps(self, name: str, index: str | None = None) -> list[EngineSitemap]:
        """Those submitted; with `index`, the children of that one as Google sees them."""
        query = f"?{urlencode({'sitemapIndex': index})}" if index else ""
        body = await self._read("GET", f"{self._site(name)}/sitemaps{query}")
        return [_sitemap(row) for row in rows_in(body.get("sitemap")) if row.get("path")]

    async def sitemap(self, name: str, url: str) -> EngineSitemap | None:
        answer = await self._call(self.submission(name, url, "GET"))
        if answer.status == 404:
            return None
        body = self._checked(answer)
        return _sitemap(body) if body.get("path") else None

    def submission(self, name: str, url: str, method: str = "PUT") -> ApiRequest:
        return ApiRequest(method, f"{self._root}{self._site(name)}/sitemaps/{_segment(url)}")

    async def submit(self, name: str, url: str) -> None:
        self._checked(await self._call(self.submission(name, url)))

    async def delete(self, name: str, url: str) -> None:
        self._checked(await self._call(self.submission(name, url, "DELETE")))

    async def inspect(self, name: str, url: str) -> Inspection:
        asked = {"inspectionUrl": url, "siteUrl": name, "languageCode": "en-US"}
        body = await self._read("POST", "/v1/urlInspection/index:inspect", asked)
        status = members(members(body.get("inspectionResult")).get("indexStatusResult"))
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

    async def pages_with_impressions(self, name: str, start: str, end: str) -> AsyncIterator[str]:
        """Pages that search results showed between two days: each is indexed, but not every indexed page is here."""
        for first in range(0, _ROWS_PER_DAY, _ROWS):
            asked = {"startDate": start, "endDate": end, "dimensions": ["page"], "rowLimit": _ROWS, "startRow": first}
            body = await self._read("POST", f"{self._site(name)}/searchAnalytics/query", asked)
            rows = rows_in(body.get("rows"))
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
        if answer.ok:
            return members(answer.json())
        raise refusal(answer, self._api, self._tokens.account)


def refusal(answer: ApiAnswer, api: Api, account: str) -> Refused:
    """What an error answer means and what to do about it."""
    error = members(members(answer.json()).get("error"))
    said = api.redact(str(error.get("message") or f"status {answer.status}"))
    listed = [*rows_in(error.get("errors")), *rows_in(error.get("details"))]
    reasons = {folded(str(each["reason"])) for each in listed if each.get("reason")}
    if answer.status == 429 or "quotaexceeded" in reasons or "ratelimitexceeded" in reasons:
        return Refused(Status.POSTPONED, f"Search Console quota reached: {said}")
    rejected = f"Search Console answered {answer.status}"
    if answer.status == 401:
        rejected = "Search Console rejected the token"
    elif "servicedisabled" in reasons:
        rejected = "the Search Console API is off in the credentials' Cloud project; enable it there"
    elif answer.status == 403:
        rejected = "no permission"
        said += f"; add {account} as a full user of the property in Search Console" if account else ""
    return refusal_of("Search Console", answer, said, rejected)


def _segment(text: str) -> str:
    return quote(text, safe="")


def _sitemap(row: dict[str, Any]) -> EngineSitemap:
    counts = [
        _number(each.get("submitted"))
        for each in rows_in(row.get("contents"))
        if folded(str(each.get("type"))) == "web"
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


def _number(value: object) -> int | None:
    """Google writes 64-bit integers as strings."""
    try:
        return int(str(value))
    except ValueError:
        return None


# Google credentials → access tokens: a service account signs a grant, a signed-in person has a refresh token.

_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LIFE = 3600
_EARLY = 120
"""seconds before its end at which a token is renewed"""


def token_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where `urlset engines login google` keeps the refresh token."""
    folder = environment.get("URLSET_CONFIG_HOME") or environment.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "urlset" / "google.json"


def load_credentials(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The key file that GOOGLE_APPLICATION_CREDENTIALS names, or what the login kept. Raises SecretError."""
    named = environment.get("GOOGLE_APPLICATION_CREDENTIALS", "").strip()
    path = Path(named).expanduser() if named else token_file(environment)
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if named:
            raise SecretError(f"GOOGLE_APPLICATION_CREDENTIALS: {named} does not exist") from None
        raise SecretError(
            "no Google credentials: set GOOGLE_APPLICATION_CREDENTIALS to a service account key, "
            "or run `urlset engines login google`"
        ) from None
    except (OSError, ValueError):
        raise SecretError(f"{path} is not a readable JSON key file") from None
    if not isinstance(info, dict) or info.get("type") not in ("service_account", "authorized_user"):
        raise SecretError(f"{path} is neither a service account key nor a login of `urlset engines login google`")
    return info


class GoogleTokens:
    """Hands out a token for one scope and renews it before it ends."""

    def __init__(
        self, api: Api, info: dict[str, Any], scope: str, *, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._api, self._info, self._scope = api, info, scope
        self._endpoint = _token_endpoint(environment, info)
        self._token, self._until = "", 0.0
        secrets = (info.get(name) for name in ("private_key", "refresh_token", "client_secret"))
        api.hide(str(secret) for secret in secrets if secret)

    @property
    def account(self) -> str:
        """The mail address that must be a user of the property; empty for a person's login."""
        return str(self._info.get("client_email") or "")

    async def token(self) -> str:
        """Raises Refused with what to do about it."""
        if time.time() < self._until - _EARLY:
            return self._token
        if self._info["type"] == "authorized_user":
            names = ("client_id", "client_secret", "refresh_token")
            form = {"grant_type": "refresh_token"} | {name: str(self._info.get(name, "")) for name in names}
        else:
            form = self._signed()
        answer = await self._api.call(ApiRequest("POST", self._endpoint, form=tuple(form.items())))
        body = members(answer.json())
        if answer.failure is not None or (answer.status or 0) >= 500:
            raise Refused(Status.UNREACHABLE, f"Google's token endpoint: {answer.failure or answer.status}")
        if not answer.ok or not body.get("access_token"):
            said = str(body.get("error_description") or body.get("error") or f"status {answer.status}")
            advice = ""
            if body.get("error") == "invalid_grant" and self._info["type"] == "authorized_user":
                advice = "; run `urlset engines login google` again (apps in testing lose access after 7 days)"
            elif body.get("error") == "invalid_grant":
                advice = "; check the clock of this machine and that the key was not deleted"
            raise Refused(Status.REFUSED, f"Google rejected the credentials: {self._api.redact(said)}{advice}")
        self._token = str(body["access_token"])
        self._api.hide([self._token])
        self._until = time.time() + float(body.get("expires_in") or _LIFE)
        return self._token

    def _signed(self) -> dict[str, str]:
        try:
            from google.auth import crypt, jwt
        except ImportError:
            raise SecretError("Search Console needs google-auth: pip install 'urlset[seo]'") from None
        now = int(time.time())
        claims = {
            "iss": self._info.get("client_email"),
            "scope": self._scope,
            "aud": self._info.get("token_uri") or GOOGLE_TOKEN_ENDPOINT,
            "iat": now,
            "exp": now + _LIFE,
        }
        try:
            signer = crypt.RSASigner.from_service_account_info(self._info)  # type: ignore[no-untyped-call]
            signed: bytes = jwt.encode(signer, claims)  # type: ignore[no-untyped-call]
        except (ValueError, KeyError, TypeError):
            raise SecretError("the service account key file holds no usable private key") from None
        assertion = signed.decode("ascii")
        self._api.hide([assertion])
        return {"grant_type": _GRANT, "assertion": assertion}


def _token_endpoint(environment: Mapping[str, str], info: dict[str, Any]) -> str:
    return environment.get(GOOGLE_TOKEN_VARIABLE, "").strip() or str(info.get("token_uri") or GOOGLE_TOKEN_ENDPOINT)


# A person's consent in the browser → a refresh token in a file that only they can read; and its end.

_SECONDS = 300.0


async def login(
    client_file: Path,
    show: Callable[[str], None],
    *,
    environment: Mapping[str, str] = os.environ,
    seconds: float = _SECONDS,
) -> Path:
    """Show the address to open, wait for the browser to come back, keep the token. Raises SecretError."""
    client = _client(client_file)
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    async with Landing(lambda given: given.get("state") == state) as landing:
        asked = {
            "client_id": client["client_id"],
            "redirect_uri": landing.url,
            "response_type": "code",
            "scope": GOOGLE_WRITE_SCOPE,
            "access_type": "offline",
            "prompt": "consent",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        root = environment.get(GOOGLE_AUTHORIZATION_VARIABLE, "").strip() or client.get("auth_uri")
        show(f"{root or GOOGLE_AUTHORIZATION}?{urlencode(asked)}")
        try:
            given = await landing.arrival(seconds)
        except TimeoutError:
            raise SecretError("no answer from the browser; run `urlset engines login google` again") from None
        if "code" not in given:
            raise SecretError(f"Google did not grant access: {given.get('error', 'no code')}")
        found = await _exchange(client, given["code"], verifier, landing.url, environment)
    path = token_file(environment)
    # whole or not at all, and never readable by others, not even for a moment
    make_state_folder(path.parent)
    write_atomically(path, [json.dumps(found).encode()], private=True)
    return path


async def _exchange(
    client: dict[str, Any], code: str, verifier: str, landing: str, environment: Mapping[str, str]
) -> dict[str, str]:
    endpoint = _token_endpoint(environment, client)
    form = {
        "grant_type": "authorization_code",
        "client_id": str(client["client_id"]),
        "client_secret": str(client.get("client_secret", "")),
        "code": code,
        "code_verifier": verifier,
        "redirect_uri": landing,
    }
    async with Api() as api:
        api.hide([form["client_secret"], code, verifier])
        answer = await api.call(ApiRequest("POST", endpoint, form=tuple(form.items()), idempotent=False))
        body = members(answer.json())
        if not answer.ok or not body.get("refresh_token"):
            said = body.get("error_description") or body.get("error") or answer.failure or answer.status
            raise SecretError(f"Google gave no refresh token: {api.redact(str(said))}")
    return {
        "type": "authorized_user",
        "client_id": form["client_id"],
        "client_secret": form["client_secret"],
        "refresh_token": str(body["refresh_token"]),
        "token_uri": endpoint,
    }


async def logout(*, environment: Mapping[str, str] = os.environ) -> str:
    """Revoke the token and delete the file; what was done, in words."""
    path = token_file(environment)
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "not logged in"
    except (OSError, ValueError):
        info = {}
    endpoint = environment.get(GOOGLE_REVOCATION_VARIABLE, "").strip() or GOOGLE_REVOCATION
    revoked = False
    if token := str(info.get("refresh_token") or ""):
        async with Api(tries=2) as api:
            api.hide([token])
            revoked = (await api.call(ApiRequest("POST", endpoint, form=(("token", token),)))).ok
    path.unlink(missing_ok=True)
    return "logged out" if revoked else "login removed here; revoke access at myaccount.google.com/permissions"


def _client(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise SecretError(f"{path} is not a readable JSON file of an OAuth client") from None
    found = members(members(body).get("installed") or members(body).get("web"))
    if not found.get("client_id"):
        raise SecretError(f"{path} is not the JSON file of an OAuth client of type Desktop app")
    return found


# A URL and the properties of an account → the most specific property that contains it.

DOMAIN = "sc-domain:"
_UNVERIFIED = "siteunverifieduser"


class Property(msgspec.Struct, frozen=True):
    """A site in Search Console, named exactly as Google names it."""

    name: str
    permission: str = ""

    @property
    def verified(self) -> bool:
        return folded(self.permission) != _UNVERIFIED

    def contains(self, url: str) -> bool:
        if self.name.startswith(DOMAIN):
            domain, host = self.name.removeprefix(DOMAIN).lower(), (urlsplit(url).hostname or "").lower()
            return host == domain or host.endswith(f".{domain}")
        return _normal(url).startswith(_normal(self.name))


def folded(text: str) -> str:
    """Enum values as the wire and the discovery document spell them alike: `siteOwner` and `SITE_OWNER`."""
    return text.replace("_", "").lower()


def most_specific(url: str, properties: Iterable[Property]) -> Property | None:
    """The longest verified prefix; a domain property only where no prefix fits."""
    fitting = [each for each in properties if each.verified and each.contains(url)]
    return max(fitting, key=lambda each: (not each.name.startswith(DOMAIN), len(each.name)), default=None)


def exact_name(text: str) -> str:
    """A property as a person may write it → as Search Console names it: a prefix ends with a slash."""
    text = text.strip()
    if text.startswith(DOMAIN) or not text:
        return text.lower()
    if "://" not in text:
        return f"{DOMAIN}{text.lower().rstrip('/')}" if "/" not in text.rstrip("/") else f"https://{text}"
    return text if text.endswith("/") else f"{text}/"


def _normal(url: str) -> str:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    port = f":{parts.port}" if parts.port and parts.port != default else ""
    return f"{parts.scheme.lower()}://{(parts.hostname or '').lower()}{port}{parts.path or '/'}"
