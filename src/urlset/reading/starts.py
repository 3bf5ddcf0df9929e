"""Paths, patterns and folders as people give them → the files they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from urlset.reading.decode import decode
from urlset.reading.read import sniff
from urlset.reading.unpack import unpack
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_stored

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

_SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz")
_HEAD = 65536
_LIKE_A_HOST = lazy_pattern(r"www\.[\w-]+\.|localhost\b|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?/", re.IGNORECASE)
NO_SITEMAP = "no sitemap in this folder"


class Missing(NamedTuple):
    """A sitemap that could not be read: its address or path, who listed it, and why not."""

    loc: str
    parent: str
    """the name of the index that lists it; empty for a path given by the caller"""
    reason: str


class NoSitemap(Missing):
    """A folder or a site that was looked through and has none: nothing failed, there is nothing to read."""

    __slots__ = ()


def expand(path: str | os.PathLike[str]) -> Iterator[FilePath | Missing]:
    """One path or storage URL, pattern (`*`, `?`, `[…]`, `**`) or folder → its files in the order of their names.

    A folder means the sitemaps in it: files named .xml, .xml.gz, .txt or .txt.gz that turn out to be a
    urlset, an index or a text list. Feeds and robots.txt must be named.
    """
    given = os.fspath(path)
    if is_stored(given):
        yield from _in_bucket(given)
    elif os.path.isdir(given):  # noqa: PTH112 - a Path would lose the spelling given
        yield from _in_folder(Path(given))
    elif os.path.lexists(given):
        yield Path(given)
    elif any(sign in given for sign in "*?["):
        import glob  # a path that exists needs none

        found = sorted(name for name in glob.glob(given, recursive=True) if os.path.isfile(name))  # noqa: PTH113, PTH207
        if not found:
            yield Missing(given, "", "no file matches the pattern")
        yield from map(Path, found)
    else:
        yield Missing(given, "", f"no such file{_hint(given)}")


def folder_of(path: str | os.PathLike[str]) -> Path | None:
    """The folder that a folder or pattern is about; None for a file that is named itself."""
    given = os.fspath(path)
    if os.path.isdir(given):  # noqa: PTH112 - as in expand
        return Path(given)
    if os.path.lexists(given):
        return None
    steps = Path(given).parts
    fixed = next((at for at, step in enumerate(steps) if any(sign in step for sign in "*?[")), len(steps) - 1)
    return Path(*steps[:fixed])


def _hint(given: str) -> str:
    """For what may have been meant as an address."""
    if given.lower().startswith(("http://", "https://")):
        return ": this is a URL; only files are read here, so save it to a file first"
    if "://" in given:
        return "; use an http, https, s3, gs or az URL"
    return "; a site URL starts with https://" if _LIKE_A_HOST.match(given) else ""


def _in_bucket(given: str) -> Iterator[FilePath | Missing]:
    from urlset.storage.files import NO_MATCH, NO_OBJECT, StoredFile

    shown = f"{given.partition('://')[0]}://…"  # a URL that is refused may hold credentials
    try:
        file = StoredFile(given)
        shown = given
        if not given.endswith("/") and file.is_file():
            yield file
        elif file.is_pattern:
            found = file.matching()
            yield from found
            if not found:
                yield Missing(given, "", NO_MATCH)
        elif file.is_dir():
            yield from _in_folder(file)
        else:
            yield Missing(given, "", NO_OBJECT)
    except OSError as error:
        yield Missing(shown, "", error.strerror or str(error))


def _in_folder(folder: FilePath) -> Iterator[FilePath | Missing]:
    try:
        candidates = sorted((path for path in folder.iterdir() if path.name.lower().endswith(_SUFFIXES)), key=str)
    except OSError as error:
        yield Missing(str(folder), "", error.strerror or str(error))
        return
    found = [path for path in candidates if path.is_file() and _is_sitemap(path)]
    if not found:
        yield NoSitemap(str(folder), "", NO_SITEMAP)
    yield from found


def _is_sitemap(path: FilePath) -> bool:
    """Decided by the first bytes, so a folder with a huge log in it costs nothing."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return True  # better a message about it than silence
    kind = sniff(decode(unpack([head], cap=_HEAD).data).data).kind
    return kind.is_sitemap and not kind.is_feed
