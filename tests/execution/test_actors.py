"""Actors in other processes → their answers, and new ones where they were killed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial

import pytest

from urlset.execution.actor import Caller
from urlset.execution.backend import ExecutionError
from urlset.execution.process_actors import ProcessActors
from urlset.execution.workers import Workers
from urlset.web.loop import run

pytestmark = pytest.mark.slow


class Mortal:
    def __init__(self, name: str, *, restarted: bool) -> None:
        self._says = f"{name} {restarted}".encode()

    async def handle(self, data: bytes) -> bytes:
        if data == b"die":
            os.kill(os.getpid(), signal.SIGKILL)
        if data == b"fail":
            raise ValueError("on purpose")
        if data == b"wait":
            await asyncio.sleep(60)
        return self._says


def mortal(name: str, restarted: bool) -> Mortal:
    return Mortal(name, restarted=restarted)


def stillborn(restarted: bool) -> Mortal:
    raise RuntimeError(f"cannot start, {restarted}")


async def patiently(caller: Caller, data: bytes) -> bytes:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            return await caller.call(data)
        except ConnectionError:
            await asyncio.sleep(0.05)
    raise TimeoutError


def test_a_killed_actor_is_replaced_and_its_calls_are_lost() -> None:
    async def main() -> None:
        async with ProcessActors(Workers()) as actors:
            one, two = (actors.start(partial(mortal, name)) for name in ("one", "two"))
            assert await patiently(one, b"") == b"one False"
            assert await patiently(two, b"") == b"two False"
            with pytest.raises(ExecutionError, match="on purpose"):
                await one.call(b"fail")
            waiting = asyncio.create_task(one.call(b"wait"))
            with pytest.raises(ConnectionError):
                await one.call(b"die")
            with pytest.raises(ConnectionError):
                await waiting
            assert await patiently(one, b"") == b"one True"
            assert await two.call(b"") == b"two False"

    run(main())


def test_an_actor_that_cannot_start_is_given_up(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        async with ProcessActors(Workers()) as actors:
            caller = actors.start(stillborn)
            with pytest.raises(ExecutionError, match="before it could start"):
                await patiently(caller, b"")

    run(main())
    assert "cannot start" in capfd.readouterr().err
