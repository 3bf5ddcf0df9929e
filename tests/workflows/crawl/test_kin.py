"""Hosts with and without www, http and https: redirects say which of them are one site. Answers are recorded ones."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.workflows.crawled_sites import QUICK, Crawled, crawled, html
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.web.cassette import Recorder

HTML = (("content-type", "text/html; charset=utf-8"),)


def page(url: str, *links: str) -> Answer:
    return Answer(url, final_url=url, status=200, headers=HTML, body=html(*links).encode())


def moved(url: str, target: str) -> Answer:
    """As the client reports a redirect that it is not to follow."""
    failure = Failure(FailureKind.TOO_MANY_REDIRECTS)
    return Answer(url, hops=(Hop(url, 301, target),), final_url=url, status=301, failure=failure)


def missing(url: str) -> Answer:
    return Answer(url, final_url=url, status=404)


def replayed(answers: list[Answer], tmp_path: Path, start: str) -> Crawled:
    recording = tmp_path / "recording.jsonl"
    recorder = Recorder(recording)
    hosts = [f"{scheme}://{www}example.com" for scheme in ("http", "https") for www in ("", "www.")]
    for answer in [*(missing(f"{host}/robots.txt") for host in hosts), *answers]:
        recorder.add(answer)
    recorder.close()
    web = msgspec.structs.replace(QUICK, replay=recording)
    return crawled(start, tmp_path / "state", "", web=web)


def test_the_start_leads_to_https_and_www(tmp_path: Path) -> None:
    home = "https://www.example.com"
    found = replayed(
        [
            moved("http://example.com/", "https://example.com/"),
            moved("https://example.com/", f"{home}/"),
            page(f"{home}/", "/a", "http://example.com/b", "https://other.example/"),
            page(f"{home}/a"),
            moved("http://example.com/b", f"{home}/b"),
            page(f"{home}/b", "/c"),
            page(f"{home}/c"),
        ],
        tmp_path,
        "http://example.com/",
    )
    assert found.report.home == home
    assert {row.url for row in found.rows if row.state == "ok"} == {f"{home}{path}" for path in ("/", "/a", "/b", "/c")}
    assert found.report.completeness.complete
    assert max(found.report.depths) == 2


def test_a_host_with_www_that_does_not_lead_here_is_another_site(tmp_path: Path) -> None:
    home = "https://example.com"
    found = replayed(
        [
            page(f"{home}/", "/a", "https://www.example.com/x", "http://example.com/old"),
            page(f"{home}/a"),
            page("https://www.example.com/", "/"),
            moved("http://example.com/", f"{home}/"),
            moved("http://example.com/old", f"{home}/new"),
            page(f"{home}/new"),
        ],
        tmp_path,
        f"{home}/",
    )
    assert {row.url for row in found.rows} == {
        f"{home}/",
        f"{home}/a",
        "http://example.com/old",
        f"{home}/new",
    }
    assert found.report.completeness.complete


def test_another_host_is_never_the_site(tmp_path: Path) -> None:
    found = replayed([moved("https://example.com/", "https://example.org/")], tmp_path, "https://example.com/")
    assert found.report.states == {"redirected": 1}
    assert "https://example.org/" in found.report.completeness.reasons[0]
