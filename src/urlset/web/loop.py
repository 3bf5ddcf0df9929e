"""A coroutine → its result: on the loop of a caller who awaits, else on a new one (uvloop where installed)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar, cast

from urlset.web.caller import CALLER, CallCancelled, Caller

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """In this thread, or in another one while this thread waits: a notebook has a loop in its own thread."""
    if not is_loop_running():
        caller = CALLER.get()
        return _run(main) if caller is None else _run_there(caller, main)
    task = _Cancellable(main)
    with ThreadPoolExecutor(1, thread_name_prefix="urlset loop") as pool:
        try:
            return cast("T", pool.submit(copy_context().run, _run, task.wait()).result())
        except KeyboardInterrupt:
            task.cancel()
            raise


def _run_there(caller: Caller, main: Coroutine[Any, Any, T]) -> T:
    """Waits until the task has ended in any case: it may use what this thread closes afterwards."""

    async def work() -> T:
        task = asyncio.current_task()
        assert task is not None
        caller.tasks.add(task)
        try:
            if caller.is_cancelled:
                task.cancel()
            return await main
        finally:
            caller.tasks.discard(task)

    try:
        return asyncio.run_coroutine_threadsafe(work(), caller.loop).result()
    except CancelledError:
        raise CallCancelled from None


def is_borrowed() -> bool:
    """Whether this work runs on the loop of a caller, whose signals and settings are not ours."""
    return CALLER.get() is not None


def is_loop_running() -> bool:
    """Whether this thread is inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Cancellable:
    """A coroutine that another thread can end, as Ctrl-C ends one in the main thread."""

    def __init__(self, main: Coroutine[Any, Any, T]) -> None:
        self._main = main
        self._started = threading.Event()
        self._cancel: Callable[[], object] = lambda: None

    async def wait(self) -> Any:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is not None:
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        self._started.set()
        return await self._main

    def cancel(self) -> None:
        self._started.wait()
        with suppress(RuntimeError):  # the loop is closed: it has come to its end
            self._cancel()


def _run(main: Coroutine[Any, Any, T]) -> T:
    make: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    with suppress(ImportError):
        import uvloop

        make = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=make) as runner:
        return runner.run(main)
