"""A staging server behind a password, reached as the production site by every command that fetches.

Everything that any of them writes is searched for the credentials, though the server repeats them in each answer.
"""

from __future__ import annotations

import base64
import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Ran, run
from tests.workflows.audit_sites import page, sitemap
from urlset.testing import PageAnswer, Request, Site, redirect
from urlset.testing.exchange import Reply

SHOP = "https://www.example.com"
PASSWORD, TOKEN, COOKIE = "Tr0mbone/9&x", "tok-4711-zebra", "sid-0815-mango"
BASIC = base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
SECRETS = [PASSWORD.encode(), TOKEN.encode(), COOKIE.encode(), BASIC.encode(), b"Tr0mbone"]
PAGES = ("/", "/a", "/b", "/gone", "/hidden", "/moved", "/away")


class Staging:
    def __init__(self) -> None:
        self.site = Site(self.reply)
        self.refused = 0

    def reply(self, request: Request) -> Reply | None:
        headers = request.headers
        if headers.get("authorization") != f"Basic {BASIC}" or headers.get("x-token") != TOKEN:
            self.refused += 1
            return PageAnswer(401, "sign in", headers={"WWW-Authenticate": "Basic"})
        echo = f"{headers['authorization']} {headers['x-token']} {headers['cookie']} {PASSWORD}"
        seen = {"ETag": f'"{request.path}"', "Set-Cookie": f"echo={headers['cookie']}", "X-Echo": echo}
        body: str
        match request.path:
            case "/robots.txt":
                return PageAnswer(body=f"# {echo}\nSitemap: {SHOP}/sitemap.xml\n", type="text/plain", headers=seen)
            case "/sitemap.xml":
                body = sitemap(f"{SHOP}{path}" for path in PAGES)
                return PageAnswer(body=f"{body}<!-- {echo} -->", type="application/xml", headers=seen)
            case "/moved":
                return redirect(f"http://{self.site.origin.partition('//')[2]}/a?{TOKEN}")
            case "/away":
                return redirect("http://127.0.0.9:9/")
            case "/hidden":
                body = page(request.path, '<meta name="robots" content="noindex">')
            case "/" | "/a" | "/b":
                links = "".join(f'<a href="{path}">{path}</a>' for path in PAGES)
                body = page(f"{request.path} {echo}", f'<link rel="canonical" href="{SHOP}{request.path}">') + links
            case _:
                return None
        return PageAnswer(body=body, headers=seen)


@pytest.fixture
def staging() -> Iterator[Staging]:
    made = Staging()
    with made.site:
        yield made


def reached(staging: Staging) -> tuple[str, ...]:
    access = ("--map", f"{SHOP}={staging.site.origin}", "--auth", f"ann:{PASSWORD}", "--header", f"X-Token: {TOKEN}")
    return (*access, "--cookie", f"session={COOKIE}", "--timeout", "5", "--verbose")


def found_in(folder: Path, ran: Ran) -> list[str]:
    """Where a credential is, in anything that was written or printed; databases and gzip files are opened."""
    texts: dict[str, bytes] = {"stdout": ran.text.encode(), "stderr": ran.err.encode()}
    for path in (each for each in folder.rglob("*") if each.is_file()):
        data = path.read_bytes()
        texts[str(path)] = data
        if data.startswith(b"SQLite format 3"):
            with sqlite3.connect(path) as database:
                texts[f"{path} dump"] = "\n".join(database.iterdump()).encode("utf-8", "replace")
        at = data.find(b"\x1f\x8b\x08")
        if at >= 0:
            texts[f"{path} unpacked"] = gzip.decompress(data[at:])
    return [f"{name}: {secret!r}" for name, data in texts.items() for secret in SECRETS if secret in data]


@pytest.mark.parametrize(
    "command",
    [
        ("audit", f"{SHOP}/", "--state", "state", "--record", "tape.jsonl", "-o", "html:report.html", "--check"),
        ("audit", f"{SHOP}/", "--state", "state", "--crawl", "--format", "json"),
        ("crawl", f"{SHOP}/", "--state", "state", "--out", "pages.jsonl"),
        ("check", f"{SHOP}/", "-o", "json:check.json", "--record", "tape.jsonl.gz"),
        ("ls", f"{SHOP}/sitemap.xml", "-o", "urls.csv"),
        ("info", f"{SHOP}/sitemap.xml"),
        ("build", f"{SHOP}/", "--out", "public", "--state", "state"),
        ("snapshot", f"{SHOP}/", "--state", "state"),
    ],
    ids=lambda command: command[0],
)
def test_credentials_are_written_nowhere(
    staging: Staging, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ran = run(*command, *reached(staging))
    assert ran.code in (0, 1), ran.err
    assert staging.site.log
    assert staging.refused == 0
    assert found_in(tmp_path, ran) == []


def test_the_report_speaks_of_production(staging: Staging, tmp_path: Path) -> None:
    ran = run("audit", f"{SHOP}/", "--state", tmp_path, "--format", "json", *reached(staging))
    report: dict[str, Any] = json.loads(ran.text)
    pages = {each["url"].removeprefix(SHOP): each for each in report["pages"]}
    assert {path: each["state"] for path, each in pages.items()} == {
        "/": "ok", "/a": "ok", "/b": "ok", "/hidden": "ok", "/gone": "gone", "/moved": "redirected", "/away": "unknown",
    }  # fmt: skip
    assert pages["/moved"]["final_url"] == f"{SHOP}/a?***"
    assert staging.site.origin.partition("//")[2] not in ran.text.replace(f"--map={SHOP}={staging.site.origin}", "")
    counts = report["counts"]
    assert (counts["A001"], counts["A006"], counts["A003"]) == (1, 1, 1)


def test_the_next_audit_asks_whether_sitemaps_and_robots_txt_changed(staging: Staging, tmp_path: Path) -> None:
    command = ("audit", f"{SHOP}/", "--state", tmp_path, *reached(staging))
    run(*command)
    before = len(staging.site.log)
    run(*command)
    again = {request.path: request.status for request in staging.site.log[before:]}
    assert again["/robots.txt"] == again["/sitemap.xml"] == again["/b"] == 304


def test_what_a_staging_server_sent_is_not_taken_for_the_public_site(staging: Staging, tmp_path: Path) -> None:
    run("audit", f"{SHOP}/", "--state", tmp_path, *reached(staging))
    with Site({"*": lambda request: PageAnswer(body=str(request.headers.get("if-none-match")))}) as other:
        run("audit", f"{SHOP}/", "--state", tmp_path, "--map", f"{SHOP}={other.origin}")
        assert all("if-none-match" not in request.headers for request in other.log)


def test_credentials_come_from_the_environment(staging: Staging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSET_WEB_AUTH", f"ann:{PASSWORD}")
    monkeypatch.setenv("URLSET_WEB_HEADERS", f"X-Token: {TOKEN}\nCookie: session={COOKIE}")
    monkeypatch.setenv("URLSET_WEB_MAPS", f"{SHOP}={staging.site.origin}")
    ran = run("ls", f"{SHOP}/sitemap.xml", "--verbose")
    assert ran.code == 0
    assert f"{SHOP}/a" in ran.text
    shown = run("config", "audit")
    assert "(hidden)" in shown.text
    assert [secret for secret in SECRETS if secret in (ran.err + shown.text).encode()] == []


def test_a_proxy_with_a_password() -> None:
    with Site({"*": PageAnswer(body=sitemap(["http://a.example.com/x"]), type="application/xml")}) as proxy:
        ran = run("ls", "http://a.example.com/s.xml", "--proxy", f"http://ann:p%40ss@127.0.0.1:{proxy.port}")
        assert ran.lines == ["http://a.example.com/x"]
        assert proxy.log[0].target.startswith("http://a.example.com/")


def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    for command in ("audit", "crawl", "ls", "check", "info"):
        ran = run(command, f"https://ann:{PASSWORD.replace('/', '%2F')}@www.example.com/sitemap.xml")
        assert ran.code in (2, 3), command
        assert "--auth" in ran.err, command
        assert "Tr0mbone" not in ran.text + ran.err, command
