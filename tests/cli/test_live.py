"""`urlset check|ls|info URL` as a user runs them → exit codes, output, and errors that say what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import urlset
from tests.cli.commands import run
from tests.workflows.live_sites import WEB, index, pages, robots, xml
from urlset.reports.format import FORMATS
from urlset.testing import PageAnswer, Raw, Request, Site


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794744000")  # 2026-11-15
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("URLSET_FAIL_ON", "URLSET_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as site:
        u = site.url
        site.routes.update(
            {
                "/robots.txt": robots("User-agent: *", "Disallow:", f"Sitemap: {u('/index.xml')}"),
                "/index.xml": xml(index(u("/a.xml"), u("/b.xml"))),
                "/a.xml": xml(pages(u("/1"), u("/2"))),
                "/b.xml": xml(pages(u("/3#x"))),
                "/faulty.xml": xml(pages(u("/4 5"))),
                "/closed.xml": PageAnswer(403),
            }
        )
        yield site


@pytest.mark.parametrize(
    ("path", "more", "code"),
    [
        ("/", [], 0),
        ("/", ["--fail-on", "warning"], 1),
        ("/faulty.xml", [], 1),
        ("/faulty.xml", ["--ignore", "L007"], 0),
        ("/closed.xml", [], 2),
        ("/none.xml", [], 2),
        ("/", ["--max-files", "2"], 2),
        ("/", ["--at", "https://example.com/"], 2),
        ("/", ["--fix"], 2),
        ("/", ["--concurrency", "0"], 2),
    ],
)
def test_exit_codes(site: Site, path: str, more: list[str], code: int) -> None:
    assert run("check", site.url(path), "--allow-private", *more).code == code


def test_a_site_without_a_sitemap_is_nothing_to_check() -> None:
    with Site({"/robots.txt": robots("User-agent: *", "Disallow:")}) as site:
        ran = run("check", site.url("/"), "--allow-private")
    assert ran.code == 3
    assert "no sitemap found: robots.txt lists no sitemap; 404 Not Found at /sitemap.xml" in ran.err


def test_the_same_for_ls_and_info() -> None:
    with Site({}) as site:
        for command in ("ls", "info"):
            ran = run(command, site.url("/"), "--allow-private")
            assert ran.code == 3
            assert ran.err.startswith(f"urlset: {site.url('/')}: no sitemap found: no robots.txt; 404")
        site.routes["/robots.txt"] = robots("User-agent: *", "Disallow:")
        assert run("info", site.url("/"), "--allow-private").code == 3
        (own := Path("own.xml")).write_bytes(pages("https://example.com/1"))
        assert run("info", site.url("/"), own, "--allow-private").code == 0


def test_a_robots_txt_without_sitemaps_can_be_checked_by_itself() -> None:
    with Site({"/robots.txt": robots("User-agent: *", "Disallow:")}) as site:
        ran = run("check", site.url("/robots.txt"), "--allow-private")
    assert (ran.code, ran.err) == (0, "")


def test_no_format_tells_twice_what_was_not_read(site: Site) -> None:
    for form in FORMATS:
        ran = run("check", site.url("/none.xml"), "--allow-private", "--format", form)
        assert ran.code == 2
        reported = f"{site.url('/none.xml')}: 404 Not Found"
        if form in ("text", "full", "concise"):
            assert (ran.text.count(reported), ran.err) == (1, ""), form
        else:
            assert ran.err == f"urlset: {reported}\n", form


def test_every_format_names_the_sitemap_by_its_address(site: Site) -> None:
    for form in FORMATS.keys() - {"xlsx"}:
        ran = run("check", site.url("/"), "--allow-private", "--format", form)
        assert ran.code == 0
        assert "/b.xml" in ran.text, form
    report = json.loads(run("check", site.url("/"), "--allow-private", "--format", "json").text)
    assert [document["source"] for document in report["documents"]] == [
        site.url(path) for path in ("/robots.txt", "/index.xml", "/a.xml", "/b.xml")
    ]


def test_a_baseline_knows_addresses(site: Site, home: Path) -> None:
    first = run("check", site.url("/"), "--allow-private", "--write-baseline", home / "known.json")
    assert first.code == 0
    second = run("check", site.url("/"), "--allow-private", "--baseline", "known.json", "--fail-on", "info")
    assert second.code == 0


def test_files_and_addresses_together(site: Site, home: Path) -> None:
    (home / "own.xml").write_bytes(pages("https://example.com/1"))
    ran = run("check", "own.xml", site.url("/a.xml"), "--allow-private", "--format", "json")
    sources = [document["source"] for document in json.loads(ran.text)["documents"]]
    assert sources == ["own.xml", site.url("/robots.txt"), site.url("/a.xml")]
    listed = run("ls", "own.xml", site.url("/a.xml"), "own.xml", "--allow-private")
    assert listed.lines == ["https://example.com/1", site.url("/1"), site.url("/2"), "https://example.com/1"]


def test_ls_and_info(site: Site) -> None:
    assert run("ls", site.url("/"), "--allow-private").lines == [site.url("/1"), site.url("/2"), site.url("/3#x")]
    shown = run("info", site.url("/"), "--allow-private")
    assert shown.code == 0
    assert "served       200, application/xml, " in shown.text
    assert "children     2 listed; --follow describes them" in shown.text
    assert "children     1 listed\n" in shown.text  # of robots.txt, which are described anyway
    assert "--follow" not in run("info", site.url("/"), "--allow-private", "--follow").text
    assert run("ls", site.url("/closed.xml"), "--allow-private").code == 2


def test_what_cannot_be_fetched_is_one_line() -> None:
    ran = run("check", "http://127.0.0.1:1/sitemap.xml")
    assert ran.code == 2
    assert "--allow-private" in ran.text
    assert run("check", "http://").err == "urlset: http:// is not a URL that can be fetched\n"
    assert run("ls", "https://exa mple/").code == 2
    secret = run("check", "https://me:secret@www.example.com/sitemap.xml")
    assert secret.code == 2
    assert "user name or password" in secret.err
    assert "secret" not in secret.err + secret.text


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["info", "ftp://example.com/"], "no such file; use an http, https, s3, gs or az URL"),
        (["fix", "https://a.example/s.xml"], "a URL cannot be fixed in place: download the sitemap first"),
        (["check", "https://a.example/", "--ca-file", "none.pem"], "--ca-file: no such file: none.pem"),
        (["https://a.example/"], "https://a.example/ is a URL, not a command: try `urlset check"),
        (["check", "none.xml"], "could not read: none.xml: no such file\n"),
    ],
)
def test_what_was_probably_meant_is_told(arguments: list[str], reported: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert reported in ran.text + ran.err


def test_rules_that_another_command_judges_are_not_passed_over(site: Site, home: Path) -> None:
    (home / "own.xml").write_bytes(pages("https://example.com/1"))
    chosen = ["--select", "A001", "--select", "A036", "--select", "R004", "--format", "json"]
    left = {each["code"]: each["reason"] for each in json.loads(run("check", "own.xml", *chosen).text)["not_checked"]}
    assert "`urlset audit`" in left["A001"]
    assert "`urlset audit --crawl`" in left["A036"]
    assert "`urlset check URL`" in left["R004"]
    fetched = json.loads(run("check", site.url("/a.xml"), "--allow-private", *chosen).text)["not_checked"]
    assert [each["code"] for each in fetched] == ["A001", "A036"]
    unasked = json.loads(run("check", site.url("/a.xml"), "--allow-private", "--format", "json").text)
    assert unasked["not_checked"] == []
    verdict = urlset.check(home / "own.xml", select=["A001"])
    assert [each.code for each in verdict.not_checked] == ["A001"]


def test_record_and_replay(site: Site, home: Path) -> None:
    first = run("check", site.url("/"), "--allow-private", "--record", home / "site.jsonl", "--format", "json")
    asked = len(site.log)
    again = run("check", site.url("/"), "--replay", home / "site.jsonl", "--format", "json")
    assert len(site.log) == asked
    assert json.loads(again.text) == json.loads(first.text)
    (home / "no.jsonl").write_text("nothing of the kind\n")
    ran = run("check", site.url("/"), "--replay", "no.jsonl")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


def test_settings_say_how_to_fetch(site: Site, home: Path) -> None:
    (home / "urlset.toml").write_text('[web]\nuser-agent = "Tester/1.0"\nmax-files = 2\n')
    ran = run("check", site.url("/"), "--allow-private")
    assert "stopped after 2 files" in ran.text
    assert {request.headers["user-agent"] for request in site.log} == {"Tester/1.0"}
    assert run("ls", site.url("/"), "--allow-private", "--max-files", "9").code == 0
    (home / "urlset.toml").write_text('[web]\nuser-agents = "x"\n')
    assert "user-agents" in run("check", site.url("/"), "--allow-private").err


def test_the_library_takes_addresses(site: Site) -> None:
    verdict = urlset.check(site.url("/"), select=["L"], web=WEB)
    assert [finding.code for finding in verdict.findings] == ["L013"]
    with pytest.raises(ValueError, match="has its own"):
        urlset.check(site.url("/"), at="https://example.com/")


def test_content_cannot_paint_the_terminal(site: Site) -> None:
    site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/x')}\x1b[31m.xml")
    for command in ("check", "ls", "info"):
        ran = run(command, site.url("/"), "--allow-private", terminal=True)
        assert "\x1b[31m." not in ran.text + ran.err


def test_interrupted_from_the_keyboard(tmp_path: Path) -> None:
    reached = threading.Event()

    def hang(request: Request) -> Raw:
        del request
        reached.set()
        return Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"], end="hang")

    with Site({"/sitemap.xml": hang}) as site:
        command = [sys.executable, "-m", "urlset", "check", site.url("/sitemap.xml"), "--allow-private"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
        )
        assert reached.wait(90)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
    assert process.returncode == 130
    assert b"Traceback" not in out + err
    assert list(tmp_path.iterdir()) == []
