"""The address of a listed sitemap → the file on disk that holds it, never one outside the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from urlset.model.address import Address

_GZIP = ".gz"


class Absent(NamedTuple):
    """No file for an address, and why."""

    reason: str


class Shelf:
    """Where the children of an index are looked for.

    With `root`, the path of an address is a path below that folder; with `base_url` too, `root` is what that
    address stands for. Without `root`, the last part of the path is a file next to the index.
    """

    def __init__(self, root: Path | None = None, base_url: str | None = None) -> None:
        self._root = root
        self._base = Address.parse(base_url) if base_url else None
        self._present: dict[str, frozenset[str] | None] = {}

    def find(self, loc: str, folder: Path | None) -> Path | Absent:
        """The file for `loc`, listed by an index that lies in `folder` (None: not on disk). Never raises."""
        try:
            return self._find(Address.parse(loc), folder)
        except (OSError, ValueError) as error:  # too long, a zero byte, a loop of links
            return Absent(f"no file can have that name: {_words(error)}")

    def address_of(self, path: Path) -> str | None:
        """The address of a file below `root`, where `base_url` says what `root` stands for."""
        if self._root is None or self._base is None:
            return None
        try:
            below = path.resolve().relative_to(self._root.resolve())
        except (OSError, ValueError):
            return None
        return self._base.raw[: self._base.parts.path[1]].rstrip("/") + "/" + below.as_posix()

    def _find(self, address: Address, folder: Path | None) -> Path | Absent:
        home = self._root or folder
        if home is None:
            return Absent("the index came without a folder; give the site's folder as root")
        names = self._names(address)
        if isinstance(names, Absent):
            return names
        if self._root is not None and folder is not None and not address.path.startswith("/"):
            home = folder if address.host is None else home
        where = os.path.normpath(os.path.join(home, *names[:-1]))  # noqa: PTH118 - for tens of thousands of children
        present = self._names_in(where)
        for name in _spellings(names[-1], address.query):
            if present is not None and name not in present:
                continue
            candidate = Path(where, name)
            if candidate.is_file():
                inside = (self._root or folder or home).resolve()
                if not candidate.resolve().is_relative_to(inside):
                    return Absent(f"{candidate.name} is a link that leads out of {inside}")
                return candidate
        return Absent(f"no file {names[-1] if where == os.curdir else os.path.join(where, names[-1])}")  # noqa: PTH118

    def _names_in(self, folder: str) -> frozenset[str] | None:
        """What a folder holds, looked up once; None where it cannot be listed."""
        if folder not in self._present:
            try:
                self._present[folder] = frozenset(os.listdir(folder))  # noqa: PTH208 - names are enough
            except (FileNotFoundError, NotADirectoryError):
                self._present[folder] = frozenset()
            except (OSError, ValueError):
                self._present[folder] = None
        return self._present[folder]

    def _names(self, address: Address) -> list[str] | Absent:
        """The path taken apart and percent-decoded, refused where a name could step aside."""
        path = address.path
        if self._root is None:
            path = path.rpartition("/")[2]
        elif self._base is not None and address.host is not None:
            below = self._base.path.rstrip("/") + "/"
            if address.origin != self._base.origin or not path.startswith(below):
                return Absent(f"is not below {self._base.raw}")
            path = path.removeprefix(below)
        names = [unquote(name) for name in path.split("/") if name not in ("", ".")]
        if not names:
            return Absent("the address names no file")
        for name in names:
            if name in (".", "..") or any(mark in name for mark in "/\\\0"):
                return Absent(f"{name!r} in the path could lead out of the folder")
        return names


def _spellings(name: str, query: str | None) -> Iterator[str]:
    """The file names under which a download may have been kept: with its query, and packed or unpacked."""
    for each in (name,) if query is None else (f"{name}?{query}", name):
        if "/" not in each:
            yield each
            yield each.removesuffix(_GZIP) if each.endswith(_GZIP) else each + _GZIP


def _words(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
