"""A command line → run in a child process that is killed, before its n-th change to the disk or at some moment.

The child is forked from a process that has everything imported, so that a run takes as long as its work does.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod", "os.truncate", "sqlite3.connect")


def warm_up() -> None:
    """Import what commands need; the children inherit it."""
    from urlset.rules.catalogue import all_rules

    all_rules()
    for name in ("build.build", "build.crawl", "fix", "audit.audit", "crawl"):
        __import__(f"urlset.workflows.{name}")
    for name in ("build", "fix", "audit", "crawl"):
        __import__(f"urlset.cli.{name}")
    __import__("urlset.building.staging")
    gc.freeze()


class Killer:
    """Runs commands below one folder; `tmp` in it takes the place of the system's folder for temporary files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)

    def run(self, arguments: Sequence[object]) -> int:
        """To the end; the exit code."""
        return os.waitstatus_to_exitcode(self._wait(self._fork(arguments, None)))

    def kill_at(self, arguments: Sequence[object], fuse: int) -> bool:
        """Killed before its change number `fuse`; False where it ended before."""
        return os.WIFSIGNALED(self._wait(self._fork(arguments, fuse)))

    def kill_after(self, arguments: Sequence[object], seconds: float) -> bool:
        """Killed from outside; False where it ended before."""
        process = self._fork(arguments, None)
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)  # not waited for yet, so the number is still its own
        return os.WIFSIGNALED(self._wait(process))

    def _wait(self, process: int) -> int:
        return os.waitpid(process, 0)[1]

    def _fork(self, arguments: Sequence[object], fuse: int | None) -> int:
        process = os.fork()
        if process:
            return process
        code = 70
        try:
            code = self._child([str(each) for each in arguments], fuse)
        finally:
            os._exit(code)

    def _child(self, arguments: list[str], fuse: int | None) -> int:
        from urlset.cli.main import main

        nowhere = os.open(os.devnull, os.O_RDWR)
        said = os.open(self.folder / "stderr.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for descriptor, standard in ((nowhere, 0), (nowhere, 1), (said, 2)):
            os.dup2(descriptor, standard)
        tempfile.tempdir = str(self.temporary)
        if fuse is not None:
            self._light(fuse)
        os.chdir(self.folder)
        code = main(arguments)
        sys.stdout.flush()
        return code

    def _light(self, fuse: int) -> None:
        left = [fuse]
        folder = str(self.folder)

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event == "open":
                # by its flags: the mode is missing where a file was opened by number first
                if not isinstance(args[0], (str, Path)) or not int(args[2] or 0) & (os.O_WRONLY | os.O_RDWR):
                    return
            elif event not in _CHANGES:
                return
            here = isinstance(args[0], (str, Path)) and str(args[0]).startswith(folder)
            beside = event in ("os.remove", "os.rmdir") and args[-1] not in (-1, None)
            if not (here or beside):
                return
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
