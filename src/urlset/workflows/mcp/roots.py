"""A target as an agent names it → a URL or a file below the given folders; anything else is refused."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from urlset.reading.starts import Missing, expand
from urlset.reports.uri import is_address
from urlset.workflows.live.setup import why_not_fetched


class TargetError(ValueError):
    """The target may not be used."""


class Roots:
    """The folders that files may be read from and written to. Without one, only URLs can be named."""

    def __init__(self, folders: Sequence[str | Path] = ()) -> None:
        self.folders = tuple(Path(os.path.realpath(folder)) for folder in folders)

    def admit(self, target: str) -> str:
        """The URL, or the path to open: a file, a folder or a pattern whose files are all below a root."""
        if is_address(target):
            if (why := why_not_fetched(target)) is not None:
                raise TargetError(why)
            return target
        return self.admit_path(target)

    def admit_path(self, target: str) -> str:
        if not self.folders:
            raise TargetError("no folder may be read; start the server with --root DIR")
        path = self._below(target)
        if glob.has_magic(path) and not os.path.lexists(path):
            self._need_files(path)
            return path
        real = os.path.realpath(path)
        if not self._covers(real):
            raise self._outside(target)
        if os.path.isdir(real):  # noqa: PTH112 - a text throughout
            self._need_files(real)
        elif not os.path.isfile(real):  # noqa: PTH113 - a named pipe would never end
            raise TargetError("not a regular file" if os.path.lexists(real) else "no such file")
        return real

    def _below(self, target: str) -> str:
        """Without `..`: what is opened is what was compared."""
        if "\0" in target:
            raise TargetError("a file name cannot contain a zero byte")
        candidates = [os.path.normpath(folder / target) for folder in self.folders]
        inside = [path for path in candidates if self._covers(path)]
        if not inside:
            raise self._outside(target)
        return next((path for path in inside if os.path.lexists(path)), inside[0])

    def _need_files(self, path: str) -> None:
        for found in expand(path):
            if isinstance(found, Missing):
                raise TargetError(found.reason)
            if not self._covers(os.path.realpath(found)):
                raise self._outside(found.name)

    def _covers(self, path: str) -> bool:
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def _outside(self, target: str) -> TargetError:
        return TargetError(f"{target} is outside the folders that may be used: {', '.join(map(str, self.folders))}")
