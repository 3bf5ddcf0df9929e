"""Steps of a computation → its result, with the calls made here or awaited: one algorithm for sync and async."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from urlset.building.entry_lines import Page
from urlset.model.errors import ArgumentTypeError

BATCH = 1_000
"""pages that are fetched and rendered at a time"""


class Each(NamedTuple):
    """A step that goes through pages instead of making one call."""

    open: Callable[[], Any]
    take: Callable[[list[Page]], object]


Step = Callable[[], Any] | Each
Steps = Generator[Step, Any, Any]


class AsyncSourceError(ArgumentTypeError):
    """An async source in an application that is not async."""

    def __init__(self) -> None:
        super().__init__("this section is async; serve it with urlset.integrations.asgi or fastapi, or make it sync")


def run(steps: Steps) -> Any:
    answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as done:
            return done.value
        if isinstance(step, Each):
            for batch in batches(step.open()):
                step.take(batch)
            answer = None
        else:
            answer = _not_awaitable(step())


async def run_async(steps: Steps) -> Any:
    """Sync calls are made in one worker thread, always the same: connections may be bound to it."""
    thread = ThreadPoolExecutor(1, "urlset-sitemaps")
    try:
        answer = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                return done.value
            if isinstance(step, Each):
                async for batch in async_batches(step.open, thread):
                    step.take(batch)
                answer = None
            else:
                answer = await _called(step, thread)
    finally:
        thread.shutdown(wait=False)


def batches(pages: Any) -> Generator[list[Page], None, None]:
    _not_awaitable(pages)
    if not isinstance(pages, Iterable):
        if isinstance(pages, AsyncIterable):
            raise AsyncSourceError
        raise TypeError(f"a section returned {type(pages).__name__}, which is not an iterable of pages")
    rows = iter(pages)
    try:
        while batch := list(islice(rows, BATCH)):
            yield batch
    finally:
        if hasattr(rows, "close"):
            rows.close()


async def async_batches(opened: Callable[[], Any], thread: ThreadPoolExecutor) -> AsyncIterator[list[Page]]:
    pages = await _called(opened, thread)
    if isinstance(pages, AsyncIterable) and not isinstance(pages, Iterable):
        async for batch in _gathered(pages):
            yield batch
        return
    loop = asyncio.get_running_loop()
    found = batches(pages)
    try:
        while batch := await loop.run_in_executor(thread, lambda: next(found, [])):
            yield batch
    finally:
        await loop.run_in_executor(thread, found.close)


async def _gathered(pages: AsyncIterable[Page]) -> AsyncIterator[list[Page]]:
    batch: list[Page] = []
    try:
        async for page in pages:
            batch.append(page)
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch
    finally:
        if hasattr(pages, "aclose"):
            await pages.aclose()


async def _called(call: Callable[[], Any], thread: ThreadPoolExecutor) -> Any:
    """A call that may be sync, async, or a plain function that returns something async."""
    owner = getattr(call.func if isinstance(call, partial) else call, "__self__", None)
    if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call) or getattr(owner, "is_async", False):
        answer = call()
    else:
        answer = await asyncio.get_running_loop().run_in_executor(thread, call)
    return await answer if inspect.isawaitable(answer) else answer


def _not_awaitable(answer: Any) -> Any:
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise AsyncSourceError
    return answer
