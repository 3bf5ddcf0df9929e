"""Work that kills its own process on files of certain names; imported by worker processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from urlset.workflows.check_file import CheckedFile, Task, check_file


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work(task: Task) -> CheckedFile:
    """`…once…` kills the first worker that reads it, `…always…` every one."""
    path = Path(task.path)
    seen = path.with_suffix(".seen")
    if "always" in path.name or ("once" in path.name and not seen.exists()):
        seen.touch()
        die()
    return check_file(task)


def double(number: int) -> int:
    return 2 * number


def double_unless_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven is too much")
    return 2 * number


def double_or_die(task: tuple[int, str]) -> int:
    """The text names a file that remembers who died; `always` dies each time, `slow` takes its time."""
    number, memory = task
    if memory == "slow":
        time.sleep(0.3)
        return 2 * number
    if memory == "always":
        die()
    if memory and not Path(memory).exists():
        Path(memory).touch()
        die()
    return 2 * number


def double_or_hang(task: tuple[int, str]) -> int:
    """The text names a file that remembers who hung; `always` hangs each time."""
    number, memory = task
    if memory == "always" or (memory and not Path(memory).exists()):
        if memory != "always":
            Path(memory).touch()
        time.sleep(600)
    return 2 * number
