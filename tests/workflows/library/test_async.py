"""Awaited verbs → on the loop of the caller, which stays free; a cancelled call ends and writes nothing."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.workflows.audit_sites import page
from tests.workflows.live_sites import WEB, index, pages, robots, xml
from urlset.testing import PageAnswer, Site

SLOW = 20.0
"""seconds that a page takes, far more than any test waits"""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as served:
        u = served.url
        served.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {u('/index.xml')}"),
                "/index.xml": xml(index(u("/a.xml"), u("/b.xml"))),
                "/a.xml": xml(pages(u("/1"), u("/2"))),
                "/b.xml": PageAnswer(body=pages(u("/3")), type="application/xml", pause=SLOW),
                "/": page("home").replace("</nav>", f'<a href="{u("/slow")}">slow</a></nav>'),
                "/slow": PageAnswer(body=page("slow"), pause=SLOW),
                "/list.xml": xml(pages(u("/"), u("/slow"))),
                **{f"/{number}": page(number) for number in (1, 2, 3)},
            }
        )
        yield served


async def _entered(block: Any) -> None:
    async with block:
        pass


async def _until(reached: Callable[[], bool]) -> None:
    """What happens on the server or in a generator sets no event."""
    async with asyncio.timeout(10):
        while not reached():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def _all(items: AsyncIterator[Any]) -> None:
    async for _ in items:
        pass


WAITING: dict[str, Callable[[Site, Path], Awaitable[Any]]] = {
    "read": lambda site, _: urlset.read_async(site.url("/b.xml"), web=WEB),
    "read_tree": lambda site, _: _all(aiter(urlset.read_tree_async(site.url("/index.xml"), web=WEB))),
    "check": lambda site, _: urlset.check_async(site.url("/index.xml"), web=WEB),
    "fix": lambda site, _: urlset.fix_async(site.url("/b.xml"), web=WEB),
    "diff": lambda site, folder: urlset.diff_async(site.url("/a.xml"), site.url("/b.xml"), web=WEB, state=folder),
    "snapshot": lambda site, folder: urlset.snapshot_async(site.url("/index.xml"), web=WEB, state=folder),
    "audit": lambda site, folder: _entered(urlset.audit_async(site.url("/list.xml"), web=WEB, state=folder)),
    "crawl": lambda site, folder: _entered(urlset.crawl_async(site.url("/"), web=WEB, state=folder)),
    "build": lambda site, folder: urlset.build_async(site.url("/"), folder / "out", web=WEB),
    "doctor": lambda site, _: urlset.doctor_async(site.url("/b.xml"), allow_private=True),
}


@pytest.mark.parametrize("verb", WAITING)
def test_a_cancelled_call_ends_soon(site: Site, tmp_path: Path, verb: str) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    async def main() -> tuple[float, list[str]]:
        beating = asyncio.create_task(tick())
        call = asyncio.ensure_future(WAITING[verb](site, tmp_path))
        await _until(lambda: any(request.path in {"/b.xml", "/slow"} for request in site.log))
        started = time.monotonic()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        took = time.monotonic() - started
        beating.cancel()
        await asyncio.sleep(0.1)
        left = asyncio.all_tasks() - {asyncio.current_task(), beating}
        return took, [str(task) for task in left]

    took, left = asyncio.run(main())
    assert took < 2.0
    assert left == []
    assert ticks, "the loop of the caller was blocked"
    assert not list(tmp_path.glob("out/*.xml"))


def test_requests_run_on_the_loop_of_the_caller(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from urlset.web.client import Client

    loops = set()
    get = Client.get

    async def noted(self: Client, *given: Any, **named: Any) -> Any:
        loops.add((asyncio.get_running_loop(), threading.current_thread()))
        return await get(self, *given, **named)

    monkeypatch.setattr(Client, "get", noted)
    before = signal.getsignal(signal.SIGINT)

    async def main() -> set[Any]:
        first, second = await asyncio.gather(
            urlset.check_async(site.url("/a.xml"), web=WEB), urlset.read_async(site.url("/a.xml"), web=WEB)
        )
        assert (first.entries, len(second)) == (2, 2)
        async with urlset.audit_async(site.url("/a.xml"), web=WEB) as auditor:
            assert [row.state async for row in auditor.pages()] == ["ok", "ok"]
        async with urlset.crawl_async(site.url("/1"), web=WEB) as crawler:
            assert crawler.report.visited == 1
            handler = signal.getsignal(signal.SIGINT)
        assert handler is not signal.SIG_DFL
        return {(asyncio.get_running_loop(), threading.main_thread())}

    assert loops == asyncio.run(main())
    assert signal.getsignal(signal.SIGINT) is before


def test_a_build_that_is_cancelled_publishes_nothing(tmp_path: Path) -> None:
    reached = 0

    async def offered() -> AsyncIterator[str]:
        nonlocal reached
        while True:
            reached += 1
            await asyncio.sleep(0)
            yield f"/{reached}"

    async def main() -> None:
        task = asyncio.create_task(urlset.build_async(offered(), tmp_path / "out", base_url="https://e.com/"))
        await _until(lambda: reached > 3_000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not list(tmp_path.glob("out/*.xml"))


def test_work_on_files_stops_between_files(tmp_path: Path) -> None:
    """Nothing is awaited there; the thread looks whether the caller still waits."""
    for number in range(300):
        (tmp_path / f"{number}.xml").write_bytes(pages(*(f"https://e.com/{number}/{n}" for n in range(300))))

    async def main() -> float:
        task = asyncio.create_task(urlset.check_async(tmp_path))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(main()) < 1.0


def test_timeouts_are_those_of_asyncio(site: Site) -> None:
    async def main() -> None:
        async with asyncio.timeout(0.5):
            await urlset.check_async(site.url("/b.xml"), web=WEB)

    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_exceptions_arrive(tmp_path: Path) -> None:
    with pytest.raises(urlset.FileMissingError):
        asyncio.run(urlset.check_async(tmp_path / "nothing.xml"))
    with pytest.raises(urlset.ArgumentTypeError, match="expected a path"):
        asyncio.run(urlset.fix_async(5))  # type: ignore[arg-type]
