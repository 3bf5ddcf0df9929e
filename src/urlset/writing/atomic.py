"""Bytes → a file that is the old one or the new one, never a mixture, whatever happens in between."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, chunks: Iterable[bytes], *, backup: bool = False) -> None:
    """Write beside the target, flush to disk, rename. With `backup`, the old file is kept as `NAME.bak`.

    Raises OSError (no space, no permission); the target is untouched then, and nothing is left beside it.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
            if backup:
                _keep(target)
        unfinished.replace(target)
        sync_folder(target.parent)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _keep(target: Path) -> None:
    """A copy under another name, itself complete before it gets that name."""
    copy = target.with_name(f".{target.name}.{os.getpid()}.bak.part")
    try:
        shutil.copy2(target, copy)
        copy.replace(target.with_name(f"{target.name}.bak"))
    except BaseException:
        copy.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """A rename is only safe from a power cut once the folder is on disk too."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
