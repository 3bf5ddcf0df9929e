"""Signing in through a loopback address, and out again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from urlset.submitting.engine import SecretError
from urlset.submitting.google import load_credentials, login, logout
from urlset.testing import PageAnswer, Request, Site

CLIENT = {"installed": {"client_id": "client-4711", "client_secret": "client-secret-4711"}}


def visit(address: str, answer: dict[str, str]) -> None:
    """What the browser does after the person agreed."""
    asked = parse_qs(urlsplit(address).query)
    back = f"{asked['redirect_uri'][0]}?{urlencode({'state': asked['state'][0], **answer})}"
    urllib.request.urlopen(back, timeout=5).read()


def sign_in(tmp_path: Path, answer: dict[str, str], token: PageAnswer) -> tuple[Path, Site, str]:
    (tmp_path / "client.json").write_text(json.dumps(CLIENT), encoding="utf-8")
    shown: list[str] = []
    with Site({"/token": token, "/revoke": PageAnswer(200, "{}")}) as site:
        environment = {
            "URLSET_CONFIG_HOME": str(tmp_path / "config"),
            "URLSET_GOOGLE_TOKEN_ENDPOINT": site.url("/token"),
            "URLSET_GOOGLE_REVOCATION_ENDPOINT": site.url("/revoke"),
        }

        async def both() -> Path:
            loop = asyncio.get_running_loop()

            def show(address: str) -> None:
                shown.append(address)
                loop.run_in_executor(None, visit, address, answer)

            return await login(tmp_path / "client.json", show, environment=environment, seconds=10)

        path = asyncio.run(both())
        assert load_credentials(environment)["refresh_token"] == "refresh-4711"
        said = asyncio.run(logout(environment=environment))
    return path, site, said


def test_the_token_is_kept_for_its_owner_only_and_revoked_in_the_end(tmp_path: Path) -> None:
    token = PageAnswer(body='{"access_token": "a", "refresh_token": "refresh-4711"}', type="application/json")
    path, site, said = sign_in(tmp_path, {"code": "code-4711"}, token)
    exchange, revocation = (parse_qs(request.body.decode()) for request in site.log)
    assert exchange["code"] == ["code-4711"]
    assert len(exchange["code_verifier"][0]) > 40
    assert revocation == {"token": ["refresh-4711"]}
    assert said == "logged out"
    assert not path.exists()
    assert path.parent.stat().st_mode & 0o077 == 0


def test_the_file_is_private(tmp_path: Path) -> None:
    modes: list[int] = []

    def token(_request: Request) -> PageAnswer:
        return PageAnswer(body='{"access_token": "a", "refresh_token": "refresh-4711"}', type="application/json")

    (tmp_path / "client.json").write_text(json.dumps(CLIENT), encoding="utf-8")
    with Site({"/token": token}) as site:
        environment = {
            "URLSET_CONFIG_HOME": str(tmp_path / "config"),
            "URLSET_GOOGLE_TOKEN_ENDPOINT": site.url("/token"),
        }

        async def run() -> Path:
            loop = asyncio.get_running_loop()

            def show(address: str) -> None:
                loop.run_in_executor(None, visit, address, {"code": "c"})

            return await login(tmp_path / "client.json", show, environment=environment, seconds=10)

        modes.append(asyncio.run(run()).stat().st_mode & 0o777)
    assert modes == [0o600]


@pytest.mark.parametrize("answer", [{"error": "access_denied"}])
def test_a_refusal_keeps_nothing(tmp_path: Path, answer: dict[str, str]) -> None:
    with pytest.raises(SecretError, match="access_denied"):
        sign_in(tmp_path, answer, PageAnswer(body="{}", type="application/json"))
    assert not (tmp_path / "config").exists()


def test_an_answer_with_another_state_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "client.json").write_text(json.dumps(CLIENT), encoding="utf-8")

    async def forged() -> Path:
        loop = asyncio.get_running_loop()

        def show(address: str) -> None:
            back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
            loop.run_in_executor(None, knock, f"{back}?state=forged&code=stolen")

        return await login(
            tmp_path / "client.json", show, environment={"URLSET_CONFIG_HOME": str(tmp_path)}, seconds=0.5
        )

    with pytest.raises(SecretError, match="no answer"):
        asyncio.run(forged())


def knock(address: str) -> None:
    with contextlib.suppress(OSError):
        urllib.request.urlopen(address, timeout=5).read()
