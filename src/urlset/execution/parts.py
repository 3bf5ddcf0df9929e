"""The result of a task ↔ a file that is complete or not there, and a folder of them that outlives its run."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from urlset.execution.workers import ExecutionError
from urlset.storage.system import replace
from urlset.writing.files import LockBusy, locked_file, make_state_folder, private_file

if TYPE_CHECKING:
    from urlset.storage.guarded import HeldLock
    from urlset.storage.paths import FilePath

T = TypeVar("T")
_DIGEST = 16
PLAN = "plan.json"
_LOCK = "lock"
_FINISHED = "finished"
_PARTS = "parts"
_OWN = frozenset({PLAN, _LOCK, _FINISHED, _PARTS})
_PATIENCE = 5.0
_LOCK_SECONDS = 30.0
"""after which the lock of a run that was killed ends, where it is an object"""


class PartsError(ExecutionError):
    """A folder that cannot be used for parts."""


def write_part(path: FilePath, chunks: Iterable[bytes | array[int]]) -> None:
    """Under a temporary name, then renamed: two workers with the same task write the same file.

    An object is stored whole or not at all, without a second name.
    """
    if not isinstance(path, Path):
        path.write(chunks)
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with private_file(unfinished).open("wb") as file:
            file.writelines(chunks)
        replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def part_range(path: FilePath, *, parts: int, low: int, high: int, size: int = 1) -> bytes:
    """What a file of so many parts, after a table of their sizes, has in a range of them."""
    sizes: array[int] = array("Q")
    if not isinstance(path, Path):
        sizes.frombytes(path.read_range(0, 8 * parts))
        start = 8 * parts + size * sum(sizes[:low])
        return path.read_range(start, start + size * sum(sizes[low:high]))
    with path.open("rb") as file:
        sizes.fromfile(file, parts)
        file.seek(size * sum(sizes[:low]), os.SEEK_CUR)
        return file.read(size * sum(sizes[low:high]))


def put_result(path: FilePath, packed: bytes) -> None:
    write_part(path, (blake2b(packed, digest_size=_DIGEST).digest(), packed))


def get_result(path: FilePath) -> bytes | None:
    """None where there is none, or where a power cut left a part of it."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    packed = data[_DIGEST:]
    return packed if data[:_DIGEST] == blake2b(packed, digest_size=_DIGEST).digest() else None


class _Kept(msgspec.Struct, frozen=True):
    """What a folder of parts says of its run."""

    fingerprint: str
    started: str
    schema: int = 1


class RunFolder(msgspec.Struct, frozen=True):
    """A folder for the parts of one run."""

    folder: FilePath
    started: str
    """when the run began: a resumed one keeps the time it began with"""
    resumed: bool = False
    lock: HeldLock | None = None
    """where it is an object, which another run may take over"""

    @property
    def parts(self) -> FilePath:
        return self.folder / _PARTS

    def finish(self, *, keep: bool = False) -> None:
        """`keep` where the parts are the result; otherwise they are not needed any more."""
        if self.lock is not None:
            self.lock.check()
        (self.folder / _FINISHED).touch()
        if not keep:
            _remove(self.parts)


@contextmanager
def run_folder(folder: FilePath, fingerprint: str, started: str) -> Iterator[RunFolder]:
    """The next run with the same fingerprint resumes an unfinished one; any other starts over. Raises PartsError."""
    with ExitStack() as stack:
        try:
            lock = None
            if isinstance(folder, Path):
                make_state_folder(folder)
                # the workers of a killed run need a moment to notice
                _held(lambda: stack.enter_context(locked_file(folder / _LOCK)), LockBusy, folder, _PATIENCE, 0.05)
            else:
                lock = _lock_stored(folder, stack)
            run = msgspec.structs.replace(_opened(folder, fingerprint, started), lock=lock)
        except OSError as error:
            raise PartsError(f"{folder}: {error.strerror or error}") from error
        yield run


def _lock_stored(folder: FilePath, stack: ExitStack) -> HeldLock:
    """An object that is renewed: the lock of a killed run ends some time after it."""
    from urlset.storage.guarded import LockHeld, locked, probe
    from urlset.storage.store import Store

    store = Store(str(folder))

    def enter() -> HeldLock:
        return stack.enter_context(locked(store, probe(store), _LOCK_SECONDS, what="run"))

    return _held(enter, LockHeld, folder, 2 * _LOCK_SECONDS, 1.0)


def _held(enter: Callable[[], T], busy: type[Exception], folder: FilePath, patience: float, pause: float) -> T:
    until = time.monotonic() + patience
    while True:
        try:
            return enter()
        except busy:
            if time.monotonic() > until:
                raise PartsError(f"{folder} is in use by another run") from None
            time.sleep(pause)


def _remove(folder: FilePath) -> None:
    if not isinstance(folder, Path):
        folder.remove_tree()
        return
    import shutil  # slow to load, and most runs keep no parts

    shutil.rmtree(folder, ignore_errors=True)


def _opened(folder: FilePath, fingerprint: str, started: str) -> RunFolder:
    try:
        kept = msgspec.json.decode((folder / PLAN).read_bytes(), type=_Kept)
    except (FileNotFoundError, msgspec.DecodeError):
        kept = None
    if kept is None and _has_others(folder):
        raise PartsError(f"{folder} holds other files; name an empty or new folder")
    if kept is not None and kept.fingerprint == fingerprint and not (folder / _FINISHED).exists():
        run = RunFolder(folder, kept.started, resumed=True)
    else:
        run = RunFolder(folder, started)
        (folder / _FINISHED).unlink(missing_ok=True)
        _remove(run.parts)
        write_part(folder / PLAN, [msgspec.json.encode(_Kept(fingerprint, started))])
    if isinstance(folder, Path):
        make_state_folder(folder / _PARTS)
    return run


def _has_others(folder: FilePath) -> bool:
    if isinstance(folder, Path):
        return any(each.name not in _OWN for each in folder.iterdir())
    from urlset.storage.guarded import LOCK

    return any(str(each) != str(folder / LOCK) for each in folder.below(2))


def fingerprint_of(*values: object) -> str:
    """Equal for equal values; for texts, numbers, structs and lists of these."""
    packed = msgspec.msgpack.encode(values, order="deterministic")
    return blake2b(packed, digest_size=16).hexdigest()
