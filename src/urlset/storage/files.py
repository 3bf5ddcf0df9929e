"""The URL of an object → a file like one on disk: opened, listed, written whole or not at all."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, BinaryIO, cast

from urlset.storage.store import NoSuchObject, StorageError, Store, Stored

NO_MATCH, NO_OBJECT = "no object matches the pattern", "no such object or folder"
_CHUNK = 1 << 20
LISTED = 200_000
"""names that are read of a folder before each file in it is looked up instead"""
_SIGNED = re.compile(r"[?&](?:x-amz-|x-goog-|sig=|signature=|awsaccesskeyid=|googleaccessid=)", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|/)[._]")
_SIGNS = re.compile(r"[*?[]")


@lru_cache(maxsize=64)
def _store(bucket: str) -> Store:
    return Store(bucket)


class StoredFile:
    """An object, or the folder whose prefix it is, named by its URL. Every method raises StorageError, an OSError."""

    __slots__ = ("_bucket", "_known", "key")

    def __init__(self, url: str, known: Stored | None = None) -> None:
        scheme, _, rest = url.partition("://")
        bucket, _, key = rest.partition("/")
        if "@" in bucket or _SIGNED.search(url):
            raise StorageError("credentials in a storage URL are not accepted; set the variables of the provider")
        if not bucket:
            raise StorageError(f"{url!r} names no bucket; write {scheme}://BUCKET/NAME")
        self._bucket = f"{scheme.lower()}://{bucket}"
        self.key = key.strip("/")
        self._known = known

    def __str__(self) -> str:
        return f"{self._bucket}/{self.key}"

    __fspath__ = __repr__ = __str__

    def __truediv__(self, below: str) -> StoredFile:
        return self._at(f"{self.key}/{below}" if self.key else below)

    def _at(self, key: str, known: Stored | None = None) -> StoredFile:
        return StoredFile(f"{self._bucket}/{key}", known)

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2] or self._bucket

    @property
    def parent(self) -> StoredFile:
        return self._at(self.key.rpartition("/")[0])

    def with_name(self, name: str) -> StoredFile:
        return self.parent / name

    @property
    def _store(self) -> Store:
        return _store(self._bucket)

    def stat(self) -> Stored:
        known = self._known or (self._store.look(self.key) if self.key else None)
        if known is None:
            raise NoSuchObject(f"no such object: {self}")
        return known

    def is_file(self) -> bool:
        if self._known is None and self.key:
            self._known = self._store.look(self.key)
        return self._known is not None

    exists = is_file

    def is_dir(self) -> bool:
        return not self.is_file() and next(self.below(), None) is not None

    def open(self, mode: str = "rb", buffering: int = _CHUNK) -> BinaryIO:
        """Streamed; a seek turns to requests for ranges of the same version of the object."""
        del mode
        return io.BufferedReader(cast("io.RawIOBase", _Reading(self._store, self.key)), buffering)

    def read_bytes(self) -> bytes:
        found = self._store.read(self.key)
        if found is None:
            raise NoSuchObject(f"no such object: {self}")
        return found[0]

    def read_range(self, start: int, end: int) -> bytes:
        return self._store.read_range(self.key, start, end) if end > start else b""

    def write(self, chunks: Iterable[Any]) -> None:
        self._store.write(self.key, b"".join(map(bytes, chunks)), {})

    def touch(self) -> None:
        self.write(())

    def unlink(self, *, missing_ok: bool = False) -> None:
        del missing_ok  # stores do not say
        self._store.delete([self.key])

    def remove_tree(self) -> None:
        self._store.delete_all(each.key for each in self.below())

    def iterdir(self) -> Iterator[StoredFile]:
        """The objects directly in a folder."""
        for key, known in self._store.list(self.key).items():
            yield self._at(key, known)

    def below(self, most: int | None = None) -> Iterator[StoredFile]:
        """All objects whose names begin with the folder, at most so many."""
        for key, known in self._store.walk(self.key, most):
            yield self._at(key, known)

    def named(self) -> dict[str, StoredFile] | None:
        """All objects below a folder by key; None where there are too many to list."""
        found = {each.key: each for each in self.below(LISTED)}
        return found if len(found) < LISTED else None

    def matching(self) -> list[StoredFile]:
        """The objects whose names match the pattern, in order; `*` and `?` end at a slash, `**` does not."""
        parts = self.key.split("/")
        fixed = next(at for at, part in enumerate(parts) if _SIGNS.search(part))
        folder = self._at("/".join(parts[:fixed]))
        found = folder.iterdir() if fixed == len(parts) - 1 and parts[-1] != "**" else folder.below()
        return sorted((each for each in found if _matches(each.key.split("/"), parts)), key=str)

    @property
    def is_pattern(self) -> bool:
        return _SIGNS.search(self.key) is not None


def _matches(names: list[str], parts: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_matches(names[at:], parts[1:] or names[at:]) for at in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _matches(names[1:], parts[1:])


def files_at(url: str) -> list[StoredFile]:
    """The object, those that match a pattern, or all in a folder except hidden ones. Raises StorageError."""
    file = StoredFile(url)
    if not url.endswith("/") and file.is_file():
        return [file]
    if file.is_pattern:
        found = file.matching()
    else:
        start = len(file.key)
        found = [each for each in file.below() if each.stat().size and not _HIDDEN.search(each.key[start:])]
    if not found:
        raise NoSuchObject(f"{url}: {NO_MATCH if file.is_pattern else NO_OBJECT}")
    return found


class _Reading(io.RawIOBase):
    def __init__(self, store: Store, key: str) -> None:
        self._store, self._key = store, key
        self._stored, chunks = store.stream(key, _CHUNK)
        self._chunks: Iterator[Any] | None = chunks
        self._rest = memoryview(b"")
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = (0, self._at, self._stored.size)[whence]
        if start + offset != self._at:
            self._at, self._chunks, self._rest = max(0, start + offset), None, memoryview(b"")
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = memoryview(buffer).cast("B")
        if not self._rest:
            end = min(self._at + len(wanted), self._stored.size)
            more: Any = b""
            if self._chunks is not None:
                more = next(self._chunks, b"")
            elif end > self._at:
                more = self._store.read_range(self._key, self._at, end, self._stored)
            self._rest = memoryview(more)
        size = min(len(wanted), len(self._rest))
        wanted[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        self._at += size
        return size
