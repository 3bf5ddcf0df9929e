"""A clock that is behind the last audit or crawl is reported, because dates are judged by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from urlset.checking import clock
from urlset.testing import Site

LATER, EARLIER = "1790000000", "1780000000"
SAID = "the clock was set back: it is 2026-05-28T20:26:40Z, but the last {} started at 2026-09-21T14:13:20Z"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as served:
        links = "".join(f'<a href="/{number}">{number}</a>' for number in range(3))
        served.routes["/"] = page("home") + links
        for number in range(3):
            served.routes[f"/{number}"] = page(number)
        served.routes["/sitemap.xml"] = sitemap(served.url(f"/{number}") for number in range(3))
        yield served


def test_an_audit(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("audit", site.url("/sitemap.xml"), "--allow-private", "--state", tmp_path, "--format", "json")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", LATER)
    assert json.loads(run(*arguments).out)["notices"] == []
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EARLIER)
    assert json.loads(run(*arguments).out)["notices"] == [SAID.format("audit")]


def test_a_crawl(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("crawl", site.url("/"), "--allow-private", "--state", tmp_path, "--format", "json")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", LATER)
    assert json.loads(run(*arguments, "--max-pages", "1").out)["notices"] == []
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EARLIER)
    assert json.loads(run(*arguments).out)["notices"] == [SAID.format("crawl")]


def test_times_without_an_offset_are_utc() -> None:
    now = clock.now()
    assert clock.set_back(now.replace(tzinfo=None), now.isoformat(), "build") is None
    assert clock.set_back(now, None, "build") is None
