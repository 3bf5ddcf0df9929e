"""A folder with sitemaps → the files to publish, the index first."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import unquote, urlsplit

from urlset.building.manifest import FileRole, Manifest, PublishedFile, safe_name
from urlset.model.document import Kind
from urlset.reading.read import read


class PublishSetError(ValueError):
    """The folder does not hold a complete set."""


def local_set(folder: Path, index: str) -> Manifest:
    """The index and the files that it lists; refused if one of them is not in the folder."""
    path = folder / safe_name(index)
    if not path.is_file():
        raise PublishSetError(f"{path} does not exist; name the index with --index")
    document = read(path)
    locs = [loc for each in document.columns.locs if (loc := (each or "").strip())]
    if document.kind is not Kind.SITEMAPINDEX:
        return (
            Manifest.of(_folder_of(locs[0], "") if locs else "", (_file(path, FileRole.SHARD),)) if locs else _empty()
        )
    names = [safe_name(unquote(urlsplit(loc).path).rpartition("/")[2]) for loc in locs]
    bases = {loc.removesuffix(name) for loc, name in zip(locs, names, strict=True)}
    if len(bases) > 1:
        raise PublishSetError(f"{path} lists sitemaps of several folders, such as {sorted(bases)[1]}")
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise PublishSetError(f"{path} lists {missing[0]}, which is not in {folder} ({len(missing):,} missing)")
    if not names:
        return _empty()
    children = tuple(_file(folder / name, FileRole.SHARD) for name in dict.fromkeys(names))
    return Manifest.of(bases.pop(), (_file(path, FileRole.INDEX), *children))


def _empty() -> Manifest:
    raise PublishSetError("the set is empty")


def _folder_of(loc: str, name: str) -> str:
    parts = urlsplit(loc)
    return f"{parts.scheme}://{parts.netloc}/{name}"


def _file(path: Path, role: FileRole) -> PublishedFile:
    data = path.read_bytes()
    entries = 0 if role is FileRole.INDEX else len(read(path).columns.locs)
    return PublishedFile(path.name, hashlib.sha256(data).hexdigest(), len(data), entries, role=role)
