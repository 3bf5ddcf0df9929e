"""Real generators → `urlset dates` on what they built: built twice, edited, with another theme, with a page more."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integrations.generated_sites import BASE, GENERATORS, NODE, GeneratedSite, NextServer
from tests.workflows.dates.built_site import day
from urlset.settings.dates import DatesSettings
from urlset.workflows.dates.dates import date_pages

pytestmark = [pytest.mark.slow]
NAMES = ("index", "aurora", "beacon", "comet", "dawn")


def dated(site: GeneratedSite, work: Path, number: int) -> dict[str, str]:
    """Page → its date, of those that have one, after a build and a run on that day."""
    site.build()
    settings = DatesSettings(
        target=str(site.public),
        lock=work / "sitemap.lock",
        state=work / ".urlset",
        now=day(number),
        first_seen=True,
    )
    report = date_pages(settings)
    assert not report.troubles
    return {
        each.url.removeprefix(BASE).strip("/").removesuffix(".html"): each.lastmod
        for each in report.pages
        if each.lastmod
    }


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda each: each.__name__)
def test_exactly_the_right_dates_move(
    generator: type[GeneratedSite], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if not generator.is_installed():
        pytest.skip(f"{generator.__name__} is not installed")
    work = tmp_path / "work"
    work.mkdir()
    with generator.made(tmp_path / "site") as site:
        record_property("version", site.version())
        for name in NAMES:
            site.write(name)
        assert dated(site, work, 1) == {}, "a build is no evidence"
        assert dated(site, work, 2) == {}, "built twice"
        site.write("beacon", "The cable is two meters long.")
        assert dated(site, work, 3) == {"beacon": "2026-03-03"}, "one page edited"
        site.theme(1)
        assert dated(site, work, 4) == {"beacon": "2026-03-03"}, "another theme"
        site.write("ember")
        known = {"beacon": "2026-03-03", "ember": "2026-03-05"}
        assert dated(site, work, 5) == known, "a page more"
        site.rename("beacon", "lighthouse")
        known["lighthouse"] = known.pop("beacon")
        assert dated(site, work, 6) == known, "a page moved"
        site.theme(0)
        site.write("comet", "It is blue.")
        assert dated(site, work, 7) == known | {"comet": "2026-03-07"}, "the first theme again, and one page edited"


@contextmanager
def served(site: GeneratedSite) -> Iterator[str]:
    """`next start`, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(NODE, "next", "node_modules", ".bin", "next")
    command = [str(program), "start", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, cwd=site.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(20)


@pytest.mark.network
def test_pages_that_a_server_renders(tmp_path: Path) -> None:
    if not NextServer.is_installed():
        pytest.skip("Next is not installed")

    def dated_live(number: int) -> dict[str, str]:
        site.build()
        with served(site) as url:
            report = date_pages(
                DatesSettings(
                    start=url,
                    lock=tmp_path / "sitemap.lock",
                    state=tmp_path / ".urlset",
                    now=day(number),
                    concurrency=8,
                )
            )
        assert report.summary.pages == len(NAMES)
        return {each.url.removeprefix(BASE).strip("/"): each.lastmod for each in report.pages if each.lastmod}

    with NextServer.made(tmp_path) as made:
        site = made
        for name in NAMES:
            site.write(name)
        assert dated_live(1) == {}
        site.write("beacon", "The cable is two meters long.")
        assert dated_live(2) == {"beacon": "2026-03-02"}
        site.theme(1)
        assert dated_live(3) == {"beacon": "2026-03-02"}
