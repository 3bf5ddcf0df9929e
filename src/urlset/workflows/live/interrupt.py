"""Ctrl-C while pages are requested → what is under way is still written down."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from urlset.web.loop import is_borrowed


@contextmanager
def stopping_calmly(stop: Callable[[], None]) -> Iterator[None]:
    """The first one calls `stop` on the loop; the second is as usual."""
    if threading.current_thread() is not threading.main_thread() or is_borrowed():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    loop = asyncio.get_running_loop()

    def stop_first(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        loop.call_soon_threadsafe(stop)

    signal.signal(signal.SIGINT, stop_first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
