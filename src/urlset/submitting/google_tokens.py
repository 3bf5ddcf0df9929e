"""Google credentials → access tokens: a service account signs a grant, a signed-in person has a refresh token."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from urlset.spec.submission import GOOGLE_TOKEN_ENDPOINT, GOOGLE_TOKEN_VARIABLE
from urlset.submitting.receipt import Refused, Status
from urlset.submitting.secrets import SecretError
from urlset.web.api import Api, ApiRequest

_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LIFE = 3600
_EARLY = 120
"""seconds before its end at which a token is renewed"""


def token_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where `urlset login google` keeps the refresh token."""
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
            "or run `urlset login google`"
        ) from None
    except (OSError, ValueError):
        raise SecretError(f"{path} is not a readable JSON key file") from None
    if not isinstance(info, dict) or info.get("type") not in ("service_account", "authorized_user"):
        raise SecretError(f"{path} is neither a service account key nor a login of `urlset login google`")
    return info


class GoogleTokens:
    """Hands out a token for one scope and renews it before it ends."""

    def __init__(
        self,
        api: Api,
        info: dict[str, Any],
        scope: str,
        *,
        environment: Mapping[str, str] = os.environ,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._api, self._info, self._scope, self._now = api, info, scope, now
        self._endpoint = (
            environment.get(GOOGLE_TOKEN_VARIABLE, "").strip() or info.get("token_uri") or GOOGLE_TOKEN_ENDPOINT
        )
        self._token, self._until = "", 0.0
        secrets = (info.get(name) for name in ("private_key", "refresh_token", "client_secret"))
        api.hide(str(secret) for secret in secrets if secret)

    @property
    def account(self) -> str:
        """The mail address that must be a user of the property; empty for a person's login."""
        return str(self._info.get("client_email") or "")

    async def token(self) -> str:
        """Raises Refused with what to do about it."""
        if self._now() < self._until - _EARLY:
            return self._token
        form = self._refresh() if self._info["type"] == "authorized_user" else self._signed()
        answer = await self._api.call(ApiRequest("POST", self._endpoint, form=tuple(form.items())))
        body = answer.json()
        if answer.failure is not None or (answer.status or 0) >= 500:
            raise Refused(Status.UNREACHABLE, f"Google's token endpoint: {answer.failure or answer.status}")
        if not answer.ok or not isinstance(body, dict) or not body.get("access_token"):
            raise Refused(Status.REFUSED, self._refusal(body if isinstance(body, dict) else {}, answer.status))
        self._token = str(body["access_token"])
        self._api.hide([self._token])
        self._until = self._now() + float(body.get("expires_in") or _LIFE)
        return self._token

    def _refresh(self) -> dict[str, str]:
        info = self._info
        return {
            "grant_type": "refresh_token",
            "client_id": str(info.get("client_id", "")),
            "client_secret": str(info.get("client_secret", "")),
            "refresh_token": str(info.get("refresh_token", "")),
        }

    def _signed(self) -> dict[str, str]:
        try:
            from google.auth import crypt, jwt
        except ImportError:
            raise SecretError("Search Console needs the extra: pip install 'urlset[google]'") from None
        now = int(self._now())
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

    def _refusal(self, body: dict[str, Any], status: int | None) -> str:
        said = str(body.get("error_description") or body.get("error") or f"status {status}")
        if body.get("error") == "invalid_grant":
            advice = (
                "run `urlset login google` again (apps in testing lose access after 7 days)"
                if self._info["type"] == "authorized_user"
                else "check the clock of this machine and that the key was not deleted"
            )
            return f"Google rejected the credentials: {self._api.redact(said)}; {advice}"
        return f"Google rejected the credentials: {self._api.redact(said)}"
