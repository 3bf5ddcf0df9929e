"""Paths, patterns and folders → the files they mean; a listed sitemap → its file, never one outside the folder."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import msgspec

from urlset.model.address import Address
from urlset.reading.decode import decode
from urlset.reading.read import sniff
from urlset.reading.unpack import unpack
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import file_at, is_stored

if TYPE_CHECKING:
    from urlset.storage.files import StoredFile
    from urlset.storage.paths import FilePath


_GZIP = ".gz"
_PLAIN = lazy_pattern(r"https?://[a-z0-9.-]+(/[A-Za-z0-9/._~-]*)")
"""addresses whose path can be read off, as that of nearly every listed sitemap"""
_NAMED = lazy_pattern(
    r"https?://[a-z0-9.-]+/(?:([A-Za-z0-9_~-][A-Za-z0-9._~-]*)/(?:[A-Za-z0-9._~-]*/)*)?"
    r"([A-Za-z0-9_~-][A-Za-z0-9._~-]*)(?:\?([A-Za-z0-9._~=&,;:+-]*))?"
)
"""addresses whose first folder and last name can be read off, and their query"""
_STEPS_ASIDE = frozenset("/\\\0")


class Absent(msgspec.Struct, frozen=True):
    """No file for an address, and why."""

    reason: str


class _Folder(msgspec.Struct, frozen=True):
    """One that children are looked for in."""

    path: str
    shown: str
    """what a file in it is called before its name"""
    present: frozenset[str] | None
    """the names in it; None where it cannot be listed"""
    findable: frozenset[str] | None = None
    """the same names, and what each is called packed or unpacked"""

    def lacks(self, name: str) -> bool:
        """Whether no file can be meant by the name, packed or not."""
        return self.findable is not None and name not in self.findable

    def file(self, name: str) -> FilePath | None:
        if self.present is not None and name not in self.present:
            return None
        found = Path(self.path, name)
        return found if found.is_file() else None

    @classmethod
    def at(cls, path: str) -> _Folder:
        shown = "" if path == os.curdir else os.path.join(path, "")  # noqa: PTH118 - the mark at the end is wanted
        try:
            present = frozenset(os.listdir(path))  # noqa: PTH208 - names are enough
        except (FileNotFoundError, NotADirectoryError):
            present = frozenset()
        except (OSError, ValueError):
            return cls(path, shown, None)
        unpacked = {name.removesuffix(_GZIP) for name in present}
        return cls(path, shown, present, present | unpacked | {name + _GZIP for name in unpacked})


class _StoredFolder:
    """The same in a bucket; folders in one are not more than names with slashes, so one listing serves for all."""

    def __init__(self, folder: StoredFile, present: dict[str, StoredFile] | None) -> None:
        self.shown = f"{str(folder).rstrip('/')}/"
        self._folder, self._present = folder, present

    def lacks(self, _name: str) -> bool:
        """Not known of a folder in a bucket."""
        return False

    def file(self, name: str) -> FilePath | None:
        found = self._folder / name
        if self._present is not None:
            return self._present.get(found.key)
        return found if found.is_file() else None


class SiteFolder:
    """Where the children of an index are looked for.

    With `root`, the path of an address is a path below that folder; with `base_url` too, `root` is what that
    address means. Without `root`, it is a path below the folder of the index, or its last part is a file next to it.
    """

    def __init__(self, root: FilePath | None = None, base_url: str | None = None) -> None:
        self._root = root
        self._base = Address.parse(base_url) if base_url else None
        self._present: dict[str, dict[str, StoredFile] | None] = {}
        self._folders: dict[tuple[str, tuple[str, ...]], _Folder | _StoredFolder] = {}
        self._latest: tuple[FilePath, _Folder | _StoredFolder] | None = None

    def find(self, loc: str, folder: FilePath | None) -> FilePath | Absent:
        """The file for `loc`, listed by an index that lies in `folder` (None: not on disk). Never raises."""
        try:
            return self._find(loc, folder)
        except (OSError, ValueError) as error:  # too long, a zero byte, a loop of links
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            return Absent(f"not a valid file name: {reason}")

    def address_of(self, path: FilePath) -> str | None:
        """The address of a file below `root`, where `base_url` is the URL of `root`."""
        if self._root is None or self._base is None:
            return None
        if isinstance(path, Path) and isinstance(self._root, Path):
            try:
                below = path.resolve().relative_to(self._root.resolve()).as_posix()
            except (OSError, ValueError):
                return None
        else:
            root = str(self._root).rstrip("/") + "/"
            if not str(path).startswith(root):
                return None
            below = str(path).removeprefix(root)
        return self._base.raw[: self._base.parts.path[1]].rstrip("/") + "/" + below

    def _find(self, loc: str, folder: FilePath | None) -> FilePath | Absent:
        home = self._root or folder
        if home is None:
            return Absent("index without a folder; pass the site's folder as root")
        if self._root is None and (named := _NAMED.fullmatch(loc)) is not None:
            where = self._folder(home)
            first, name, query = named.groups()
            if all(where.lacks(each) for each in (name, first or name, f"{name}?{query}" if query else name)):
                return Absent(f"no file {where.shown}{name}")
        plain = _PLAIN.fullmatch(loc) if self._base is None else None
        if plain is not None:
            path, query = plain[1], None
            names = self._names(path)
        else:
            address = Address.parse(loc)
            path, query = address.path, address.query
            names = self._names(path, address)
            if self._root is not None and folder is not None and not path.startswith("/"):
                home = folder if address.host is None else home
        if isinstance(names, Absent):
            return names
        if self._root is None and len(names) > 1:
            found = self._look(home, names, query, home)
            if not isinstance(found, Absent):
                return found
            names = names[-1:]
        return self._look(home, names, query, self._root or home)

    def _look(self, home: FilePath, names: list[str], query: str | None, inside: FilePath) -> FilePath | Absent:
        where = self._folder(home, tuple(names[:-1]))
        for name in _spellings(names[-1], query):
            candidate = where.file(name)
            if candidate is not None:
                if isinstance(candidate, Path) and not candidate.resolve().is_relative_to(Path(inside).resolve()):
                    return Absent(f"{candidate.name} is a symlink that points outside {Path(inside).resolve()}")
                return candidate
        return Absent(f"no file {where.shown}{names[-1]}")

    def _folder(self, home: FilePath, below: tuple[str, ...] = ()) -> _Folder | _StoredFolder:
        """Looked up once, for tens of thousands of children."""
        if self._latest is not None and self._latest[0] is home and not below:
            return self._latest[1]
        found = self._folders.get((str(home), below))
        if found is None:
            if isinstance(home, Path):
                found = _Folder.at(os.path.normpath(os.path.join(home, *below)))  # noqa: PTH118
            else:
                if str(home) not in self._present:
                    self._present[str(home)] = home.named()
                found = _StoredFolder(home / "/".join(below) if below else home, self._present[str(home)])
            self._folders[str(home), below] = found
        if not below:
            self._latest = (home, found)
        return found

    def _names(self, path: str, address: Address | None = None) -> list[str] | Absent:
        """The path taken apart and percent-decoded, refused where a name could step aside."""
        if self._base is not None and self._root is not None and address is not None and address.host is not None:
            below = self._base.path.rstrip("/") + "/"
            if address.origin != self._base.origin or not path.startswith(below):
                return Absent(f"is outside {self._base.raw}")
            path = path.removeprefix(below)
        names = [unquote(name) for name in path.split("/") if name not in ("", ".")]
        if not names or (self._root is None and path.endswith("/")):
            return Absent("the URL does not name a file")
        for name in reversed(names):
            if name in (".", "..") or not _STEPS_ASIDE.isdisjoint(name):
                if self._root is None and name is not names[-1]:
                    return names[-1:]
                return Absent(f"{name!r} in the path could escape the folder")
        return names


def _spellings(name: str, query: str | None) -> Iterator[str]:
    """The file names under which a download may have been kept: with its query, and packed or unpacked."""
    for each in (name,) if query is None else (f"{name}?{query}", name):
        if "/" not in each:
            yield each
            yield each.removesuffix(_GZIP) if each.endswith(_GZIP) else each + _GZIP


# A sitemap and the gzip file beside it → whether they are one file in two forms, as servers keep them.

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
    found = [path for path in candidates if path.is_file() and is_sitemap_file(path)]
    if not found:
        yield NoSitemap(str(folder), "", NO_SITEMAP)
    yield from found


def is_sitemap_file(path: FilePath) -> bool:
    """Decided by the first bytes, so a folder with a huge log in it costs nothing."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return True  # better a message about it than silence
    kind = sniff(decode(unpack([head], cap=_HEAD).data).data).kind
    return kind.is_sitemap and not kind.is_feed
