"""A second look with a real browser: thirty labelled pages, the guard, kills, limits."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.auditing.script_pages import PAGES, TEXT, site_routes
from urlset.model.answer import Answer
from urlset.model.visit import Rendering, RenderMode
from urlset.reports.pages import PageRow
from urlset.settings.audit import AuditSettings
from urlset.testing import PageAnswer, Site
from urlset.web.browser import Browser, RenderOptions
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import audited

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None and not os.environ.get("REQUIRE_CHROMIUM"), reason="no chromium"),
]
WEB = WebOptions(allow_private=True, backoff=0.01, patience=0.05)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site({}) as made:
        made.routes.update(site_routes(made.origin))
        yield made


def audit(site: Site, state: Path, mode: RenderMode, **more: Any) -> tuple[dict[str, PageRow], dict[str, set[str]]]:
    """The pages, and what was found out about the scripts of each."""
    asked = AuditSettings(target=site.url("/sitemap.xml"), state=state, web=WEB, render=mode, **more)
    with audited(asked) as outcome:
        rows = {row.url.removeprefix(site.origin): row for row in outcome.report.pages()}
        found: dict[str, set[str]] = {path: set() for path in rows}
        for finding in outcome.report.verdict.findings:
            if finding.code in ("A039", "A040", "A041", "A042"):
                found[(finding.subject or "").removeprefix(site.origin)].add(finding.code)
        return rows, found


def rendered(*answers: Answer, **options: Any) -> list[Rendering]:
    """By one browser, one after the other: to start it takes longer than a page."""

    async def main() -> list[Rendering]:
        async with Client(WEB, named=[answers[0].url]) as client, Browser(client, RenderOptions(**options)) as browser:
            return [await browser.render(each) for each in answers]

    return run(main())


def page_at(url: str, body: str) -> Answer:
    headers = (("content-type", "text/html; charset=utf-8"),)
    return Answer(url, final_url=url, status=200, headers=headers, body=body.encode())


def test_every_difference_is_found_and_none_invented(site: Site, tmp_path: Path) -> None:
    assert len(PAGES) >= 30
    rows, found = audit(site, tmp_path, RenderMode.ALWAYS)
    assert found == {page.path: set(page.labels) for page in PAGES}
    assert rows["/noindex"].remedy is not None


def test_scripts_reach_no_private_host(site: Site) -> None:
    """Not by fetch, socket, picture, frame, form, worker, beacon or WebRTC: the trap sees no connection at all."""
    with (
        Site({"*": "secret"}, addresses=("127.0.0.2",)) as trap,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.bind(("127.0.0.2", trap.port))
        datagrams.setblocking(False)
        there = f"127.0.0.2:{trap.port}"
        markup = (
            f'<iframe src="http://{there}/frame"></iframe><link rel=preconnect href="http://{there}">'
            f'<link rel=prefetch href="http://{there}/prefetch"><video src="http://{there}/video" autoplay></video>'
        )
        relay = f"{{urls: ['turn:{there}?transport=tcp', 'turn:{there}'], username: 'a', credential: 'b'}}"
        relay = f"{{iceServers: [{relay}, {{urls: 'stun:{there}'}}]}}"
        call = "p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))"
        attempts = (
            f"fetch('http://{there}/fetch').catch(() => 0)",
            f"fetch('http://{there}/post', {{method: 'POST', mode: 'no-cors', body: 'x'}}).catch(() => 0)",
            f"new WebSocket('ws://{there}/socket')",
            f"new Image().src = 'http://{there}/image'",
            f"navigator.sendBeacon('http://{there}/beacon', 'x')",
            f"new EventSource('http://{there}/events')",
            f"document.body.insertAdjacentHTML('beforeend', '{markup}')",
            f"new Worker(URL.createObjectURL(new Blob([\"fetch('http://{there}/worker')\"])))",
            f"const p = new RTCPeerConnection({relay}); {call}",
            f"window.open('http://{there}/window')",
        )
        script = "".join(f"try {{ {each} }} catch {{}}\n" for each in attempts)
        found, moved = rendered(
            page_at(site.url("/"), f"<body><script>{script}document.body.append('done')</script>"),
            page_at(site.url("/"), f"<script>location = 'http://{there}/moved'</script>"),
        )
        assert "done" in found.html
        assert moved.moved_to == f"http://{there}/moved"
        assert trap.log == []
        assert trap.connections == set()
        with pytest.raises(BlockingIOError):
            datagrams.recv(100)


def test_a_killed_browser_costs_only_time(site: Site) -> None:
    pages = [page_at(site.url(f"/{number}"), f"<div id=root></div><script>fetch('/data.json').then(r => r.json())"
             f".then(d => root.textContent = {number} + d.text)</script>") for number in range(4)]  # fmt: skip

    options = RenderOptions(seconds=5.0)  # a page of the killed browser waits so long

    async def main() -> tuple[list[Rendering], int]:
        async with Client(WEB, named=[site.url("/")]) as client, Browser(client, options) as browser:
            await browser.render(pages[0])
            rendering = [asyncio.ensure_future(browser.render(page)) for page in pages]
            await asyncio.sleep(0.2)
            for process in browsers():
                os.kill(process, signal.SIGKILL)
            return await asyncio.gather(*rendering), browser.restarts

    found, restarts = run(main())
    assert [each.problem for each in found] == [""] * 4
    assert all(f"{number}{TEXT}" in each.html for number, each in enumerate(found))
    assert restarts > 0
    assert browsers() == []


def browsers() -> list[int]:
    """The browsers that this process started: children of the driver, which is a child of ours."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            parents[int(entry.name)] = (int(rest.split()[1]), name)
    drivers = {number for number, (parent, _) in parents.items() if parent == os.getpid()}
    return [number for number, (parent, name) in parents.items() if parent in drivers and "chrom" in name]


def test_a_page_that_never_ends_is_given_up(site: Site) -> None:
    slow, stuck = rendered(
        page_at(site.url("/"), "<p>early</p><script>fetch('/slow').then(() => document.body.append('late'))</script>"),
        page_at(site.url("/"), "<p>a</p><script>while (true) {}</script>"),
        seconds=1.0,
    )
    assert "early" in slow.html
    assert not slow.in_time
    assert stuck.problem


def test_sizes_are_bounded(site: Site) -> None:
    many = "".join(f"fetch('/data.json?{number}');" for number in range(10))
    body = f"<body><script>{many}document.body.append('x'.repeat(1e6))</script>"
    script = f"/*{'x' * 2_000}*/document.body.append('run')"
    site.routes["/large.js"] = PageAnswer(body=script, type="text/javascript")
    found, large = rendered(
        page_at(site.url("/"), body),
        page_at(site.url("/"), "<body><script src=/large.js></script>"),
        html=10_000,
        requests=3,
        resource=1_000,
    )
    assert (len(found.html), found.truncated, found.requests, found.refused) == (10_000, True, 3, 7)
    assert "run" not in large.html


def test_a_missing_browser_is_a_problem_of_the_page(site: Site, tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    [found] = rendered(page_at(site.url("/"), "<script></script>"), browser=broken)
    assert "does not start" in found.problem
