"""Fetched files, kept on disk to show places in them later, as far as there is room."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from urlset.model.document import Document
from urlset.reading.limits import REMOTE_CAP
from urlset.reading.read import read

ROOM = 256 << 20
"""bytes of fetched files that are kept until the end; indexes, which have most cross-file findings, are extra"""


class Spools:
    """Opens a document again by the name that findings use."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._used = 0
        self._files: dict[str, tuple[Path, str]] = {}
        self._oldest: deque[str] = deque()
        self._documents: dict[str, Document] = {}

    def keep_document(self, document: Document) -> None:
        """One that is small and at hand anyway."""
        self._documents[document.name] = document

    def keep(self, name: str, path: Path, url: str, *, always: bool) -> None:
        self._files[name] = (path, url)
        if always:
            return
        self._oldest.append(name)
        self._used += _size(path)
        while self._used > self._room:
            file, _ = self._files.pop(self._oldest.popleft())
            self._used -= _size(file)
            file.unlink(missing_ok=True)

    def reopen(self, name: str) -> Document:
        """Raises FileNotFoundError for one that was let go of."""
        if name in self._documents:
            return self._documents[name]
        if name not in self._files:
            raise FileNotFoundError(name)
        path, url = self._files[name]
        return read(path, name=name, url=url, cap=REMOTE_CAP)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
