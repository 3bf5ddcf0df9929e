"""What all workers have to say in one turn of the loop → one commit; and the form in which texts are kept."""

from __future__ import annotations

import asyncio
import contextlib
from array import array

from urlset.auditing.store import AuditStore, Result


class AnswerWriter:
    """Received answers and the pages requested next; both are on disk before the next request."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._results: list[Result] = []
        self._asking: list[int] = []
        self._put_back: list[int] = []
        self._written: asyncio.Future[None] | None = None

    async def turn(self, result: Result | None, asking: int | None) -> None:
        """Comes back when both are on disk."""
        if result is not None:
            self._results.append(result)
        if asking is not None:
            self._asking.append(asking)
        if self._written is None:
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self.flush)
        await asyncio.shield(self._written)

    def put_back(self, page: int) -> None:
        self._put_back.append(page)

    def flush(self) -> None:
        results, asking, put_back = self._results, self._asking, self._put_back
        self._results, self._asking, self._put_back = [], [], []
        written, self._written = self._written, None
        try:
            if results or asking or put_back:
                self._store.save(results, asking, put_back)
        except BaseException as error:
            if written is None or written.cancelled():
                raise
            written.set_exception(error)
        else:
            if written is not None and not written.cancelled():
                written.set_result(None)


def pack_text(blocks: tuple[int, ...], words: tuple[int, ...]) -> bytes | None:
    """Twelve bytes for each block: its hash and its words."""
    if not blocks:
        return None
    return array("q", blocks).tobytes() + array("I", words).tobytes()


def unpack_text(data: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = len(data) // 12
    with contextlib.suppress(ValueError):
        return tuple(array("q", data[: count * 8])), tuple(array("I", data[count * 8 :]))
    return (), ()
