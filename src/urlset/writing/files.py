"""Files and folders on disk: locked, private, temporary, and replaced as a whole or not at all."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import BinaryIO

import msgspec

from urlset.model.errors import UrlsetError
from urlset.storage.system import (
    MAY_REMOVE_OPEN_FILES,
    Hold,
    is_mine,
    is_running,
    open_for_lock,
    replace,
    sync_folder,
    try_lock,
)

# Locks: an open file or folder is held by this process alone until it is closed, however the process ends.
#
# All locks of urlset that are not SQLite's own are taken here. Where the file system has no such locks (some network
# mounts), nothing is held, and the caller has to decide by other means.


class LockBusy(UrlsetError):  # noqa: N818 - it passes
    """Another process holds the lock."""


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
    descriptor = open_for_lock(folder)
    try:
        if try_lock(descriptor) is Hold.BUSY:
            raise LockBusy(str(folder))
        yield
    finally:
        os.close(descriptor)


# Private files and folders: for one user alone, and ignored by version control where the folder is urlset's own.
#
# State holds what was fetched, perhaps with credentials: pages of staging sites, keys, receipts. So folders are 0700
# and files 0600, whatever the umask. Libraries that open a file by its name (SQLite, pyarrow) keep the mode it has.

STATE_ROOT = ".urlset"
"""the default home of all state, in the working folder"""
_FOLDER, _FILE, _OTHERS = 0o700, 0o600, 0o077


def make_state_folder(folder: Path) -> None:
    """Raises OSError. `.urlset` gets a .gitignore; a folder that the user made is left as it is."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(_FOLDER, exist_ok=True)
    folder.mkdir(exist_ok=True)  # which fails where it is a file
    for home in (folder, *folder.parents):
        if home.name == STATE_ROOT:
            _close(home, _FOLDER)
            ignore = home / ".gitignore"
            with suppress(OSError):  # a convenience, not worth a failure
                if not ignore.exists():
                    private_file(ignore).write_text("# Written by urlset.\n*\n", encoding="utf-8")
            return


def private_file(path: Path) -> Path:
    """The same path, with a file that its user alone may read. Raises OSError.

    A file that is there is not opened: to close it would release the locks of this process on a SQLite database.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE))
    except FileExistsError:
        _close(path, _FILE)
    return path


def _close(path: Path, mode: int) -> None:
    with suppress(OSError):  # of another user, or on a file system without modes
        if path.stat().st_mode & _OTHERS:
            path.chmod(mode)


# Temporary folders, which a later run can prove to be abandoned and remove.
#
# A killed process cannot clean up. So every work folder holds a marker with the process, the machine's boot and the
# folder's own name, and the process keeps the marker locked for as long as it lives. `sweep` removes a folder only if
# it has such a marker, belongs to the same user, and its process is gone. A name alone proves nothing.

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
        return not is_running(self.pid)


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
                empty_folder(self.path)
        finally:
            if self._marker is not None:
                with suppress(OSError):  # a full disk, of a file that is gone
                    self._marker.close()  # before it is removed: Windows keeps what is open
        if remove:
            remove_folder(self.path)


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


def empty_folder(path: Path) -> None:
    """All but the marker."""
    with suppress(OSError):
        for entry in list(os.scandir(path)):
            if entry.name == MARKER:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """The marker last, so a kill on the way leaves a folder that can still be recognized."""
    empty_folder(path)
    with suppress(OSError):
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
            if MAY_REMOVE_OPEN_FILES:
                yield path, owner
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
    return S_ISDIR(found.st_mode) and is_mine(found.st_uid)


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


# Replacing a file: the old one or the new one is there, never a mixture, whatever happens in between.

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
        replace(unfinished, target)
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
            replace(copy, kept)
        return


def same_content(one: Path, other: Path) -> bool:
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        while block := first.read(_BLOCK):
            if block != second.read(_BLOCK):
                return False
    return True
