"""One owner of the pace and many processes → the turns of one process, also after either is killed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, Self

import pytest

from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.web.pace_owner import DRIVER, OwnerOptions, PaceOwner
from urlset.web.remote_pace import RemotePace, asking_for
from urlset.web.turn_log import TurnLog
from urlset.web.turns import Turn
from urlset.web.wire import Exchange

HOST = "www.example.com"
FINE = Exchange(status=200, first_byte=0.01)


class Line:
    """A way to an owner that can be killed and replaced."""

    def __init__(self, folder: Path, **web: Any) -> None:
        self._options = OwnerOptions(
            web=WebOptions(**{"concurrency": 2, **web}),
            memory=folder / "memory",
            turns=folder / "turns",
            processes=3,
            pause=0.0,
        )
        self.owner: PaceOwner | None = PaceOwner(self._options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.kill()

    def kill(self) -> None:
        if self.owner is not None:
            self.owner.close()
        self.owner = None

    def restart(self) -> None:
        self.kill()
        self.owner = PaceOwner(self._options, restarted=True)

    async def call(self, data: bytes) -> bytes:
        if self.owner is None:
            raise ConnectionError("gone")
        owner = self.owner
        reply = await owner.handle(data)
        if self.owner is not owner:
            raise ConnectionError("killed meanwhile")
        return reply


async def taken(pace: RemotePace, seconds: float = 0.3) -> Turn | None:
    try:
        turn = await asyncio.wait_for(pace.take(HOST), seconds)
    except TimeoutError:
        return None
    assert isinstance(turn, Turn)
    return turn


def test_processes_share_the_turns_of_a_host(tmp_path: Path) -> None:
    async def main() -> None:
        line = Line(tmp_path)
        async with line, RemotePace(line, DRIVER), RemotePace(line, 1) as one, RemotePace(line, 2) as two:
            first, second = await taken(one), await taken(two)
            assert first is not None
            assert second is not None
            assert await taken(one) is None
            assert (await two.settle(second, FINE, 1, None)).pause is None
            assert await taken(one) is not None

    run(main())


def test_a_replaced_process_holds_no_turn_and_its_request_is_given_time(tmp_path: Path) -> None:
    async def main() -> None:
        line = Line(tmp_path, concurrency=1)
        async with line, RemotePace(line, DRIVER), RemotePace(line, 2) as other:
            async with RemotePace(line, 1) as dead:
                assert await taken(dead) is not None
            assert await taken(other) is None
            async with RemotePace(line, 1):
                started = time.monotonic()
                assert await taken(other, 5.0) is not None
                assert time.monotonic() - started > 0.2

    run(main())


def test_a_restarted_owner_learns_first_which_turns_are_in_use(tmp_path: Path) -> None:
    async def main() -> None:
        line = Line(tmp_path, concurrency=1)
        async with line, RemotePace(line, DRIVER), RemotePace(line, 1) as one, RemotePace(line, 2) as two:
            turn = await taken(one)
            assert turn is not None
            line.kill()
            line.restart()
            assert await taken(two, 1.0) is None
            await one.settle(turn, FINE, 1, None)
            assert await taken(two, 2.0) is not None

    run(main())


def test_without_all_processes_a_restarted_owner_gives_no_turn(tmp_path: Path) -> None:
    async def main() -> None:
        line = Line(tmp_path)
        line.restart()
        async with line, RemotePace(line, DRIVER), RemotePace(line, 1) as one:
            assert await taken(one, 1.0) is None
            async with RemotePace(line, 2):
                assert await taken(one, 5.0) is not None

    run(main())


@pytest.mark.parametrize("demand", ["crawl delay", "retry after"])
def test_what_a_host_demands_survives_the_owner(tmp_path: Path, demand: str) -> None:
    async def main() -> float:
        line = Line(tmp_path)
        async with line, RemotePace(line, DRIVER) as driver, RemotePace(line, 1) as one, RemotePace(line, 2):
            if demand == "crawl delay":
                await driver.ask_no_faster(HOST, 0.8)
            else:
                turn = await taken(one)
                assert turn is not None
                then = await one.settle(turn, Exchange(status=429, headers=(("retry-after", "1"),)), 1, None)
                assert then.pause == 0.0
            line.kill()
            restarted = time.monotonic()
            line.restart()
            assert await taken(one, 5.0) is not None
            return time.monotonic() - restarted

    assert 0.75 < run(main()) < 4.0


def test_a_refusal_is_known_to_all(tmp_path: Path) -> None:
    hour = Exchange(status=429, headers=(("retry-after", "3600"),), body=b"later")

    async def main() -> Turn | Exchange:
        line = Line(tmp_path)
        async with line, RemotePace(line, DRIVER), RemotePace(line, 1) as one, RemotePace(line, 2) as two:
            turns = [await taken(one), await taken(one)]
            for turn in turns:
                assert turn is not None
                await one.settle(turn, hour, 3, None)
            line.kill()
            line.restart()
            return await two.take(HOST)

    found = run(main())
    assert isinstance(found, Exchange)
    assert found.status == 429


def test_no_turn_is_given_while_the_command_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.web.pace_owner.SILENCE", 0.3)

    async def main() -> None:
        line = Line(tmp_path)
        async with line, RemotePace(line, 1) as one:
            assert await taken(one) is not None
            await asyncio.sleep(0.4)
            assert await taken(one) is None
            async with RemotePace(line, DRIVER):
                assert await taken(one, 2.0) is not None

    run(main())


def test_the_log_tells_sent_requests_from_waiting_ones(tmp_path: Path) -> None:
    async def main() -> None:
        log = TurnLog(tmp_path / "turns", lambda page: page in (7, 8))
        line = Line(tmp_path, concurrency=1)
        async with line, RemotePace(line, DRIVER), RemotePace(line, 1) as one:
            asking_for.set((7, 1))
            assert await taken(one) is not None
            asking_for.set((8, 1))
            assert await taken(one) is None
        for page in (7, 8):
            log.lost(page)
        assert (log.sent(7), log.sent(8)) == (1, 0)
        later = TurnLog(tmp_path / "turns", lambda page: page in (7, 8))
        assert (later.sent(7), later.sent(8)) == (1, 0)
        assert TurnLog(tmp_path / "turns", lambda _page: False).sent(7) == 0

    run(main())
