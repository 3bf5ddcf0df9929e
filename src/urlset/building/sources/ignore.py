"""The lines of .urlsetignore → which paths of a folder are excluded, by the rules of .gitignore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec.gitignore import GitIgnoreSpec

FILE_NAME = ".urlsetignore"


class Ignore:
    """The last matching line decides; `!` includes again. Everything in an ignored folder stays ignored."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        written = [line for line in lines if line.strip()]
        self._spec = _compiled(written) if written else None

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """`path` is relative, with `/`, and its folder is not ignored."""
        return self._spec is not None and self._spec.match_file(f"{path}/" if is_folder else path)


def _compiled(lines: list[str]) -> GitIgnoreSpec:
    from pathspec.gitignore import GitIgnoreSpec

    usable = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue  # git skips a pattern it cannot use
        usable.append(line)
    return GitIgnoreSpec.from_lines(usable)
