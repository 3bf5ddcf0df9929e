"""Slow questions about snapshots → answers that are computed once, in the background, and kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
_KEPT = 64
_AT_ONCE = 2
PATIENCE = 2.0
"""seconds that a page waits before it is shown without the answer"""


class Later:
    """Snapshots do not change, so an answer about them stays right."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="urlset-dashboard")
        self._known: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    async def get(self, key: Hashable, compute: Callable[[], T], patience: float = PATIENCE) -> T | None:
        """None while it is still being computed. Raises what `compute` raised."""
        future: Future[T] | None = self._known.get(key)
        if future is None:
            future = self._pool.submit(compute)
            self._known[key] = future
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio complains later
        await asyncio.wait([waiting], timeout=patience)
        if not future.done():
            return None
        if future.exception() is not None:
            self._known.pop(key, None)  # the next request tries again
        return future.result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
