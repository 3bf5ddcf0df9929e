"""Rendered chunks → one complete file, kept until it is sent.

A response whose rows fail after its first byte cannot become an error any more. Over HTTP/1.0, which wsgiref and many
reverse proxies speak, the client cannot tell that the file is incomplete: it takes the part for the whole, with status
200. So a file is complete before its status is sent. In return it has a length, and a slow client holds no database
cursor. A file of 50,000 plain URLs has 5 MB; memory stays at `_IN_MEMORY`, and the rest is in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Self

_IN_MEMORY = 1 << 20
_BLOCK = 1 << 16


class FinishedFile:
    """Written, then finished, then read once as an iterator of chunks; `close` frees it, also before the end."""

    def __init__(self) -> None:
        self._file: IO[bytes] = BytesIO()
        self._size = 0

    @classmethod
    @contextmanager
    def making(cls) -> Iterator[Self]:
        """A new one, closed if the block fails."""
        file = cls()
        try:
            yield file
        except BaseException:
            file.close()
            raise

    def write(self, chunk: bytes) -> None:
        if self._size <= _IN_MEMORY < self._size + len(chunk):
            begun, self._file = self._file, TemporaryFile()  # noqa: SIM115 - closed with the response
            assert isinstance(begun, BytesIO)
            self._file.write(begun.getbuffer())
        self._size += self._file.write(chunk)

    def finish(self, chunk: bytes) -> None:
        """With the last chunk."""
        self.write(chunk)
        self._file.seek(0)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        chunk = b"" if self._file.closed else self._file.read(_BLOCK)
        if not chunk:
            self.close()
            raise StopIteration
        return chunk

    def close(self) -> None:
        self._file.close()
