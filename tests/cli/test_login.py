"""`urlset engines login`: the walk through Search Console, its checks, and the same screens without Google."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from tests.house.source_tree import ROOT
from tests.servers.engines import FakeEngines, error
from urlset.cli.main import cli
from urlset.testing import PageAnswer
from urlset.workflows.engines_login import BY_PERSON, BY_SERVICE, agreeing_browser

GUIDE = (ROOT / "docs" / "search-console.md").read_text(encoding="utf-8")


@pytest.fixture
def engines() -> Iterator[FakeEngines]:
    with FakeEngines() as made:
        made.google.properties = {"https://www.example.com/": "siteOwner"}
        yield made


def environment(engines: FakeEngines, folder: Path, **more: str) -> dict[str, str]:
    return {
        **engines.endpoints(),
        "URLSET_GOOGLE_TOKEN_ENDPOINT": engines.site.url("/token"),
        "URLSET_CONFIG_HOME": str(folder / "config"),
        "GOOGLE_APPLICATION_CREDENTIALS": "",
        **more,
    }


def login(environment: dict[str, str], *arguments: str, typed: str = "") -> Result:
    given = ["engines", "login", *arguments]
    result = CliRunner().invoke(cli, given, env=environment, input=typed, standalone_mode=False)
    assert "Traceback" not in result.output
    return result


def test_a_pipe_gets_the_steps_and_no_prompt(engines: FakeEngines, tmp_path: Path) -> None:
    result = login(environment(engines, tmp_path))
    assert (result.exception, result.return_value) == (None, 1)
    for step in {*BY_PERSON, *BY_SERVICE}:
        assert step.title in result.output
        assert step.address in result.output
    assert "Which one" not in result.output
    assert engines.log == []


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.cli.engines.is_terminal", lambda _stream: True)


@pytest.mark.usefixtures("terminal")
def test_the_walk_with_a_service_account(engines: FakeEngines, tmp_path: Path) -> None:
    """A wrong file and a missing user are met on the way; the walk says what to do and goes on."""
    variables = environment(engines, tmp_path)
    key = engines.environment(tmp_path)["GOOGLE_APPLICATION_CREDENTIALS"]
    (tmp_path / "client.json").write_text('{"installed": {"client_id": "x"}}', encoding="utf-8")
    engines.plant("GET /google/webmasters/v3/sites", PageAnswer(200, "{}", type="application/json"))
    typed = ["2", "", "", "no-such.json", str(tmp_path / "client.json"), key, "", ""]
    result = login(variables, typed="\n".join(typed) + "\n")
    assert (result.exception, result.return_value) == (None, 0), result.output
    told = [
        "no-such.json does not exist",
        "is an OAuth client; choose 1, or create a key of a service account",
        "The address to add: urlset@project.iam.example",
        "fail  property: the account sees no verified property",
        "add urlset@project.iam.example as a Full user",
        "ok    property: https://www.example.com/",
        "urlset engines status https://www.example.com/",
        f"export GOOGLE_APPLICATION_CREDENTIALS={key}",
    ]
    at = [result.output.find(text) for text in told]
    assert -1 not in at, told[at.index(-1)]
    assert at == sorted(at)


@pytest.mark.usefixtures("terminal")
def test_the_walk_with_a_google_account(engines: FakeEngines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = tmp_path / "client.json"
    client.write_text('{"installed": {"client_id": "c", "client_secret": "client-secret-4711"}}', encoding="utf-8")
    (tmp_path / "key.json").write_text('{"type": "service_account"}', encoding="utf-8")
    opened: list[str] = []

    def launch(address: str) -> None:
        agreeing_browser(opened.append)(address)

    monkeypatch.setattr(click, "launch", launch)
    typed = ["1", "", "", "", str(tmp_path / "key.json"), str(client)]
    result = login(environment(engines, tmp_path), typed="\n".join(typed) + "\n")
    assert (result.exception, result.return_value) == (None, 0), result.output
    assert len(opened) == 1
    assert "is the key of a service account; choose 2" in result.output
    assert "Everything works" in result.output
    assert "4711" not in result.output, "no secret is shown"
    saved = tmp_path / "config" / "urlset" / "google.json"
    assert saved.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("reply", "step", "said"),
    [
        (
            error(403, "Search Console API has not been used", "accessNotConfigured", "PERMISSION_DENIED"),
            "Search Console API",
            "console.cloud.google.com/apis/library/searchconsole",
        ),
        (PageAnswer(200, "{}", type="application/json"), "property", "as a Full user"),
        (
            PageAnswer(
                200,
                '{"siteEntry": [{"siteUrl": "sc-domain:example.com", "permissionLevel": "siteRestrictedUser"}]}',
                type="application/json",
            ),
            "property",
            "only restricted access to sc-domain:example.com",
        ),
    ],
)
def test_each_step_is_checked(engines: FakeEngines, tmp_path: Path, reply: Any, step: str, said: str) -> None:
    engines.plant("GET /google/webmasters/v3/sites", reply)
    result = login(environment(engines, tmp_path, **engines.environment(tmp_path)))
    assert (result.exception, result.return_value) == (None, 1)
    assert f"fail  {step}: " in result.output
    assert said in result.output
    assert "ok    sign-in" in result.output


def test_a_login_that_has_ended(engines: FakeEngines, tmp_path: Path) -> None:
    saved = tmp_path / "config" / "urlset" / "google.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"type": "authorized_user", "refresh_token": "revoked"}), encoding="utf-8")
    result = login(environment(engines, tmp_path))
    assert result.return_value == 1
    assert "fail  sign-in: Google rejected the credentials" in result.output
    assert "apps in testing lose access after 7 days" in result.output


def test_the_dry_run_ends_with_the_screens_of_a_report(tmp_path: Path) -> None:
    result = login({"URLSET_CONFIG_HOME": str(tmp_path), "GOOGLE_APPLICATION_CREDENTIALS": ""}, "--dry-run")
    assert (result.exception, result.return_value) == (None, 0)
    assert "$ urlset engines index https://www.example.com/ --sample 30" in result.output
    assert "127.0.0.1" not in result.output
    assert list(tmp_path.iterdir()) == [], "nothing is kept"


@pytest.mark.parametrize("step", dict.fromkeys((*BY_PERSON, *BY_SERVICE)), ids=lambda step: step.title)
def test_the_guide_has_every_step_of_the_walk(step: Any) -> None:
    assert f"{step.title}\n" in GUIDE
    assert step.address in GUIDE
