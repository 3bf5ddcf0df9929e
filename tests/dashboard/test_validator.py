"""`/validator` of the dashboard: the same answers as the command, behind the same locks as every other page."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Tab
from tests.cli.commands import run
from tests.dashboard.served import Client, Got, served
from tests.house.source_tree import ROOT
from urlset.dashboard.access import LARGEST_BODY, LARGEST_UPLOAD, Protection, hash_password
from urlset.settings.serve import ServeSettings

pytestmark = pytest.mark.network
SHOP = (ROOT / "docs/samples/shop.xml").read_bytes()
_TOKEN = re.compile(r'data-token="([^"]+)"')


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(ServeSettings(state=tmp_path_factory.mktemp("state"))) as found:
        yield found


def send(client: Client, action: str, files: dict[str, bytes], **more: Any) -> Got:
    found = _TOKEN.search(client.get("/validator").text)
    assert found is not None
    request = {"action": action, "names": list(files), **more}
    head = json.dumps({"request": request, "sizes": [len(data) for data in files.values()]}).encode()
    return client.ask("POST", "/validator", head + b"\n" + b"".join(files.values()), x_form_token=found[1])


def test_findings_are_those_of_the_command(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"shop.xml": SHOP, "packed.xml.gz": gzip.compress(SHOP), "robots.txt": b"Sitemap: /x.xml\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    got = send(client, "check", files)
    assert got.status == 200, got.text
    answer = json.loads(got.text)
    assert answer["report"] == run("check", *files, "--format", "json").text
    assert list(answer["extra"]) == ["unpacked/packed.xml.gz"]


def test_fixes_are_safe_unless_chosen(client: Client) -> None:
    safe = json.loads(send(client, "fix", {"shop.xml": SHOP}).text)
    (document,) = safe["documents"]
    assert {each["code"] for each in document["applied"]} == {"X010", "L007"}
    assert "L013" in {each["code"] for each in document["left"] if each["unsafe"]}
    more = json.loads(send(client, "fix", {"shop.xml": SHOP}, unsafe=["L013"]).text)
    assert {each["code"] for each in more["documents"][0]["applied"]} == {"X010", "L007", "L013"}
    assert more["download"] == "fixed/shop.xml"
    several = json.loads(send(client, "fix", {"a.xml": SHOP, "b.xml": SHOP}).text)
    assert several["download"] == "archive/fixed-sitemaps.zip"


@pytest.mark.parametrize("form", ["html", "json", "sarif"])
def test_reports(client: Client, form: str) -> None:
    got = send(client, "report", {"shop.xml": SHOP}, format=form)
    assert "L007" in json.loads(got.text)["text"]


def test_the_description(client: Client) -> None:
    (document,) = json.loads(send(client, "info", {"shop.xml": SHOP}).text)["documents"]
    assert (document["label"], document["counts"]["urls"]) == ("sitemap", 4)


def test_names_stay_inside_the_folder(client: Client) -> None:
    names = ("../../etc/passwd", "a\\b\\c.xml", "-x.xml", "*.xml", "..", "x.xml", "x.xml", "a\x00b.xml")
    answer = json.loads(send(client, "check", dict.fromkeys(names[:6], SHOP)).text)
    assert answer["names"] == ["passwd", "c.xml", "x.xml", "_.xml", "sitemap.xml", "x-2.xml"]


@pytest.mark.parametrize(
    ("action", "more", "said"),
    [
        ("report", {"format": "xlsx"}, "unknown format 'xlsx'"),
        ("check", {"at": "file:///etc/passwd"}, "'file:///etc/passwd' is not an http or https URL"),
    ],
)
def test_a_request_that_cannot_be_answered(client: Client, action: str, more: dict[str, str], said: str) -> None:
    assert json.loads(send(client, action, {"shop.xml": SHOP}, **more).text)["error"] == said


def test_a_broken_request(client: Client) -> None:
    token = _TOKEN.search(client.get("/validator").text)
    assert token is not None
    for body in (b"", b"{}\n", b'{"request": {"action": "check", "names": ["a"]}, "sizes": [5]}\nabc', b"\xff\n"):
        assert client.ask("POST", "/validator", body, x_form_token=token[1]).status == 400


def test_no_token_no_answer(client: Client) -> None:
    assert client.ask("POST", "/validator", b"{}\n").status == 403
    assert client.ask("POST", "/validator", b"{}\n", x_form_token="guess").status == 403


def test_a_request_from_another_site(client: Client) -> None:
    got = client.ask("POST", "/validator", b"{}\n", origin="https://attacker.example", sec_fetch_site="cross-site")
    assert got.status == 403


def test_sizes(client: Client) -> None:
    assert client.ask("POST", "/validator", b"x", content_length=str(LARGEST_UPLOAD + 1)).status == 413
    assert client.ask("POST", "/runs", b"x", content_length=str(LARGEST_BODY + 1)).status == 413


def test_signing_in_comes_first(tmp_path: Path) -> None:
    access = Protection("a-token-of-decent-length", hash_password("secret"))
    with served(ServeSettings(state=tmp_path), access) as locked:
        assert locked.get("/validator").status == 303
        assert locked.ask("POST", "/validator", b"{}\n").status == 401


@pytest.mark.slow
def test_the_page(client: Client, tab: Tab) -> None:
    page = tab.open(f"{client.origin}/validator")
    page.wait_for_selector("body[data-state=ready]")
    page.get_by_label("Sitemap, feed or robots.txt").fill(SHOP.decode())
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("body[data-state=done]")
    assert page.locator("[data-code=L007][data-line='8'][data-severity=error]").count() == 1
    page.get_by_role("button", name="Fix").click()
    page.wait_for_selector("#download:not([disabled])")
    page.wait_for_selector("#info:not([hidden])")
    assert tab.accessibility() == []
    assert {each.split("/")[2] for each in tab.requests} == {client.origin.split("/")[2]}
