"""Sitemap files and the files their indexes list → documents, one at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from urlset.model.document import Document
from urlset.reading import limits
from urlset.reading.disk import Absent, Missing, SiteFolder, expand, is_copy_of_one
from urlset.reading.read import read
from urlset.storage.paths import file_at

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

__all__ = ["DocumentTree", "Missing", "Start", "read_tree"]

Start = str | os.PathLike[str] | bytes | BinaryIO | Document

MAX_INDEX_DEPTH = 8
"""The protocol allows one level of indexes; a few more are seen, and circles are caught on their own."""


def read_tree(
    path: Start | Iterable[Start],
    *,
    root: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    max_depth: int = MAX_INDEX_DEPTH,
    cap: int = limits.LOCAL_CAP,
) -> DocumentTree:
    """The documents behind a file, pattern or folder (or several), with the children of every index.

    Nothing is fetched: a child is looked for on disk, below `root` by the path of its address, or next to its
    index if no `root` is given. `base_url` is the URL of `root` (default: any host's `/`).
    Raises FileNotFoundError for a path that leads nowhere; whatever else fails is listed in `Tree.missing`.
    """
    starts: list[FilePath | bytes | BinaryIO | Document] = []
    for start in _several(path):
        for found in _expanded(start):
            if isinstance(found, Missing):
                raise FileNotFoundError(f"{found.loc}: {found.reason}")
            starts.append(found)
    return DocumentTree(starts, root=root, base_url=base_url, max_depth=max_depth, cap=cap)


class DocumentTree:
    """Documents in the order listed, each file once, an index before its children.

    Every iteration reads the files again, one at a time: let go of a document before asking for the next, and
    memory stays that of the largest. `missing` says what could not be read, as far as the iteration has come.
    """

    def __init__(
        self,
        starts: Iterable[Start],
        *,
        root: str | os.PathLike[str] | None = None,
        base_url: str | None = None,
        max_depth: int = MAX_INDEX_DEPTH,
        cap: int = limits.LOCAL_CAP,
    ) -> None:
        self._starts = tuple(starts)
        self._site_folder = SiteFolder(None if root is None else file_at(root), base_url)
        self._max_depth = max_depth
        self._cap = cap
        self.missing: list[Missing] = []

    def __iter__(self) -> Iterator[Document]:
        self.missing.clear()
        seen: set[str] = set()
        for start in self._starts:
            for found in _expanded(start):
                if isinstance(found, Missing):
                    self.missing.append(found)
                else:
                    yield from self._walk(found, seen)

    def _walk(self, start: FilePath | bytes | BinaryIO | Document, seen: set[str]) -> Iterator[Document]:
        """Depth first, holding no document but the one handed out: of an index only its list is kept."""
        document = self._read_start(start, seen)
        if document is None:
            return
        levels = [_Level.of(document, start if isinstance(start, os.PathLike) else None)]
        yield document
        del document
        while levels:
            level = levels[-1]
            loc = next(level.locs, None)
            if loc is None:
                levels.pop()
                continue
            if len(levels) > self._max_depth:
                self.missing.append(Missing(loc, level.name, f"indexes nested more than {self._max_depth} deep"))
                continue
            path = self._site_folder.find(loc, level.folder)
            if isinstance(path, Absent):
                self.missing.append(Missing(loc, level.name, path.reason))
                continue
            document = self._read(path, loc, level.name, loc, seen)
            if document is not None:
                levels.append(_Level.of(document, path))
                yield document
            del document

    def _read_start(self, start: FilePath | bytes | BinaryIO | Document, seen: set[str]) -> Document | None:
        if isinstance(start, Document):
            return start
        if isinstance(start, os.PathLike):
            return self._read(start, str(start), "", self._site_folder.address_of(start), seen)
        try:
            return read(start, cap=self._cap)
        except OSError as error:
            self.missing.append(Missing(str(getattr(start, "name", "")), "", error.strerror or str(error)))
            return None

    def _read(self, path: FilePath, loc: str, parent: str, url: str | None, seen: set[str]) -> Document | None:
        """The document, or None if it was read before or cannot be."""
        try:
            identity = os.path.realpath(path)
            if identity in seen or (not parent and is_copy_of_one(path, seen)):
                return None
            seen.add(identity)
            return read(path, url=url, cap=self._cap)
        except OSError as error:
            self.missing.append(Missing(loc, parent, error.strerror or str(error)))
            return None

    def found(self, document: Document) -> Iterator[FilePath | Missing]:
        """Where the children listed by one document lie, without reading them."""
        folder = file_at(document.name).parent if document.name else None
        for loc in listed(document):
            path = self._site_folder.find(loc, folder)
            yield Missing(loc, document.name, path.reason) if isinstance(path, Absent) else path


class _Level(NamedTuple):
    """One index on the way down: what it still has to list."""

    name: str
    folder: FilePath | None
    locs: Iterator[str]

    @classmethod
    def of(cls, document: Document, path: FilePath | None) -> _Level:
        return cls(document.name, None if path is None else path.parent, iter(listed(document)))


def listed(document: Document) -> list[str]:
    """The addresses of the sitemaps that an index or a robots.txt lists."""
    if document.robots is not None:
        return [line.value.strip() for line in document.robots.sitemaps if line.value.strip()]
    if not document.kind.lists_sitemaps:
        return []
    return [loc.strip() for loc in document.columns.locs if loc and loc.strip()]


def _expanded(start: Start) -> Iterator[FilePath | bytes | BinaryIO | Document | Missing]:
    if isinstance(start, (str, os.PathLike)):
        yield from expand(start)
    else:
        yield start


def _several(path: Start | Iterable[Start]) -> Iterator[Start]:
    if isinstance(path, (str, os.PathLike, bytes, Document)):
        yield path
    elif hasattr(path, "read"):
        yield cast("BinaryIO", path)
    else:
        yield from path
