"""A sitemap and the gzip file beside it → whether they are one file in two forms, as servers keep them."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Collection
from typing import TYPE_CHECKING

from urlset.storage.paths import file_at

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

_PACKED = ".gz"
_CHUNK = 1 << 20


def is_copy_of_one(path: FilePath, seen: Collection[str]) -> bool:
    """Whether the same sitemap was read in its other form: `sitemap.xml` and its own `sitemap.xml.gz`.

    `seen` holds real paths. Two files with different content are two sitemaps, whatever their names.
    """
    name = str(path)
    is_packed = name.lower().endswith(_PACKED)
    other = name[: -len(_PACKED)] if is_packed else name + _PACKED
    if os.path.realpath(other) not in seen:
        return False
    return _same(file_at(other), path) if is_packed else _same(path, file_at(other))


def _same(plain: FilePath, packed: FilePath) -> bool:
    """Compared chunk by chunk: a compression bomb ends at the first byte that differs."""
    try:
        with plain.open("rb") as one, packed.open("rb") as file, gzip.open(file, "rb") as two:
            while chunk := one.read(_CHUNK):
                if two.read(len(chunk)) != chunk:
                    return False
            return not two.read(1)
    except (OSError, EOFError, zlib.error):
        return False
