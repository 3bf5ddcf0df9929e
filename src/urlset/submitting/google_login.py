"""A person's consent in the browser → a refresh token in a file that only they can read; and its end."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from urlset.spec.submission import (
    GOOGLE_AUTHORIZATION,
    GOOGLE_AUTHORIZATION_VARIABLE,
    GOOGLE_REVOCATION,
    GOOGLE_REVOCATION_VARIABLE,
    GOOGLE_TOKEN_ENDPOINT,
    GOOGLE_TOKEN_VARIABLE,
    GOOGLE_WRITE_SCOPE,
)
from urlset.submitting.google_tokens import token_file
from urlset.submitting.secrets import SecretError
from urlset.web.api import Api, ApiRequest
from urlset.web.sign_in import Landing

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
        root = (
            environment.get(GOOGLE_AUTHORIZATION_VARIABLE, "").strip() or client.get("auth_uri") or GOOGLE_AUTHORIZATION
        )
        show(f"{root}?{urlencode(asked)}")
        try:
            given = await landing.arrival(seconds)
        except TimeoutError:
            raise SecretError("no answer from the browser; run `urlset login google` again") from None
        if "code" not in given:
            raise SecretError(f"Google did not grant access: {given.get('error', 'no code')}")
        found = await _exchange(client, given["code"], verifier, landing.url, environment)
    path = token_file(environment)
    _write_private(path, found)
    return path


async def _exchange(
    client: dict[str, Any], code: str, verifier: str, landing: str, environment: Mapping[str, str]
) -> dict[str, str]:
    endpoint = environment.get(GOOGLE_TOKEN_VARIABLE, "").strip() or client.get("token_uri") or GOOGLE_TOKEN_ENDPOINT
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
        body = answer.json()
        if not answer.ok or not isinstance(body, dict) or not body.get("refresh_token"):
            said = body.get("error_description") or body.get("error") if isinstance(body, dict) else None
            raise SecretError(
                f"Google gave no refresh token: {api.redact(str(said or answer.failure or answer.status))}"
            )
    return {
        "type": "authorized_user",
        "client_id": form["client_id"],
        "client_secret": form["client_secret"],
        "refresh_token": str(body["refresh_token"]),
        "token_uri": str(endpoint),
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
    found = body.get("installed") or body.get("web") if isinstance(body, dict) else None
    if not isinstance(found, dict) or not found.get("client_id"):
        raise SecretError(f"{path} is not the JSON file of an OAuth client of type Desktop app")
    return found


def _write_private(path: Path, info: dict[str, str]) -> None:
    """Whole or not at all, and never readable by others, not even for a moment."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(info, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
