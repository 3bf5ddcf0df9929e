"""A path or a storage URL → the file that it names; both are opened, listed and written in the same way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from urlset.storage.files import StoredFile

    FilePath = Path | StoredFile

R = TypeVar("R")
_SCHEMES = ("s3://", "gs://", "az://")
_AT_ONCE = 16
"""objects requested at the same time: most of the time of a small one is waiting"""


def is_stored(path: object) -> bool:
    """Whether a text is the URL of an object, a folder or a pattern in a bucket."""
    return str(path)[:5].lower() in _SCHEMES


def file_at(path: str | os.PathLike[str]) -> FilePath:
    """Raises StorageError for a URL that cannot be used, such as one with credentials."""
    if not is_stored(path):
        return Path(path)
    from urlset.storage.files import StoredFile  # most runs have no URL of a store

    return StoredFile(os.fspath(path))


def each_file(function: Callable[[FilePath], R], paths: Sequence[str]) -> Iterator[R]:
    """The function on every file, in order; several objects are requested at the same time."""
    files = map(file_at, paths)
    if not any(map(is_stored, paths[:1])):
        yield from map(function, files)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while some := list(islice(files, 4 * _AT_ONCE)):
            yield from pool.map(function, some)
