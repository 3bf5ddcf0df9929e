"""`urlset.audit` and `urlset.Auditor` → reports for programs, with nothing left behind."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

import urlset
from tests.workflows.audit_sites import page, sitemap
from urlset.model.visit import State
from urlset.testing import PageAnswer, Request, Site
from urlset.web.options import WebOptions
from urlset.workflows.library.keywords import AuditKeywords

LOOPBACK = WebOptions(allow_private=True)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as served:
        paths = [f"/{number}" for number in range(4)]
        served.routes.update({path: page(path) for path in paths})
        served.routes["/sitemap.xml"] = sitemap(map(served.url, [*paths, "/gone"]))
        yield served


def test_pages_and_findings(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with urlset.audit(site.url("/sitemap.xml"), web=LOOPBACK) as report:
        states = {row.url: row.state for row in report.pages()}
        assert any(tmp_path.iterdir())
    assert states == {site.url(f"/{number}"): State.OK for number in range(4)} | {site.url("/gone"): State.GONE}
    assert report.states == {State.OK: 4, State.GONE: 1}
    assert report.verdict.severity_counts["error"] >= 1
    assert not list(tmp_path.iterdir())


def test_with_a_state_folder_the_second_audit_knows_the_first(site: Site, tmp_path: Path) -> None:
    for most in (3, None):
        with urlset.audit(site.url("/sitemap.xml"), web=LOOPBACK, state=tmp_path / "state", max_pages=most) as report:
            assert report.finished == (most is None)
    assert [site.counts()[f"/{number}"] for number in range(4)] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("how", "words"),
    [({"engines": ["gogle"]}, "gogle"), ({"select": ["no-such-rule"]}, "no-such-rule"), ({"sample": "half"}, "half")],
)
def test_what_does_not_exist_is_a_value_error(how: AuditKeywords, words: str) -> None:
    with pytest.raises(ValueError, match=words), urlset.audit("https://x.example/", **how):
        pass


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(urlset.AuditError, match="no such file"), urlset.audit(tmp_path / "nothing"):
        pass


def test_on_an_event_loop(site: Site) -> None:
    async def main() -> dict[str, str]:
        async with urlset.Auditor(site.url("/sitemap.xml"), web=LOOPBACK) as auditor:
            assert auditor.report.listed == 5
            return {row.url: row.state async for row in auditor.pages()}

    assert asyncio.run(main())[site.url("/gone")] == State.GONE


def test_an_error_comes_through_and_ends_the_thread(tmp_path: Path) -> None:
    async def main() -> None:
        async with urlset.Auditor(tmp_path / "nothing"):
            pass

    with pytest.raises(urlset.AuditError, match="no such file"):
        asyncio.run(main())


def test_a_task_that_is_cancelled_stops_its_audit(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    paths = [f"/slow/{number}" for number in range(200)]
    asked = Event()

    def slow(_request: Request) -> PageAnswer:
        asked.set()
        return PageAnswer(body=page("slow"), pause=0.5)

    site.routes.update(dict.fromkeys(paths, slow))
    site.routes["/sitemap.xml"] = sitemap(map(site.url, paths))

    async def main() -> None:
        async with urlset.Auditor(site.url("/sitemap.xml"), web=LOOPBACK):
            pass

    async def cancelled() -> None:
        task = asyncio.create_task(main())
        assert await asyncio.to_thread(asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancelled(), 20))
    assert sum(count for path, count in site.counts().items() if path.startswith("/slow/")) < 60
    assert not list(tmp_path.iterdir())


def test_advice_to_a_program_names_what_a_program_can_write() -> None:
    private = "http://127.0.0.1:1/sitemap.xml"
    with urlset.audit(private, strict=False) as report:
        audited = report.verdict.troubled
    for (line,) in (urlset.check(private, strict=False).troubled, audited):
        assert "; `allow_private=True` allows it" in line
        assert "--" not in line
    (refused,) = urlset.check(private, web=urlset.WebOptions(allow_private=True, tries=1), strict=False).troubled
    assert "connection refused" in refused
