"""`urlset crawl` and `urlset build URL` on the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.crawled_sites import html
from urlset.testing import PageAnswer, Request, Routes, Site, redirect

ROUTES: Routes = {
    "/": html("/a", "/old", "/missing", "/login?return=%2F", "/a?utm_source=x", title="Home"),
    "/a": html("/b", *(f"/login?return=%2Fa%2F{number}" for number in range(20)), title="A"),
    "/b": html(title="B\x1b[31m"),
    "/old": redirect("/a"),
    "/login": html(title="Login"),
}


def test_the_summary(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path)
    assert ran.code == 0
    text = ran.text
    assert "visited    15 pages" in text
    assert "1 redirect" in text
    assert "endless    /login?return=…" in text
    assert "return-address" in text
    assert "tracking parameters and sessions: utm_source" in text
    assert "not complete" in text
    assert ran.lines[-1].startswith(f"next: urlset build {site.url('/')} --out DIR --allow-private builds")


def test_a_complete_one(tmp_path: Path) -> None:
    with Site({"/": html("/a"), "/a": html()}) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path)
    assert "complete: every linked page was visited" in ran.text
    assert "not complete" not in ran.text


def test_json(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--format", "json")
    report = json.loads(ran.out)
    assert report["command"] == "crawl"
    assert report["states"] == {"ok": 13, "redirected": 1, "gone": 1}
    assert report["traps"][0]["kind"] == "return-address"
    assert report["completeness"]["complete"] is False


def test_pages_as_csv_and_json_lines(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--out", tmp_path / "p.csv")
        run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--out", tmp_path / "p.jsonl")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text(), newline="")))
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert [row["url"] for row in rows] == [line["url"] for line in lines]
    [old] = [line for line in lines if line["url"].endswith("/old")]
    assert old["redirects_to"] == site.url("/a")
    assert old["state"] == "redirected"
    assert lines[0]["title"] == "Home"


def test_rows_on_standard_output_come_without_the_summary(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--out", "-")
    assert {json.loads(line)["state"] for line in ran.lines} >= {"ok", "redirected"}
    assert "visited    15 pages" in ran.err


def test_a_file_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--out", tmp_path / "no" / "p.csv")
        assert site.log == []
    assert ran.code == 2
    assert "no such folder" in ran.err


def test_limits_and_patterns(tmp_path: Path) -> None:
    with Site(dict(ROUTES)) as site:
        ran = run(
            "crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--max-pages", 2, "--exclude", "/login"
        )
    assert "visited    2 pages" in ran.text
    assert "reached the limit of 2 pages" in ran.text
    assert "with a higher limit to resume" in ran.text


def test_wrong_usage(tmp_path: Path) -> None:
    assert (
        run("crawl", "ftp://e.com/", "--state", tmp_path).err
        == "urlset: 'ftp://e.com/' is not a URL: crawl takes the start page of a site\n"
    )
    assert run("crawl", "https://e.com/", "--prefix", "blog").code == 2
    assert (
        "is not a valid regular expression"
        in run("crawl", "https://e.com/", "--include", "re:(", "--state", tmp_path).err
    )
    assert "user name or password" in run("crawl", "https://u:secret@e.com/", "--state", tmp_path).err
    assert "secret" not in run("crawl", "https://u:secret@e.com/", "--state", tmp_path).err
    assert "control characters" in run("crawl", "https://e.com/", "--user-agent", "a\r\nHost: b").err
    assert "'nets' is not one of" in run("crawl", "https://e.com/", "--ignore-traps", "nets").err


def test_a_site_that_is_not_there(tmp_path: Path) -> None:
    with Site({}) as site:
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path)
    assert ran.code == 2
    assert "the start page is missing (404" in ran.text


def test_private_addresses_are_refused(tmp_path: Path) -> None:
    ran = run("crawl", "http://127.0.0.1:9/", "--state", tmp_path)
    assert ran.code == 2
    assert "no page was read" in ran.text
    assert "127.0.0.1 (loopback); --allow-private allows it" in ran.text


def test_ctrl_c_keeps_everything_and_says_how_to_go_on(tmp_path: Path) -> None:
    def answer(request: Request) -> PageAnswer:
        number = int(request.path[1:] or 0) if request.path[1:].isdigit() or request.path == "/" else -1
        return PageAnswer(body=html(f"/{number + 1}"), pause=0.02) if 0 <= number < 400 else PageAnswer(404)

    with Site(answer) as site:
        command = [sys.executable, "-m", "urlset", "crawl", site.url("/"), "--allow-private", "--state", str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 20
            while len(site.log) < 15 and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=90)
        assert process.returncode == 130, err
        assert "run the same command to resume" in out
        assert "Traceback" not in err
        asked = len(site.log)
        ran = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--max-pages", 30)
        assert "resumed the crawl of" in ran.text
        assert len(site.log) - asked < 30
        assert (
            max(
                sum(each.target == other.target for other in site.log)
                for each in site.log
                if each.path != "/robots.txt"
            )
            == 1
        )


def test_settings_say_how_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "urlset.toml").write_text('[web]\nuser-agent = "FromSettings/1"\n')
    monkeypatch.chdir(tmp_path)
    with Site(dict(ROUTES)) as site:
        run("crawl", site.url("/"), "--allow-private")
        run("build", site.url("/"), "--allow-private", "--out", "out")
        run("crawl", site.url("/"), "--allow-private", "--user-agent", "FromOption/1")
        agents = {request.headers["user-agent"] for request in site.log}
    assert agents == {"FromSettings/1", "FromOption/1"}


def test_a_list_is_built_without_loading_what_crawls(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://e.com/a\n")
    script = (
        "import sys; from urlset.cli.main import main;"
        "code = main(['build', 'list.txt', '--base-url', 'https://e.com/', '--out', 'out']);"
        "names = {name for name in sys.modules if name.startswith(('asyncio', 'aiohttp', 'urlset.crawling.loop'))};"
        "sys.exit(str(names) if names or code else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class TestBuild:
    def test_a_site(self, tmp_path: Path) -> None:
        with Site(dict(ROUTES)) as site:
            options = ("--allow-private", "--state", tmp_path / "state", "--out", tmp_path / "out")
            ran = run("build", site.url("/"), *options)
            again = run("build", site.url("/"), *options)
        assert ran.code == 0, ran.err
        assert f"note       crawled 15 pages of {site.origin}" in ran.text
        assert f"<loc>{site.url('/b')}</loc>" in (tmp_path / "out" / "sitemap.xml").read_text()
        assert "nothing changed" in again.text

    def test_a_site_that_is_down(self, tmp_path: Path) -> None:
        with Site({"/": PageAnswer(500), "/robots.txt": PageAnswer(404)}) as site:
            ran = run("build", site.url("/"), "--allow-private", "--state", tmp_path, "--out", tmp_path / "out")
        assert ran.code == 2
        assert "cannot be crawled: 500 Internal Server Error" in ran.err

    @pytest.mark.parametrize("command", ["build", "crawl"])
    @pytest.mark.parametrize("path", ["/sitemap.xml", "/pages.xml.gz", "/urls.txt", "/feed.rss", "/a.zip", "/a.png"])
    def test_a_file_is_not_a_site(self, tmp_path: Path, command: str, path: str) -> None:
        with Site({path: "<html><body><a href='/a'>a</a></body></html>", "/a": "<html></html>"}) as site:
            state = ("--allow-private", "--state", tmp_path / "state")
            ran = run(command, site.url(path), *state, *(("--out", tmp_path / "out") if command == "build" else ()))
        assert ran.code == 2
        assert "has the name of a file, not of a page; start from a page of the site" in ran.err
        assert not (tmp_path / "out").exists()

    def test_a_base_is_still_needed_for_a_folder(self, tmp_path: Path) -> None:
        ran = run("build", tmp_path)
        assert ran.code == 2
        assert "--base-url" in ran.err

    def test_one_site_at_a_time(self, tmp_path: Path) -> None:
        ran = run("build", "https://a.example/", "https://b.example/", "--out", tmp_path)
        assert ran.code == 2
        assert "one site" in ran.err
