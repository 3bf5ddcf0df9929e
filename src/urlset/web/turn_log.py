"""Turns given for pages ↔ a file, written before the request is sent: after a kill, how often a page was requested."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from pathlib import Path

from urlset.writing.files import write_atomically

_RECORD = struct.Struct("<qq")
"""the number of a page, and its attempt from 1"""


class TurnWriter:
    """Of the owner of the pace."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def close(self) -> None:
        self._file.close()

    def add(self, page: int, attempt: int) -> None:
        self._file.write(_RECORD.pack(page, attempt))


class TurnLog:
    """Of the command."""

    def __init__(self, path: Path, is_open: Callable[[int], bool]) -> None:
        """What an earlier run left; only pages that are still to be requested matter."""
        self._path = path
        self._sent: dict[int, int] = {}
        data = path.read_bytes() if path.exists() else b""
        whole = data[: len(data) - len(data) % _RECORD.size]  # the last one may be cut
        for page, attempt in _RECORD.iter_unpack(whole):
            if is_open(page):
                self._sent[page] = max(self._sent.get(page, 0), attempt)
        write_atomically(path, (_RECORD.pack(*each) for each in self._sent.items()))

    def sent(self, page: int) -> int:
        """How often the page was requested, as far as lost attempts are known."""
        return self._sent.get(page, 0)

    def lost(self, page: int) -> None:
        """The worker that had the next attempt was killed: was the request sent?"""
        attempt = self.sent(page) + 1
        if self._has(_RECORD.pack(page, attempt)):
            self._sent[page] = attempt

    def _has(self, record: bytes) -> bool:
        with self._path.open("rb") as file:
            if not file.seek(0, 2):
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                at = data.find(record)
                while at >= 0 and at % _RECORD.size:
                    at = data.find(record, at + 1)
                return at >= 0
