"""An open file or folder → held by this process alone until it is closed, however the process ends.

All locks of urlset that are not SQLite's own are taken here. Where the system or the file system has no such locks
(Windows, some network mounts), nothing is held, and the caller has to decide by other means.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from urlset.writing.state_folder import private_file


class Hold(Enum):
    HELD = "held"
    BUSY = "busy"
    """another process has it"""
    UNSUPPORTED = "unsupported"


class LockBusy(Exception):  # noqa: N818 - it passes
    """Another process holds the lock."""


def try_lock(descriptor: int) -> Hold:
    try:
        import fcntl
    except ImportError:
        return Hold.UNSUPPORTED
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Hold.BUSY
    except OSError:
        return Hold.UNSUPPORTED
    return Hold.HELD


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Hold the file, which is made if there is none; raises LockBusy."""
    with private_file(path).open("ab") as file:
        if try_lock(file.fileno()) is Hold.BUSY:
            raise LockBusy(str(path))
        yield


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the folder itself, under whatever name it is reached, without a file in it; raises LockBusy."""
    if not hasattr(os, "O_DIRECTORY"):
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if try_lock(descriptor) is Hold.BUSY:
            raise LockBusy(str(folder))
        yield
    finally:
        os.close(descriptor)
