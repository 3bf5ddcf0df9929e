"""A place for state → made for its user alone, and kept out of version control where it is urlset's own.

State holds what was fetched, perhaps with credentials: pages of staging sites, keys, receipts. So folders are 0700 and
files 0600, whatever the umask. Libraries that open a file by its name (SQLite, pyarrow) keep the mode it has.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

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
