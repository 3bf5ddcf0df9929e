"""An output folder and a state folder → both held by this run, with every earlier run finished or rolled back.

A run that was killed before its journal was written has decided nothing: its staging folder is removed. One that
was killed afterwards is finished in the folder it was begun in, whichever folder the present run writes to.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from urlset.building import journal as journals
from urlset.building.journal import DECIDED, KEPT, STAGING_PREFIX, Journal, PublishError, RollForward
from urlset.building.manifest import load
from urlset.building.state_home import claim
from urlset.writing.files import (
    MARKER,
    LockBusy,
    Owner,
    abandoned,
    locked_file,
    locked_folder,
    make_state_folder,
    remove_folder,
    sweep,
)

_LOCK = "lock"


@contextmanager
def prepared(out_dir: Path, state_dir: Path) -> Iterator[list[str]]:
    """Both folders, made if needed and held for the time of the block; gives what became of earlier runs."""
    notes: list[str] = []
    for whole in map(os.path.realpath, (str(out_dir), str(state_dir))):
        if (shown := whole.encode("utf-8", "backslashreplace").decode()) != whole:
            raise PublishError(f"cannot use {shown}: the path is not UTF-8; rename the folder")
    out_dir.mkdir(parents=True, exist_ok=True)
    make_state_folder(state_dir)
    with ExitStack() as stack:
        stack.enter_context(_held_state(state_dir))
        stack.enter_context(_held_output(out_dir))
        _finish_own(state_dir, out_dir, notes)
        for path, owner in abandoned(out_dir, STAGING_PREFIX):
            _settle(path, owner, out_dir, state_dir, notes)
        for folder in (out_dir, state_dir, state_dir / KEPT):
            sweep(folder)
        notes += claim(state_dir, out_dir)
        yield notes


def reason(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    return f"{(error.strerror or str(error)).lower()}{where}"


@contextmanager
def _held_state(state_dir: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(locked_file(state_dir / _LOCK))
        except LockBusy as error:
            raise PublishError(
                f"another build is using the state folder {state_dir}; try again when it ends"
            ) from error
        yield


@contextmanager
def _held_output(out_dir: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(locked_folder(out_dir))
        except LockBusy as error:
            raise PublishError(f"another build is publishing to {out_dir}; try again when it ends") from error
        yield


def _finish_own(state_dir: Path, out_dir: Path, notes: list[str]) -> None:
    """The build that the state folder's journal describes."""
    unfinished = journals.read_journal(state_dir)
    if unfinished is None:
        return
    home = _home_of(unfinished, out_dir)
    if home is None:
        journals.withdraw(state_dir)
        notes.append(f"dropped an interrupted build to {unfinished.output}: the folder no longer exists")
        return
    with ExitStack() as stack:
        if not home.samefile(out_dir):
            stack.enter_context(_held_output(home))
        _finish(unfinished, state_dir, home, notes)


def _home_of(journal: Journal, out_dir: Path) -> Path | None:
    """Where the build was begun; None where that folder is gone."""
    recorded = Path(journal.output)
    for folder in (recorded, out_dir):  # a folder that was moved has the staging folder with it
        if (folder / journal.staging).is_dir():
            return folder
    return recorded if recorded.is_dir() else None


def _finish(journal: Journal, state_dir: Path, out_dir: Path, notes: list[str]) -> None:
    try:
        RollForward(state_dir, out_dir, journal).run()
    except OSError as error:
        raise PublishError(f"cannot finish the interrupted build to {out_dir}: {reason(error)}") from error
    remove_folder(out_dir / journal.staging)
    notes.append(f"finished an interrupted build to {out_dir}")


def _settle(path: Path, owner: Owner | None, out_dir: Path, state_dir: Path, notes: list[str]) -> None:
    """A staging folder that a killed run left in the output folder."""
    if owner is None:
        _settle_unmarked(path, notes)
        return
    journal = journals.read_copy(path)
    home = Path(owner.about.get("state", ""))
    if journal is None:
        remove_folder(path)
        return
    with ExitStack() as stack:
        if not home.is_dir():
            home = state_dir  # its own state folder is gone; everything that is needed lies here
            decided = True
        else:
            if not home.samefile(state_dir):
                stack.enter_context(_held_state(home))
            decided = _is_decided(journal, path, home, out_dir)
        if decided:
            _finish(journal, home, out_dir, notes)
        else:
            remove_folder(path)


def _is_decided(journal: Journal, path: Path, state_dir: Path, out_dir: Path) -> bool:
    """Whether the build has to be finished: its journal is there, or was dropped or finished elsewhere meanwhile."""
    known = journals.read_journal(state_dir)
    if known is not None and known.staging == path.name:
        return True
    last = load(state_dir)
    is_done = last is not None and last.build == journal.new.build and journal.output == os.path.realpath(out_dir)
    return (path / DECIDED).exists() and not is_done


def _settle_unmarked(path: Path, notes: list[str]) -> None:
    """Nothing proves its owner; one that holds only a torn marker can be lost."""
    try:
        if {each.name for each in path.iterdir()} <= {MARKER}:
            (path / MARKER).unlink(missing_ok=True)
        path.rmdir()
    except OSError:
        notes.append(f"left {path} alone: urlset did not create it; delete it if it is unused")
