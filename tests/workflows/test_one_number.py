"""One site, every command, every format: the same documents, URLs, states and problems, also after an interrupt."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from tests.workflows.audit_sites import page
from urlset.testing import PageAnswer, Route, Site, redirect

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

GOOD = [f"/p{number}" for number in range(6)]
MIXED = ["/p1", "/p1", "/old", "/gone", "/error"]
PACKED = ["/p5", "/z0", "/z1"]
ENTRIES = len(GOOD) + len(MIXED) + len(PACKED)
URLS = len({*GOOD, *MIXED, *PACKED})
SITEMAPS = 3
"""that list pages; one more child is missing and one is an HTML page"""
DOCUMENTS = SITEMAPS + 3
"""with robots.txt, the index and the HTML page"""
STATES = {"ok": URLS - 3, "redirected": 1, "gone": 1, "error": 1}
UNREAD = 2


def listing(site: Site, paths: list[str]) -> bytes:
    rows = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.chdir(tmp_path)
    with Site({}) as made:
        children = ("/good.xml", "/mixed.xml", "/packed.xml.gz", "/missing.xml", "/html.xml")
        rows = "".join(f"<sitemap><loc>{made.url(path)}</loc></sitemap>" for path in children)
        index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
        routes: dict[str, Route] = {
            "/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {made.url('/index.xml')}\n",
            "/index.xml": PageAnswer(body=index, type="application/xml"),
            "/good.xml": PageAnswer(body=listing(made, GOOD), type="application/xml"),
            "/mixed.xml": PageAnswer(body=listing(made, MIXED), type="application/xml"),
            "/packed.xml.gz": PageAnswer(body=gzip.compress(listing(made, PACKED)), type="application/gzip"),
            "/html.xml": "<!doctype html><title>Sorry</title><p>Not here",
            "/old": redirect(made.url("/p2")),
            "/gone": PageAnswer(404, "gone"),
            "/error": PageAnswer(500, "oops"),
            **{path: page(path) for path in {*GOOD, *PACKED}},
        }
        made.routes.update(routes)
        yield made


def told(*arguments: str, code: int) -> dict[str, Any]:
    ran = run(*arguments, "--format", "json")
    assert ran.code == code, ran.err
    body: dict[str, Any] = json.loads(ran.text)
    return body


def written(form: str, *arguments: str) -> str:
    return run(*arguments, "--format", form).text


def page_of(text: str) -> str:
    body = LexborHTMLParser(text).body
    assert body is not None
    return " ".join(body.text(separator=" ").split())


def summary(severities: dict[str, int], least: tuple[str, ...] = ("error", "warning")) -> str:
    nouns = {"error": "error", "warning": "warning", "info": "note"}
    named = ((severities.get(each, 0), nouns[each]) for each in least)
    return ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in named if count)


def test_check(site: Site) -> None:
    given = ("check", site.url("/"), "--allow-private")
    body = told(*given, code=1)
    assert (body["summary"]["documents"], body["summary"]["entries"]) == (DOCUMENTS, ENTRIES)
    assert len(body["documents"]) == DOCUMENTS
    concerned = {each["source"] for each in body["findings"] if each["severity"] != "info"}
    line = f"{summary(body['summary'])} in {len(concerned)} of {DOCUMENTS} files"
    assert line in " ".join(written("text", *given).split())
    everything = summary(body["summary"], ("error", "warning", "info"))
    assert everything in written("markdown", *given)
    html = page_of(written("html", *given))
    assert everything in html
    assert f"{DOCUMENTS} files with {ENTRIES} entries" in html


def test_the_commands_that_only_read(site: Site) -> None:
    listed = run("ls", site.url("/"), "--allow-private").text.split()
    assert (len(listed), len(set(listed))) == (ENTRIES, URLS)
    assert run("ls", site.url("/"), "--allow-private", "--count").text.strip() == str(ENTRIES)
    described = run("info", site.url("/"), "--allow-private", "--follow", "--format", "json")
    rows = json.loads(described.text)["documents"]
    assert Counter(each["kind"] for each in rows) == {"urlset": SITEMAPS, "sitemapindex": 1, "robots": 1, "html": 1}
    assert sum(each["counts"]["urls"] for each in rows) == ENTRIES


def audited(site: Site) -> dict[str, Any]:
    """Every format of the last audit, held against its JSON."""
    given = ("audit", site.url("/"), "--allow-private", "--known")
    body = told(*given, code=2)
    assert (body["listed"], body["states"], len(body["pages"])) == (URLS, STATES, URLS)
    assert body["summary"]["documents"] == SITEMAPS + UNREAD + 1, "those of the check, robots.txt included"
    assert len(body["troubled"]) == UNREAD
    text = " ".join(written("text", *given).split())
    assert f"{URLS} pages listed in {SITEMAPS} sitemaps, all checked" in text
    assert f"{summary(body['summary'])}; {URLS} pages checked; not everything could be read" in text
    html = page_of(written("html", *given))
    assert f"{summary(body['summary'], ('error', 'warning', 'info'))}; {URLS} pages checked" in html
    assert f"{URLS} listed pages" in html
    rows = list(csv.DictReader(io.StringIO(written("csv", *given, "--table", "pages"))))
    assert Counter(row["state"] for row in rows) == STATES
    first = {each["url"]: each["status"] for each in body["pages"]}
    assert first[site.url("/old")] == 301
    assert {row["url"]: int(row["status"]) for row in rows} == first
    for count in ("error", "warning"):
        assert body["summary"][count] == sum(each["severity"] == count for each in body["findings"])
    return body


def test_audit_snapshot_diff_and_history(site: Site) -> None:
    target = site.url("/")
    assert run("audit", target, "--allow-private", "--format", "json").code == 2
    audit = audited(site)
    taken = told("snapshot", target, "--allow-private", code=2)["snapshot"]
    assert (taken["urls"], taken["entries"], len(taken["files"])) == (URLS, ENTRIES, SITEMAPS)
    assert (taken["states"], len(taken["missing"])) == (STATES, UNREAD)
    pages = Counter(code for each in audit["pages"] for code in each["codes"])
    assert taken["findings"] == dict(pages)
    again = run("snapshot", target, "--allow-private").text
    assert f"{URLS} URLs in {SITEMAPS} sitemaps" in again
    assert f"{URLS} pages known from the audit" in again
    [_, point] = told("history", target, code=0)["snapshots"]
    assert (point["urls"], point["entries"], point["files"], point["states"]) == (URLS, ENTRIES, SITEMAPS, STATES)
    assert (point["findings"], point["unread"], point["added"]) == (pages.total(), UNREAD, 0)
    compared = told("diff", f"{target}@latest", target, "--allow-private", code=2)
    assert [(each["urls"], each["files"]) for each in (compared["old"], compared["new"])] == [(URLS, SITEMAPS)] * 2
    assert f"({URLS} URLs in {SITEMAPS} files)" in run("diff", f"{target}@latest", target, "--allow-private").text
    life = told("history", site.url("/old"), code=0)["urls"][0]["sightings"]
    assert [each["status"] for each in life] == [301, 301]


def test_audit_with_check_has_the_documents_of_check(site: Site) -> None:
    target = site.url("/")
    checked = {each["source"] for each in told("check", target, "--allow-private", code=1)["documents"]}
    audit = told("audit", target, "--allow-private", "--check", code=2)
    assert {each["source"] for each in audit["documents"]} == checked
    assert audit["summary"]["documents"] == len(checked)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_after_an_interrupt_the_part_and_then_the_whole_agree(site: Site, tmp_path: Path) -> None:
    target = site.url("/")
    for path in GOOD[2:]:
        site.routes[path] = PageAnswer(body=page(path), type="text/html", pause=0.4)
    command = [sys.executable, "-m", "urlset", "audit", target, "--allow-private", "--concurrency", "1", "--delay", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [*command, "--format", "json"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(request.path == GOOD[2] for request in site.log):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    body = json.loads(process.communicate(timeout=60)[0])
    assert (process.returncode, body["finished"], body["listed"]) == (130, False, URLS)
    seen = sum(body["states"].values())
    assert 0 < seen < URLS
    assert sum(each["asked"] for each in body["pages"]) == seen
    assert sum(each["count"] for each in body["not_asked"]) == URLS - seen
    known = ("audit", target, "--allow-private", "--known")
    text = " ".join(written("text", *known).split())
    assert f"{URLS} pages listed in {SITEMAPS} sitemaps, {seen} checked" in text
    assert f"{seen} of {URLS} pages" in text
    verdict = LexborHTMLParser(written("html", *known)).css_first(".verdict")
    assert verdict is not None
    assert not re.match("passed|complete", verdict.text().strip())
    part = told("snapshot", target, "--allow-private", code=2)["snapshot"]
    assert (part["urls"], part["states"]) == (URLS, body["states"])
    assert run(*command[3:], "--format", "json").code == 2
    audited(site)
