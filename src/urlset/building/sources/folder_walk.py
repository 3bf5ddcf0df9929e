"""A folder → the HTML files in it that are pages, in the order of their names, never one outside the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from urlset.building.candidate import RowTrouble
from urlset.building.sources.ignore import FILE_NAME, Ignore
from urlset.building.sources.options import SourceOptions

_PAGE = (".html", ".htm", ".xhtml")
# Shown when something went wrong, or there to prove who owns the site; nobody should find them in a search.
_NO_PAGE = re.compile(
    r"(?:.*/)?(?:(?:4\d\d|5\d\d|50x|_error)(?:\.x?html?|/index\.x?html?)|google[0-9a-f]{16}\.html|yandex_[0-9a-f]{16}\.html)"
)
_HIDDEN = "."


class Found(NamedTuple):
    path: Path
    relative: str
    """with `/`, from the folder"""


def walk(folder: Path, options: SourceOptions) -> Iterator[Found | RowTrouble]:
    """Hidden files, error pages, ignored paths and the build's own output are passed over."""
    home = folder.resolve()
    ignore = Ignore([*_ignore_lines(folder), *options.ignore])
    waiting: list[tuple[str, frozenset[str]]] = [("", frozenset({str(home)}))]
    while waiting:
        below, above = waiting.pop()
        try:
            with os.scandir(folder / below) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            yield RowTrouble(below or str(folder), f"the folder cannot be read: {error.strerror or error}")
            continue
        folders: list[tuple[str, frozenset[str]]] = []
        for entry in entries:
            relative = f"{below}/{entry.name}" if below else entry.name
            if entry.name.startswith(_HIDDEN):
                continue
            is_folder = _is_folder(entry)
            if not is_folder and not entry.name.lower().endswith(_PAGE):
                continue
            if ignore.ignores(relative, is_folder=is_folder) or relative in options.own_output:
                continue
            inside = _real(entry, home)
            if inside is None:
                yield RowTrouble(relative, "is a link that leads out of the folder or nowhere")
            elif is_folder:
                if inside not in above:  # a link to a folder it lies in would never end
                    folders.append((relative, above | {inside}))
            elif not _NO_PAGE.fullmatch(relative):
                yield Found(folder / relative, relative)
        waiting.extend(reversed(folders))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _real(entry: os.DirEntry[str], home: Path) -> str | None:
    """Where it really lies; None outside the folder."""
    if not entry.is_symlink():
        return os.path.realpath(entry.path) if _is_folder(entry) else entry.path
    try:
        real = Path(entry.path).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return str(real) if real.is_relative_to(home) else None


def _ignore_lines(folder: Path) -> list[str]:
    try:
        return (folder / FILE_NAME).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        return []
