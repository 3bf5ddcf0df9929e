"""Run by test_fix_killed.py in a process of its own: `urlset fix`, killed before its n-th change to the disk.

For each n a child process fixes the folder given and is killed with SIGKILL; what it leaves behind is printed as
one JSON object a line, file names to SHA-256, and what the same command then makes of it, until a child lives to the
end.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from urlset.cli.main import main
from urlset.rules.catalogue import all_rules

_CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.link", "os.rmdir")


def child(folder: Path, arguments: list[str], fuse: int) -> None:
    left = [fuse]

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event not in _CHANGES or not isinstance(args[0], (str, Path)) or not str(args[0]).startswith(str(folder)):
            return
        if event == "open" and "w" not in str(args[1]):
            return
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(arguments)
    os._exit(code)


def states(original: Path, folder: Path, arguments: list[str]) -> None:
    all_rules()  # imported once, before the children are made
    for fuse in range(200):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(original, folder)
        process = os.fork()
        if process == 0:
            child(folder, arguments, fuse)
        _, status = os.waitpid(process, 0)
        found = files_in(folder)
        was_killed = os.WIFSIGNALED(status)
        if was_killed and "--backup" in arguments:  # and then the same command once more, in peace
            process = os.fork()
            if process == 0:
                child(folder, arguments, 1 << 30)
            os.waitpid(process, 0)
        reported = {"killed": was_killed, "files": found, "next": files_in(folder), "left": folders_in(folder)}
        sys.stdout.write(json.dumps(reported) + "\n")
        if not was_killed:
            return


def files_in(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def folders_in(folder: Path) -> list[str]:
    """What killed runs left, save for a folder that was not marked yet."""
    return [
        path.name for path in folder.iterdir() if path.is_dir() and any(each.stat().st_size for each in path.iterdir())
    ]


if __name__ == "__main__":
    states(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
