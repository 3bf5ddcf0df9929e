"""Each way in which an engine's report on a sitemap differs from the site is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from tests.servers.engines import error
from tests.workflows.submit.engine_sites import Stage
from urlset.cli.main import cli
from urlset.testing.exchange import PageAnswer

FRESH = "2026-11-14T12:00:00Z"


@pytest.fixture(autouse=True)
def fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794744000")  # 2026-11-15T12:00:00Z


def ask(stage: Stage, *arguments: str) -> tuple[dict[str, Any], int]:
    given = ["engines", "status", stage.site.url("/"), *arguments, "--format", "json"]
    result = CliRunner().invoke(cli, given, env=stage.environment, standalone_mode=False)
    assert result.exception is None, result.output
    return json.loads(result.stdout), int(result.return_value)


def resource(url: str, **more: Any) -> dict[str, Any]:
    return {
        "path": url,
        "lastSubmitted": "2026-10-01T00:00:00Z",
        "lastDownloaded": FRESH,
        "isPending": False,
        "type": "sitemap",
        "errors": "0",
        "warnings": "0",
        "contents": [{"type": "web", "submitted": "3", "indexed": "0"}],
        **more,
    }


def at_google(stage: Stage, *resources: dict[str, Any]) -> None:
    stage.engines.google.sitemaps[f"{stage.site.origin}/"] = {each["path"]: each for each in resources}


@pytest.fixture
def quiet(stage: Stage) -> Stage:
    """Only Google, and a sitemap it reads as it should."""
    for name in ("URLSET_BING_KEY", "URLSET_YANDEX_TOKEN"):
        stage.environment[name] = ""
    stage.serve(range(3))
    at_google(stage, resource(stage.sitemap))
    return stage


def test_a_sitemap_in_order_has_no_finding(quiet: Stage) -> None:
    body, code = ask(quiet)
    assert (body["findings"], code) == ([], 0)
    assert body["command"] == "engines status"
    assert body["sitemaps"] == [
        {
            "engine": "google",
            "url": quiet.sitemap,
            "submitted": "2026-10-01T00:00:00Z",
            "last_read": FRESH,
            "pending": False,
            "errors": 0,
            "warnings": 0,
            "their_count": 3,
            "our_count": 3,
            "known": True,
        }
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"lastDownloaded": None}, {"G026"}),
        ({"lastDownloaded": "2026-11-01T00:00:00Z"}, {"G027"}),
        ({"lastDownloaded": None, "isPending": True}, {"G028"}),
        ({"contents": [{"type": "web", "submitted": "2"}]}, {"G029"}),
        ({"errors": "1"}, {"G030"}),
        ({"warnings": "4"}, {"G031"}),
        ({"type": "NOT_A_KNOWN_TYPE"}, set()),
        ({"contents": []}, set()),
    ],
)
def test_what_google_says_becomes_findings(quiet: Stage, change: dict[str, Any], expected: set[str]) -> None:
    at_google(quiet, {key: value for key, value in resource(quiet.sitemap, **change).items() if value is not None})
    body, code = ask(quiet)
    assert set(body["counts"]) == expected
    assert code == (1 if "G030" in expected else 0)


def test_a_sitemap_that_is_not_submitted_or_known_elsewhere_only(quiet: Stage) -> None:
    quiet.engines.google.sitemaps.clear()
    assert set(ask(quiet)[0]["counts"]) == {"G034"}
    at_google(quiet, resource(quiet.sitemap.replace("http:", "https:")))
    assert "G032" in ask(quiet, "--timeout", "1")[0]["counts"]  # the server answers no https


def test_a_submitted_sitemap_that_is_gone(quiet: Stage) -> None:
    at_google(quiet, resource(quiet.sitemap), resource(quiet.site.url("/old.xml")))
    body, code = ask(quiet)
    assert (set(body["counts"]), code) == ({"G033"}, 1)


def test_children_of_a_known_index_are_known(quiet: Stage) -> None:
    child = quiet.site.url("/a.xml")
    quiet.site.routes["/a.xml"] = quiet.site.routes["/sitemap.xml"]
    quiet.site.routes["/sitemap.xml"] = (
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<sitemap><loc>{child}</loc></sitemap></sitemapindex>"
    )
    at_google(quiet, resource(quiet.sitemap, isSitemapsIndex=True))
    quiet.engines.google.children[quiet.sitemap] = [resource(child)]
    body, _ = ask(quiet)
    assert body["counts"] == {}
    assert {row["url"] for row in body["sitemaps"]} == {quiet.sitemap, child}


def test_all_three_engines_are_asked(stage: Stage) -> None:
    stage.serve(range(3))
    at_google(stage, resource(stage.sitemap))
    site = f"{stage.site.origin}/"
    stage.engines.bing.feeds[site] = [
        {"Url": stage.sitemap, "LastCrawled": "/Date(1794700000000-0800)/", "UrlCount": 3, "Status": "Success"}
    ]
    host = next(iter(stage.engines.yandex.hosts))
    stage.engines.yandex.sitemaps[host] = [
        {
            "sitemap_id": "c7-fe:80-c0",
            "sitemap_url": stage.sitemap,
            "last_access_date": "2026-11-14T00:00:00,000+0300",
            "errors_count": 2,
            "urls_count": 3,
            "sitemap_type": "SITEMAP",
        }
    ]
    body, _ = ask(stage)
    assert [row["engine"] for row in body["sitemaps"]] == ["google", "bing", "yandex"]
    assert body["sitemaps"][1]["last_read"].startswith("2026-11-1")
    assert body["counts"] == {"G030": 1}


def test_an_engine_that_cannot_be_asked_does_not_silence_the_others(stage: Stage) -> None:
    stage.serve(range(3))
    stage.engines.plant("GetUserSites", PageAnswer(400, '{"ErrorCode": 3, "Message": "ERROR!!! InvalidApiKey"}'))
    at_google(stage, resource(stage.sitemap))
    body, code = ask(stage)
    assert code == 2
    assert "google" in {row["engine"] for row in body["sitemaps"]}


def test_an_empty_account_and_a_forbidden_one(quiet: Stage) -> None:
    quiet.engines.plant("/sites", error(403, "User does not have sufficient permission", "forbidden"))
    assert ask(quiet)[1] == 2
    quiet.engines.google.properties.clear()
    assert ask(quiet)[1] == 2


def test_text_and_html_are_readable(quiet: Stage) -> None:
    at_google(quiet, resource(quiet.sitemap, errors="2"))
    shown = {}
    for form in ("text", "html", "csv"):
        given = ["engines", "status", quiet.site.url("/"), "--format", form]
        shown[form] = CliRunner().invoke(cli, given, env=quiet.environment, standalone_mode=False).stdout
    assert "2 errors" in shown["text"]
    assert "<html" in shown["html"]
    assert "G030" in shown["html"]
    assert shown["csv"].splitlines()[1].startswith(f"google,{quiet.sitemap},")
