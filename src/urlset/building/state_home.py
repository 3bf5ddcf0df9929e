"""An output folder → the state folder that belongs to it, below `.urlset` in the working folder unless one is named.

Every state folder says in `output.json` which output it belongs to, by the name that was given and by the real one:
an output that is reached through a link that is switched to another folder (`current` → `releases/2`) keeps its
state, and so does one that is reached by another name. Paths inside the working folder are kept relative to it,
so a project can be moved or copied with its state.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.building.manifest import ManifestError, load, sha256_of
from urlset.reading.fingerprint import hash_of
from urlset.writing.files import write_atomically

SETS = "sets"
OUTPUT = "output.json"
_OF_A_STATE = ("ledger.db", "manifest.json", "publishing.json")
_SLUG = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_SLUG = 40


class Output(msgspec.Struct, frozen=True):
    """The output folder a state folder belongs to."""

    given: str
    """as it was named; relative to the working folder where it lies inside"""
    real: str
    """without links"""
    identity: str = ""
    """device and number of the folder, which a move within a disk does not change"""


class Home(msgspec.Struct, frozen=True):
    state: Path
    note: str | None = None
    """what should be said about the choice"""


def state_for(out_dir: Path, root: Path) -> Home:
    """The state of the output below the root. Nothing is written; `claim` does that when the state is used."""
    wanted = _described(out_dir, root)
    known = {folder: output for folder in _folders(root) if (output := _read(folder)) is not None}
    for folder, output in known.items():
        if output.given == wanted.given:
            return Home(folder)
    for folder, output in known.items():
        if output.real == wanted.real:
            return Home(folder)
    for folder, output in known.items():
        if not _place(output.real, root).exists() and _is_moved(output, wanted, folder, out_dir):
            return Home(folder, f"using the state of {output.given}, now at {wanted.given}")
    is_old = root not in known and any((root / name).exists() for name in _OF_A_STATE)
    return Home(_new(root, wanted), f"ignored the state of an earlier version in {root}" if is_old else None)


def claim(state_dir: Path, out_dir: Path) -> Iterator[str]:
    """Write down which output the state folder belongs to; yields what should be said about it."""
    root = state_dir.parent.parent if state_dir.parent.name == SETS else state_dir
    wanted, known = _described(out_dir, root), _read(state_dir)
    if known == wanted:
        return
    if known is not None and known.real != wanted.real and known.given != wanted.given:
        before = _place(known.real, root)
        if before.is_dir() and not before.samefile(out_dir):
            yield f"the state in {state_dir} belongs to {known.given}; use a separate --state per output"
    write_atomically(state_dir / OUTPUT, [msgspec.json.encode(wanted), b"\n"], private=True)


def states_below(root: Path) -> list[Path]:
    """Every state folder that has something to tell."""
    return [folder for folder in _folders(root) if any((folder / name).exists() for name in _OF_A_STATE)]


def output_of(state_dir: Path) -> str | None:
    """The name of the output it belongs to."""
    output = _read(state_dir)
    return None if output is None else output.given


def _folders(root: Path) -> list[Path]:
    try:
        below = sorted(path for path in (root / SETS).iterdir() if path.is_dir())
    except OSError:
        below = []
    return [root, *below]


def _read(folder: Path) -> Output | None:
    try:
        return msgspec.json.decode((folder / OUTPUT).read_bytes(), type=Output)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _described(out_dir: Path, root: Path) -> Output:
    home = os.path.realpath(root.parent)
    whole = Path(os.path.abspath(out_dir))  # noqa: PTH100 - the last link is part of the name
    given = str(Path(os.path.realpath(whole.parent)) / whole.name)
    try:
        found = out_dir.stat()
        identity = f"{found.st_dev}:{found.st_ino}"
    except OSError:
        identity = ""
    return Output(_relative(given, home), _relative(os.path.realpath(out_dir), home), identity)


def _relative(path: str, home: str) -> str:
    whole = Path(path)
    return whole.relative_to(home).as_posix() if whole.is_relative_to(home) else str(whole)


def _place(path: str, root: Path) -> Path:
    return Path(os.path.realpath(root.parent)) / path


def _new(root: Path, output: Output) -> Path:
    words = _SLUG.sub("-", output.given).strip("-")[-_LONGEST_SLUG:].strip("-") or "output"
    return root / SETS / f"{words}-{hash_of(output.given) & 0xFFFFFFFF:08x}"


def _is_moved(output: Output, wanted: Output, state_dir: Path, out_dir: Path) -> bool:
    """The same folder under another name, or one that holds the very set the state describes."""
    if output.identity and output.identity == wanted.identity:
        return True
    try:
        last = load(state_dir)
    except (ManifestError, OSError):
        return False
    files = last.files if last is not None else ()
    return bool(files) and all(sha256_of(out_dir / file.name) == file.sha256 for file in files)
