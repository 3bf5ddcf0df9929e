"""URLs of a sitemap → the files of the site that are served there, and what these pages say; read again if changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from urlset.building.candidate import Candidate
from urlset.building.sources.folder import page_evidence, read_regular, stated_dates
from urlset.building.sources.page_memory import PageLook, PageMemory
from urlset.building.sources.page_sources import SourceFile
from urlset.model.entry import Entry
from urlset.reading.fingerprint import hash_of
from urlset.reading.html_bytes import MAX_PAGE_BYTES
from urlset.version import __version__
from urlset.writing.files import make_state_folder, write_atomically

CACHE = "dates-files.msgpack"
_PAGE = (".html", ".htm", ".xhtml")
_SAMPLE = 200
_DEEPEST = 4
_SETTLED_NS = 2_000_000_000
"""a file this new may change again without another time"""


class SiteFile(NamedTuple):
    relative: str
    """with `/`, from the root"""
    mtime: int
    size: int


class SiteFiles:
    """Where the pages of a site are, below one folder and never outside of it."""

    def __init__(self, root: Path, locs: list[str], base_url: str | None = None) -> None:
        self._root = os.path.join(root, "")  # noqa: PTH118 - with the slash that a Path drops
        self._home = os.path.realpath(root)
        self._folders: dict[str, bool] = {}
        self._host = urlsplit(base_url or "").netloc.lower()
        self._prefix = _folder_path(urlsplit(base_url).path) if base_url else self._likely_prefix(locs)

    def find(self, loc: str) -> SiteFile | None:
        """None where no file is served there, it is not below the folder, or the page is of another host."""
        host = loc.partition("//")[2].partition("/")[0].lower()
        return self._find(loc, self._prefix) if host == self._host or not self._host or not host else None

    def _find(self, loc: str, prefix: str) -> SiteFile | None:
        start = loc.find("/", loc.find("//") + 2) if "//" in loc else -1
        path, _, query = (loc[start:] if start >= 0 else "/").partition("#")[0].partition("?")
        if "%" in path:
            path = unquote(path)
        if not path.startswith(prefix):
            if f"{path}/" != prefix:
                return None
            path = prefix
        below = path[len(prefix) :]
        if "\0" in below or "\\" in below or "//" in below or f"/{below}/".find("/../") >= 0:
            return None
        for name in _spellings(below, query):
            found = self._stat(name)
            if found is not None:
                return found
        return None

    def _stat(self, name: str) -> SiteFile | None:
        try:
            found = os.lstat(self._root + name)
            if S_ISLNK(found.st_mode):
                if not os.path.realpath(self._root + name).startswith(os.path.join(self._home, "")):  # noqa: PTH118
                    return None
                found = os.stat(self._root + name)  # noqa: PTH116 - a site has many
        except (OSError, ValueError):
            return None
        if not S_ISREG(found.st_mode) or not self._is_inside(name.rpartition("/")[0]):
            return None
        return SiteFile(name, found.st_mtime_ns, found.st_size)

    def _is_inside(self, folder: str) -> bool:
        known = self._folders.get(folder)
        if known is None:
            real = os.path.realpath(self._root + folder)
            known = self._folders[folder] = real == self._home or real.startswith(os.path.join(self._home, ""))  # noqa: PTH118
        return known

    def _likely_prefix(self, locs: list[str]) -> str:
        """The one under which most of some URLs have a file: a site may be served below a path."""
        step = max(1, len(locs) // _SAMPLE)
        sample = list(islice(locs, 0, None, step))
        paths = [urlsplit(loc).path or "/" for loc in sample[:1]]
        steps = [each for each in (paths[0].split("/")[1:-1] if paths else []) if each][:_DEEPEST]
        prefixes = ["/" + "".join(f"{each}/" for each in steps[:depth]) for depth in range(len(steps) + 1)]
        counts = [sum(self._find(loc, prefix) is not None for loc in sample) for prefix in prefixes]
        return prefixes[counts.index(max(counts))] if counts else "/"


def _folder_path(path: str) -> str:
    return path if path.endswith("/") else f"{path}/"


def _spellings(below: str, query: str) -> Iterator[str]:
    """The files that may be served at a path, the usual one first."""
    if query:
        yield f"{below or 'index.html'}?{query}"
        return
    bare = below.rstrip("/")
    if not bare or below.endswith("/"):
        yield from (f"{below}index{ending}" for ending in _PAGE)
        if bare:
            yield from (f"{bare}{ending}" for ending in _PAGE)
        return
    if bare.lower().endswith(_PAGE):
        yield bare
        return
    yield f"{bare}.html"
    yield f"{bare}/index.html"
    yield bare
    yield f"{bare}.htm"


class _Remembered(msgspec.Struct, array_like=True):
    mtime: int
    size: int
    digest: bytes


class _Cache(msgspec.Struct, array_like=True):
    version: str
    inputs: str
    """what else the last run rested on, and the lock that it left"""
    files: dict[str, _Remembered]


class PageReader:
    """What the files say; a file with the time and size of the last run is not opened.

    The cache only saves time: without it every page is read, with the same result.
    """

    def __init__(self, root: Path, state: Path | None, memory: PageMemory, now_ns: int) -> None:
        self._root, self._memory = root, memory
        self._path = state / CACHE if state is not None else None
        self._now = now_ns
        try:
            found = msgspec.msgpack.decode(self._path.read_bytes(), type=_Cache) if self._path is not None else None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            found = None
        self._before = found if found is not None and found.version == __version__ else _Cache(__version__, "", {})
        self._files: dict[str, _Remembered] = {}
        self.unreadable: list[str] = []

    def is_as_left(self, files: Iterable[SiteFile | None], inputs: str) -> bool:
        """Whether the run would come to what the last one came to."""
        before = self._before.files
        if not inputs or self._before.inputs != inputs:
            return False
        count = 0
        for file in files:
            if file is not None:
                known = before.get(file.relative)
                if known is None or known.mtime != file.mtime or known.size != file.size:
                    return False
                count += 1
        return count == len(before)

    def read(self, loc: str, file: SiteFile, source: SourceFile | None, timezone: str | None) -> Candidate:
        """Without content where the file cannot be read. `source` is what the page was made from."""
        is_page = file.relative.lower().endswith(_PAGE)
        known = self._before.files.get(file.relative)
        if known is not None and (known.mtime, known.size) == (file.mtime, file.size):
            look = self._memory.recall(known.digest) if is_page else None
            if look is not None:
                self._files[file.relative] = known
                return _candidate(loc, file, look, source, timezone)
        try:
            data = read_regular(self._root / file.relative, MAX_PAGE_BYTES + 1)
        except OSError as error:
            self.unreadable.append(f"{file.relative}: {error.strerror or error}")
            return Candidate(Entry(loc), file.relative)
        digest = self._memory.digest_of(data)
        if self._now - file.mtime > _SETTLED_NS:
            self._files[file.relative] = _Remembered(file.mtime, file.size, digest)
        if is_page or b"<html" in data[:2048].lower():
            return _candidate(loc, file, self._memory.of(data, digest), source, timezone)
        # a document that is served as it is: any other byte is a change
        return Candidate(Entry(loc), file.relative, blocks=(hash_of(data),) if len(data) <= MAX_PAGE_BYTES else None)

    def forget(self) -> None:
        """The last run, which is of no use when all pages are read, and large."""
        self._before = _Cache(__version__, "", {})

    def save(self, inputs: str) -> None:
        """For the next run; `inputs` as for `is_as_left`."""
        if self._path is None:
            return
        with suppress(OSError):  # it only saves time
            make_state_folder(self._path.parent)
            cache = _Cache(__version__, inputs, self._files)
            write_atomically(self._path, [msgspec.msgpack.encode(cache)], private=True)


def _candidate(loc: str, file: SiteFile, look: PageLook, source: SourceFile | None, timezone: str | None) -> Candidate:
    return Candidate(
        Entry(loc),
        file.relative,
        evidence=tuple(page_evidence(stated_dates(source, look.facts), timezone)),
        blocks=None if look.is_empty else look.blocks,
        source=(source.folder, source.path) if source is not None else None,
    )
