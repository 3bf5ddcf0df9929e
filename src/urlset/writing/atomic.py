"""Bytes → a file that is the old one or the new one, never a mixture, whatever happens in between."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from urlset.writing.state_folder import private_file
from urlset.writing.work_folder import work_folder

_BLOCK = 1 << 20


def write_atomically(path: Path, chunks: Iterable[bytes], *, backup: bool = False, private: bool = False) -> None:
    """Write beside the target, flush to disk, rename. With `backup`, the old file is kept as `NAME.bak`.

    `private`: state, which its user alone may read.

    Raises OSError (no space, no permission); the target is untouched then, and nothing is left beside it. What a
    kill leaves beside it is removed by the next run that writes to the folder.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    with work_folder(target.parent) as folder:
        unfinished = folder / "unfinished"
        with (private_file(unfinished) if private else unfinished).open("wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            if not private:
                shutil.copymode(target, unfinished)
            if backup:
                _keep(target, folder)
        unfinished.replace(target)
        sync_folder(target.parent)


def _keep(target: Path, folder: Path) -> None:
    """A copy under a name that is free, itself complete before it gets that name: no older backup is replaced."""
    copy = folder / "backup"
    shutil.copy2(target, copy)
    number = 0
    while True:
        kept = target.with_name(f"{target.name}.bak{f'.{number}' if number else ''}")
        if kept.is_file() and same_content(kept, copy):
            return
        try:
            os.link(copy, kept)  # which fails where the name is taken, as renaming does not
        except FileExistsError:
            number += 1
            continue
        except OSError:  # no links here
            if os.path.lexists(kept):
                number += 1
                continue
            copy.replace(kept)
        return


def same_content(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(_BLOCK):
            if block != second.read(_BLOCK):
                return False
    return True


def sync_folder(folder: Path) -> None:
    """A rename is only safe from a power cut once the folder is on disk too."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
