"""A working tree under git → for every clean, committed file the commit that gave it its present content.

One pass over `git log --raw`, newest first, with the blob each commit left at a path. The commit looked for is the
first whose blob is the one in HEAD: so a revert counts, and a side of a merge that lost does not. A move without a
change is followed to the old name, because it changed nothing that a reader sees.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from urlset.building.candidate import Evidence, EvidenceKind
from urlset.model.errors import UrlsetError
from urlset.reading.html_bytes import MAX_PAGE_BYTES

if TYPE_CHECKING:
    import subprocess

_CHUNK = 1 << 16
_MARK = b"\x01"
_SUBMODULE = b"160000"
# A hook sets these for its own repository; we ask about the one that the folder is in.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_QUIET = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
# A repository's settings may name programs to run, and may change what log shows.
_SETTINGS = ("core.fsmonitor=false", "log.showSignature=false", "log.showRoot=true", "diff.orderFile=/dev/null")
_LOG = (
    "log", "-z", "--raw", "--no-abbrev", "-c", "--find-renames=100%", "--no-color", "--no-ext-diff",
    "--ignore-submodules=all", "--format=%x01%H %ct", "HEAD", "--",
)  # fmt: skip


class GitRefused(msgspec.Struct, frozen=True):
    """Why the history cannot be believed or read, and what would help."""

    reason: str
    remedy: str


class GitCommit(msgspec.Struct, frozen=True):
    """`lastmod` is when it was committed, in UTC."""

    commit: str
    lastmod: str

    def evidence(self) -> Evidence:
        return Evidence(EvidenceKind.GIT, self.lastmod, f"commit {self.commit[:12]}")


class GitDates(msgspec.Struct, frozen=True):
    """Paths are relative to the folder asked about, with `/`."""

    commits: dict[str, GitCommit]
    uncommitted: frozenset[str]
    """changed since the last commit: no commit covers their current content"""
    folder: Path | None = None
    """the folder asked about"""

    def evidence(self, path: str) -> Evidence | None:
        """None for a file that is not tracked, or that differs from what was committed."""
        found = self.commits.get(path)
        return None if found is None else found.evidence()


class GitFailedError(UrlsetError):
    """git ended with an error; its own words."""


def git_dates(folder: Path) -> GitDates | GitRefused:
    """The dates of everything in the folder, which may lie anywhere in a working tree."""
    git = open_git(folder)
    if git is None:
        return GitRefused("git is not installed", "install git, or remove `git` from --evidence")
    try:
        return _refusal(git) or _dates(git)
    except GitFailedError as error:
        return GitRefused(
            f"git failed in '{folder}': {error}", "repair the repository, or remove `git` from --evidence"
        )
    except OSError as error:
        return GitRefused(f"git could not be started in '{folder}': {error}", "use a readable folder")


def open_git(folder: Path) -> Git | None:
    """None where git is not installed."""
    program = shutil.which("git")
    return Git(program, folder) if program is not None else None


class Git:
    """Runs git in one folder, without the settings that could run other programs."""

    def __init__(self, program: str, folder: Path) -> None:
        self.folder = folder
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        self._command = [program, *settings]
        self._environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN} | _QUIET

    def fields(self, *arguments: str, end: bytes = b"\0") -> Generator[bytes]:
        """What git writes, cut at the end mark, as it comes; stopping early stops git."""
        with tempfile.TemporaryFile() as errors, self._start(arguments, errors) as process:
            assert process.stdout is not None
            try:
                rest = b""
                while chunk := process.stdout.read(_CHUNK):
                    *whole, rest = (rest + chunk).split(end)
                    yield from whole
                if rest:
                    yield rest
            except GeneratorExit:
                process.kill()
                raise
            if process.wait() != 0:
                errors.seek(0)
                said = errors.read(1000).decode("utf-8", "replace").strip()
                raise GitFailedError(said.removeprefix("fatal: ") or f"exit code {process.returncode}")

    @contextmanager
    def blobs(self) -> Iterator[Callable[[bytes], bytes | None]]:
        """A function from the name of a blob to its bytes; None where it cannot be had or is too large for a page."""
        with tempfile.TemporaryFile() as errors, self._start(("cat-file", "--batch"), errors, asked=True) as process:
            asking, answers = process.stdin, process.stdout
            assert asking is not None
            assert answers is not None

            def blob(name: bytes) -> bytes | None:
                try:
                    asking.write(name + b"\n")
                    asking.flush()
                except OSError:
                    return None
                kind = answers.readline().split()
                if len(kind) != 3:
                    return None
                size = int(kind[2])
                data = answers.read(min(size, MAX_PAGE_BYTES + 1))
                left = size + 1 - len(data)
                while left > 0 and (skipped := answers.read(min(left, _CHUNK))):
                    left -= len(skipped)
                return data if kind[1] == b"blob" and size <= MAX_PAGE_BYTES else None

            try:
                yield blob
            finally:
                process.kill()

    def _start(self, arguments: tuple[str, ...], errors: IO[bytes], *, asked: bool = False) -> subprocess.Popen[bytes]:
        import subprocess

        return subprocess.Popen(  # noqa: S603 - a fixed command, no shell
            [*self._command, *arguments],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.PIPE if asked else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def line(self, *arguments: str) -> str:
        return os.fsdecode(b"\n".join(self.fields(*arguments, end=b"\n")))


def _refusal(git: Git) -> GitRefused | None:
    try:
        shallow = git.line("rev-parse", "--is-shallow-repository")
        inside = git.line("rev-parse", "--is-inside-work-tree")
    except GitFailedError as error:
        if "not a git repository" in str(error):
            return GitRefused(
                f"'{git.folder}' is not in a git repository", "build inside a clone, or remove `git` from --evidence"
            )
        if "dubious ownership" in str(error):
            return GitRefused(
                f"git does not trust '{git.folder}', which is owned by another user",
                "git config --global --add safe.directory FOLDER",
            )
        raise
    if shallow == "true":
        return GitRefused(
            "the clone is shallow: its oldest commit seems to have changed every file",
            "fetch the whole history: git fetch --unshallow, or fetch-depth: 0 for actions/checkout",
        )
    if inside != "true":
        return GitRefused(f"'{git.folder}' is not in a working tree", "build inside a clone with its files checked out")
    try:
        git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitFailedError:
        return GitRefused("the repository has no commits", "commit the pages or their sources")
    return None


def _dates(git: Git) -> GitDates:
    prefix = os.fsencode(git.line("rev-parse", "--show-prefix"))
    listed = git.fields(
        "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all", "--", "."
    )
    changed = {field[3:] for field in listed}  # from the top of the tree, staged or not
    sought = _blobs_at_head(git, prefix, changed)
    found = _lastchanges_of(git, sought)
    return GitDates(
        {os.fsdecode(path[len(prefix) :]): commit for path, commit in sorted(found.items())},
        frozenset(os.fsdecode(path[len(prefix) :]) for path in changed if path.startswith(prefix)),
        git.folder,
    )


def _blobs_at_head(git: Git, prefix: bytes, without: set[bytes]) -> dict[bytes, bytes]:
    """Path from the top → blob, for what lies under the prefix."""
    where = [os.fsdecode(prefix)] if prefix else []
    blobs = {}
    for field in git.fields("ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", *where):
        about, _, path = field.partition(b"\t")
        mode, _, blob = about.split(b" ")
        if mode != _SUBMODULE and path not in without:
            blobs[path] = blob
    return blobs


def _lastchanges_of(git: Git, sought: dict[bytes, bytes]) -> dict[bytes, GitCommit]:
    """Follow the paths back until each is found; then git need not go on."""
    found: dict[bytes, GitCommit] = {}
    # the name a file had at this point of the history → its names in HEAD; moves can bring two to one
    names: dict[bytes, list[bytes]] = {path: [path] for path in sought}
    if not names:  # an ignored folder of a repository: its history says nothing
        return found
    with closing(changes_of(git)) as changes:
        for change in changes:
            made = take_made(change, names, sought)
            if change.commit is not None:
                found.update(dict.fromkeys(made, change.commit))
            if not names:
                break
    return found


Head = TypeVar("Head", str, bytes)


def take_made(change: CommitChange, names: dict[bytes, list[Head]], sought: Mapping[Head, bytes]) -> list[Head]:
    """The files whose version this commit left there; one that only moved is followed to its old path.

    `names`: the path a file had at this point of the history → the files; `sought`: file → version.
    """
    files = names.pop(change.path, [])
    made = [file for file in files if sought[file] == change.blob]
    if len(made) < len(files):
        names[change.path] = [file for file in files if sought[file] != change.blob]
    if made and change.moved_from is not None:
        names.setdefault(change.moved_from, []).extend(made)
        return []
    return made


class CommitChange(NamedTuple):
    commit: GitCommit | None
    path: bytes
    blob: bytes
    """what the commit left there"""
    moved_from: bytes | None
    """the old path, where the file was moved and not changed"""
    before: tuple[bytes, ...] = ()
    """what its parents had there; none where the commit added the file"""


def changes_of(git: Git) -> Generator[CommitChange]:
    commit: GitCommit | None = None
    with closing(git.fields(*_LOG)) as fields:
        for raw in fields:
            field = raw.removeprefix(b"\n")
            if field.startswith(_MARK):
                commit = _commit(field[1:])
            elif field.startswith(b":"):
                about = field.split(b" ")
                parents = len(field) - len(field.lstrip(b":"))
                path, moved_from = next(fields), None
                if parents == 1 and about[-1].startswith(b"R"):
                    path, moved_from = next(fields), path
                # modes of the parents and the result, blobs of the parents and the result, the status
                before = about[parents + 1 : 2 * parents + 1]
                added = not any(blob.strip(b"0") for blob in before)
                yield CommitChange(commit, path, about[2 * parents + 1], moved_from, () if added else tuple(before))


def _commit(text: bytes) -> GitCommit | None:
    """None for an impossible commit date."""
    name, _, seconds = text.decode("ascii", "replace").partition(" ")
    try:
        when = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return GitCommit(name, when.strftime("%Y-%m-%dT%H:%M:%SZ")) if when.year >= 1970 else None
