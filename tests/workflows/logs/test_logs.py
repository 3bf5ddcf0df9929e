"""Sitemaps and access logs → what Googlebot never requests and what it requests unlisted, fakes left out."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

import urlset
from tests.cli.commands import run
from urlset.workflows import logs

BOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SITE = "https://www.example.com"


def line(target: str, *, agent: str = BOT, status: int = 200, address: str = "66.249.66.1", day: int = 14) -> str:
    return f'{address} - - [{day}/Nov/2026:09:08:07 +0000] "GET {target} HTTP/1.1" {status} 512 "-" "{agent}"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pages = ("/", "/a", "/caf%C3%A9", "/b?x=1&amp;y=2", "/never", "/broken")
    listed = "".join(f"<url><loc>{SITE}{page}</loc></url>" for page in pages)
    Path("sitemap.xml").write_text(f"<urlset>{listed}</urlset>")
    Path("access.log").write_text(
        line("/", day=10)
        + line("/", day=14)
        + line("/a", address="203.0.113.9")
        + line("/caf%c3%a9")
        + line("/b?x=1&y=2")
        + line("/broken", status=500)
        + line("/unlisted")
        + line("/unlisted")
        + line("/gone", status=404)
        + line("/robots.txt")
        + line("/style.css")
        + line("/never", agent="Mozilla/5.0")
        + line("/never", agent="Googlebot-Image/1.0")
        + "nonsense about Googlebot\n"
    )
    return tmp_path


@pytest.mark.usefixtures("folder")
class TestComparison:
    def test_listed_and_requested(self) -> None:
        report = urlset.logs("sitemap.xml", "access.log")
        assert [row.url for row in report.never_crawled] == [f"{SITE}/never"]
        assert [(row.url, row.requests) for row in report.not_listed] == [("/unlisted", 2)]
        assert [(row.url, row.status) for row in report.failing] == [(f"{SITE}/broken", 500)]
        home = next(row for row in report.pages if row.url == f"{SITE}/")
        assert (home.requests, home.last and home.last.day, home.sitemap) == (2, 14, "sitemap.xml")
        assert (report.lines, report.requests, report.listed, report.crawled, report.unread) == (14, 11, 6, 5, 1)
        assert "User-Agent only" in report.notes[0]
        assert len(repr(report)) < 300

    def test_fakes_are_not_counted(self) -> None:
        prefixes = [{"ipv4Prefix": "66.249.64.0/19"}, {"ipv6Prefix": "2001:4860:4801::/48"}]
        Path("googlebot.json").write_text(json.dumps({"creationTime": "x", "prefixes": prefixes}))
        report = urlset.logs("sitemap.xml", ["access.log"], ranges="googlebot.json")
        assert report.spoofed == 1
        assert {row.url for row in report.never_crawled} == {f"{SITE}/never", f"{SITE}/a"}
        assert not any("User-Agent only" in note for note in report.notes)

    def test_packed_json_and_other_hosts(self) -> None:
        rows = [
            {
                "host": host,
                "request": "GET /a HTTP/1.1",
                "status": 200,
                "remote_addr": "1.2.3.4",
                "http_user_agent": BOT,
            }
            for host in ("www.example.com", "other.example")
        ]
        Path("a.log.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
        report = urlset.logs("sitemap.xml", "a.log.gz")
        assert (report.crawled, [row.url for row in report.not_listed]) == (1, ["https://other.example/a"])

    def test_a_table(self) -> None:
        pytest.importorskip("polars")
        report = urlset.logs("sitemap.xml", "access.log")
        assert report.to_polars()["url"].to_list() == [f"{SITE}/never"]
        assert str(report.to_polars("pages").schema["last"]) == "Datetime(time_unit='us', time_zone='UTC')"

    def test_memory_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(logs, "MOST_PAGES", 2)
        report = urlset.logs("sitemap.xml", "access.log")
        assert report.crawled == 2
        assert any("were not compared" in note for note in report.notes)

    def test_the_command(self) -> None:
        ran = run("logs", "sitemap.xml", "access.log")
        assert ran.code == 0
        assert ran.lines[0] == "11 requests of Googlebot in 14 lines, 2026-11-10 to 2026-11-14"
        assert ran.lines[1] == "6 listed pages, 5 requested (83 %)"
        assert "listed, never requested: 1" in ran.lines
        assert "--ranges FILE" in ran.err
        rows = list(csv.DictReader(io.StringIO(run("logs", "sitemap.xml", "access*", "--format", "csv").text)))
        assert [row["comparison"] for row in rows].count("crawled") == 5
        found = json.loads(run("logs", "sitemap.xml", "access.log", "--format", "json").text)
        assert (found["schema"], found["command"], found["never_crawled"][0]["url"]) == (1, "logs", f"{SITE}/never")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["sitemap.xml"], "name an access log"),
            (["sitemap.xml", "missing.log"], "No such file"),
            (["missing.xml", "access.log"], "no such file or folder"),
            (["sitemap.xml", "access.log", "--ranges", "sitemap.xml"], "not a list of IP ranges"),
        ],
    )
    def test_what_cannot_be_compared(self, arguments: list[str], words: str) -> None:
        ran = run("logs", *arguments)
        assert ran.code == 2
        assert words in ran.err


def test_a_missing_file_is_not_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.xml").write_text("<urlset/>")
    ran = run("logs", "nowhere.log", "one.xml")
    assert ran.code == 2
    assert ran.err == "urlset: nowhere.log: no such file or folder; name the sitemap or site first, then the logs\n"
