"""What differs between Windows and other systems: streams, locks, renames, processes."""

from __future__ import annotations

import codecs
import errno
import os
import sys
import time
from enum import Enum
from pathlib import Path

PLAIN = "urlset-plain"
"""the error handler of streams whose encoding lacks characters: letters instead of them, never a question mark"""
_PLAIN = str.maketrans({"→": "->", "…": "...", "\u00d7": "x", "\u2013": "-", "—": "-", "─": "-", "│": "|", "█": "#"})
MAY_REMOVE_OPEN_FILES = os.name != "nt"
_PAUSES = (0.01, 0.05, 0.1, 0.3, 0.5, 1.0)
_LOCKED_BYTE = 0x7FFF_0000
"""behind any content, as Windows keeps others from reading what is locked; its C library locks below 2 GB only"""
_STILL_RUNNING, _MAY_WAIT, _ACCESS_DENIED = 258, 0x100000, 5


def prepare_streams() -> None:
    """Print every character: as UTF-8 into pipes and files, with plain letters where an encoding was requested.

    A Windows console takes UTF-8 as it is; its pipes have a code page, in which `→` cannot be written. Lines end as on
    other systems, since reports and lists are compared and read by programs.
    """
    for stream in (sys.stdout, sys.stderr):
        if not hasattr(stream, "reconfigure"):
            continue
        if not is_unicode(stream.encoding):
            if os.name == "nt" and "PYTHONIOENCODING" not in os.environ:
                stream.reconfigure(encoding="utf-8")
            else:
                stream.reconfigure(errors=PLAIN)
        if os.name == "nt" and not stream.isatty():
            stream.reconfigure(newline="\n")


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(_PLAIN)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(PLAIN, _plain)


def is_unicode(encoding: str) -> bool:
    """Whether it has every character."""
    return encoding.lower().replace("-", "").startswith("utf")


class Hold(Enum):
    HELD = "held"
    BUSY = "busy"
    """another process has it"""
    UNSUPPORTED = "unsupported"
    """as on some network mounts"""


def try_lock(descriptor: int) -> Hold:
    """Lock an open file until it is closed, however the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            place = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(descriptor, place, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Hold.BUSY
    except ImportError:  # a Python without it, or a library that this user may not read
        return Hold.UNSUPPORTED
    except OSError as error:
        is_busy = sys.platform == "win32" and error.errno in {errno.EACCES, errno.EDEADLK, 0}  # 0: under Wine
        return Hold.BUSY if is_busy else Hold.UNSUPPORTED
    return Hold.HELD


def open_for_lock(folder: Path) -> int:
    """A descriptor of the folder; Windows opens no folders, so there it is of a file among the temporary ones."""
    if sys.platform == "win32":
        from hashlib import sha256
        from tempfile import gettempdir

        home = Path(gettempdir()) / "urlset-locks"
        home.mkdir(exist_ok=True)
        key = sha256(os.path.normcase(os.path.realpath(folder)).encode("utf-8", "surrogatepass")).hexdigest()
        return os.open(home / key, os.O_RDWR | os.O_CREAT, 0o600)
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def replace(source: Path, target: Path) -> None:
    """Rename over the target. Windows refuses while another process has it open, so it is tried for two seconds."""
    for pause in _PAUSES if os.name == "nt" else ():
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    source.replace(target)


def sync_folder(folder: Path) -> None:
    """A rename is only safe from a power cut once the folder is on disk too; Windows sees to it itself."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_mine(owner: int) -> bool:
    """Whether the user who runs this owns a file; Windows tells no such number."""
    return sys.platform == "win32" or owner == os.geteuid()


def is_running(process: int) -> bool:
    """Whether there is such a process; True if that is unknown."""
    if sys.platform == "win32":  # where signal 0 is Ctrl-C, for the whole group
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(_MAY_WAIT, 0, process)
        if not handle:
            return bool(ctypes.windll.kernel32.GetLastError() == _ACCESS_DENIED)
        running = ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == _STILL_RUNNING
        ctypes.windll.kernel32.CloseHandle(handle)
        return bool(running)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
