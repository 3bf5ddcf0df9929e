"""A folder with sitemaps → the files to publish: the index, what it lists, and the files that go with them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from urlset.building.feed import NAMES as FEEDS
from urlset.building.human_view import HTML_NAME
from urlset.building.llms import NAME as LLMS
from urlset.building.manifest import FileRole, Manifest, PublishedFile, UnsafeNameError, safe_name
from urlset.model.document import Kind
from urlset.reading.read import read

EXTRAS = (HTML_NAME, LLMS, *FEEDS.values())
"""what `urlset build` writes beside the sitemaps"""


class PublishSetError(ValueError):
    """The folder does not hold a complete set."""


def local_set(folder: Path, index: str, *, base_url: str | None = None, include: Sequence[str] = ()) -> Manifest:
    """The index, the files that it lists and the extra files; refused if one of them is not in the folder."""
    path = folder / safe_path(index)
    if not path.is_file():
        raise PublishSetError(f"{path} does not exist; name the index with --index")
    document = read(path)
    locs = [loc for each in document.columns.locs if (loc := (each or "").strip())]
    if not locs:
        raise PublishSetError("the set is empty")
    if document.kind is Kind.SITEMAPINDEX:
        base, names = _placed(folder, locs, path, base_url)
        files = [_file(folder, index, FileRole.INDEX), *(_file(folder, name, FileRole.SHARD) for name in names)]
    else:
        parts = urlsplit(locs[0])
        base = base_url or f"{parts.scheme}://{parts.netloc}/"
        files = [_file(folder, index, FileRole.SHARD)]
    taken = {file.name for file in files}
    extras = [name for name in _extras(folder, include) if name not in taken]
    return Manifest.of(base, (*files, *(_file(folder, name, FileRole.EXTRA) for name in extras)))


def _placed(folder: Path, locs: Sequence[str], index: Path, base_url: str | None) -> tuple[str, list[str]]:
    """The URL that the folder is served at, and the path of each listed file below it.

    Without `base_url` it is the one URL below which all listed files are found in the folder.
    """
    if base_url is not None:
        base = base_url if base_url.endswith("/") else f"{base_url}/"
        outside = [loc for loc in locs if not loc.startswith(base)]
        if outside:
            raise PublishSetError(f"{index} lists {outside[0]}, which is not below {base}")
        bases = {base}
    else:
        bases = set.intersection(*({base for base, name in _splits(loc) if _is_there(folder, name)} for loc in locs))
        if not bases:
            missing = [loc for loc in locs if not any(_is_there(folder, name) for _, name in _splits(loc))]
            if not missing:
                raise PublishSetError(f"{index} lists sitemaps of several folders or hosts; set --base-url URL")
            raise PublishSetError(_missing(index, missing, folder))
        if len(bases) > 1:
            raise PublishSetError(f"the files of {index} are found below {' and '.join(sorted(bases))}; set --base-url")
    base = bases.pop()
    names = list(dict.fromkeys(safe_path(unquote(urlsplit(loc[len(base) :]).path)) for loc in locs))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise PublishSetError(_missing(index, missing, folder))
    return base, names


def _splits(loc: str) -> Iterable[tuple[str, str]]:
    """`https://e.com/a/b.xml` → (`https://e.com/`, `a/b.xml`), (`https://e.com/a/`, `b.xml`)."""
    parts = urlsplit(loc)
    names = parts.path.strip("/").split("/")
    for at in range(len(names)):
        folder = "".join(f"{name}/" for name in names[:at])
        yield f"{parts.scheme}://{parts.netloc}/{folder}", unquote("/".join(names[at:]))


def _is_there(folder: Path, name: str) -> bool:
    try:
        return (folder / safe_path(name)).is_file()
    except UnsafeNameError:
        return False


def _missing(index: Path, missing: Sequence[str], folder: Path) -> str:
    return f"{index} lists {missing[0]}, which is not in {folder} ({len(missing):,} missing)"


def _extras(folder: Path, include: Sequence[str]) -> list[str]:
    found = [name for name in EXTRAS if (folder / name).is_file()]
    for pattern in include:
        matches = sorted(path for path in folder.glob(pattern) if path.is_file())
        if not matches:
            raise PublishSetError(f"--include {pattern}: no file of {folder} matches")
        inside = os.path.realpath(folder)
        if any(not Path(os.path.realpath(path)).is_relative_to(inside) for path in matches):
            raise PublishSetError(f"--include {pattern}: matches a file outside {folder}")
        found += [path.relative_to(folder).as_posix() for path in matches]
    return [safe_path(name) for name in dict.fromkeys(found)]


def safe_path(name: str) -> str:
    """A path whose every part is a plain name; `.urlset` and the like cannot be written over."""
    parts = PurePosixPath(name).parts
    if not parts or "/".join(parts) != name:
        raise UnsafeNameError(f"{name!r} is not a valid path for a published file")
    return "/".join(map(safe_name, parts))


def _file(folder: Path, name: str, role: FileRole) -> PublishedFile:
    data = (folder / name).read_bytes()
    entries = len(read(folder / name).columns.locs) if role is FileRole.SHARD else 0
    return PublishedFile(name, hashlib.sha256(data).hexdigest(), len(data), entries, role=role)
