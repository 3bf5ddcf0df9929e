"""A parent folder → a folder for unfinished work in it, which a later run can prove to be abandoned and remove.

A killed process cannot clean up. So every work folder holds a marker with the process, the machine's boot and the
folder's own name, and the process keeps the marker locked for as long as it lives. `sweep` removes a folder only
if it has such a marker, belongs to the same user, and its process is gone. A name alone proves nothing.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import BinaryIO

import msgspec

from urlset.writing.lock import Hold, try_lock

WORK = "urlset-work-"
"""how the names begin, with a dot where other files lie beside it"""
MARKER = ".urlset-owner.json"
_UNMARKED_SECONDS = 3_600
"""a folder whose marker is empty may be one whose process has not written it yet"""
_swept: set[Path] = set()


class Owner(msgspec.Struct, frozen=True):
    folder: str
    """its own name, so a marker elsewhere proves nothing"""
    pid: int
    boot: str
    host: str
    about: dict[str, str] = {}

    @property
    def is_gone(self) -> bool:
        """Whether the process has certainly ended; for file systems without locks."""
        if self.host != platform.node():
            return False
        if self.boot and self.boot != _boot():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False


class WorkFolder:
    """A new folder, marked and locked; `close` lets go of it and removes it unless it is to be kept."""

    def __init__(self, parent: Path, prefix: str, about: Mapping[str, str] | None = None) -> None:
        self._marker: BinaryIO | None = None
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            try:
                self._mark(dict(about or {}))
            except FileNotFoundError:  # another run took it for an abandoned one in the moment before
                continue
            except BaseException:
                self.close()
                raise
            return

    def _mark(self, about: dict[str, str]) -> None:
        self._marker = (self.path / MARKER).open("xb")
        try_lock(self._marker.fileno())
        owner = Owner(self.path.name, os.getpid(), _boot(), platform.node(), about)
        self._marker.write(msgspec.json.encode(owner))
        self._marker.flush()

    def close(self, *, remove: bool = True) -> None:
        try:
            if remove:
                remove_folder(self.path)
        finally:
            if self._marker is not None:
                with suppress(OSError):  # a full disk, of a file that is gone
                    self._marker.close()


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """For the time of the block: in the system's folder for temporary files, or hidden in `parent`."""
    home = _home(parent)
    sweep_once(parent)
    folder = WorkFolder(home, WORK if parent is None else f".{WORK}")
    try:
        yield folder.path
    finally:
        folder.close()


def sweep_once(parent: Path | None = None) -> None:
    """The same as `sweep`, once for each folder in the life of a process."""
    home = _home(parent)
    if home not in _swept:
        _swept.add(home)
        sweep(home)


def _home(parent: Path | None) -> Path:
    return Path(os.path.realpath(tempfile.gettempdir() if parent is None else parent))


def sweep(parent: Path) -> None:
    """Remove the work folders that killed runs left there."""
    for prefix in (WORK, f".{WORK}"):
        for path, owner in abandoned(parent, prefix):
            if owner is not None or _is_bare(path):
                remove_folder(path)


def remove_folder(path: Path) -> None:
    """The marker last, so a kill on the way leaves a folder that can still be recognized."""
    with suppress(OSError):
        for entry in list(os.scandir(path)):
            if entry.name == MARKER:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink(missing_ok=True)
        (path / MARKER).unlink(missing_ok=True)
        path.rmdir()


def abandoned(parent: Path, prefix: str) -> Iterator[tuple[Path, Owner | None]]:
    """Folders whose process is gone; without an owner, those that have no valid marker."""
    try:
        names = sorted(name for name in os.listdir(parent) if name.startswith(prefix))  # noqa: PTH208 - only names
    except OSError:
        return
    for name in names:
        path = parent / name
        if not _is_mine(path):
            continue
        try:
            marker = (path / MARKER).open("r+b")
        except OSError:
            yield path, None
            continue
        with marker:
            hold = try_lock(marker.fileno())
            owner = _owner(marker.read(), name)
            if hold is Hold.BUSY or (hold is Hold.UNSUPPORTED and not (owner is not None and owner.is_gone)):
                continue
            yield path, owner


def _is_bare(path: Path) -> bool:
    """Nothing in it, or long ago a marker that was not completed."""
    try:
        names = os.listdir(path)  # noqa: PTH208 - only names
        return not names or (names == [MARKER] and time.time() - path.stat().st_mtime > _UNMARKED_SECONDS)
    except OSError:
        return False


def _is_mine(path: Path) -> bool:
    """A folder, not a link to one, of the user who runs this."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return S_ISDIR(found.st_mode) and (not hasattr(os, "geteuid") or found.st_uid == os.geteuid())


def _owner(data: bytes, name: str) -> Owner | None:
    try:
        owner = msgspec.json.decode(data, type=Owner)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return owner if owner.folder == name else None


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
