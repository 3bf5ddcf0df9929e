"""The inputs of a build → whether they are those of the last one, so its files need not be made again.

For a user who builds every few minutes from a table that changes once a day: 200,000 rows of SQLite, 0.2 s of CPU
against 0.02. "Unchanged" needs evidence: the same settings, version and bytes of every source, the published files
and the ledger as the last build left them, and nothing that the clock decides. Without it the build is an ordinary one.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset import __version__
from urlset.building.ledger import Ledger
from urlset.building.sources.open import files_of
from urlset.building.sources.source import SourceError
from urlset.building.staging import Staging
from urlset.settings.build import BuildSettings
from urlset.workflows.build.result import BuildRun
from urlset.writing.files import write_atomically

MEMORY = "unchanged.json"
_SQLITE = "sqlite:///"
_CLOCK = re.compile(r"now|current|random|date\s*\(|time\s*\(|julianday|unixepoch|changes|last_insert", re.IGNORECASE)
"""in a query that may give other rows of the same file"""


class LastInputs(msgspec.Struct, frozen=True):
    """What a build was made of, and what it said about rows."""

    inputs: str
    build: int
    """its number in the ledger"""
    dated: dict[str, int]
    left_out: dict[str, int]
    examples: dict[str, str]
    notes: tuple[str, ...]

    def save(self, state: Path) -> None:
        write_atomically(state / MEMORY, [msgspec.json.encode(self)], private=True)


def load(state: Path) -> LastInputs | None:
    try:
        return msgspec.json.decode((state / MEMORY).read_bytes(), type=LastInputs)
    except (OSError, msgspec.DecodeError):
        return None


class Inputs(NamedTuple):
    digest: str
    """of everything that decides about the set"""
    files: tuple[tuple[Path, tuple[int, ...]], ...]

    def are_the_same(self) -> bool:
        """Whether no file was written since they were looked at."""
        try:
            return all(_stamp(path) == stamp for path, stamp in self.files)
        except OSError:
            return False


def inputs_of(settings: BuildSettings, run: BuildRun) -> Inputs | None:
    """None where some of them cannot be known beforehand."""
    made_anew = settings.human_view or settings.feed or settings.llms or settings.dry_run or settings.force
    if (
        made_anew
        or settings.state is None
        or run != BuildRun(stdin=run.stdin, workers=run.workers, on_left_out=run.on_left_out)
    ):
        return None
    stated = asdict(settings) | {"now": None, "version": __version__}
    digest = hashlib.sha256(repr(sorted(stated.items())).encode("utf-8", "surrogateescape"))
    paths = [] if settings.robots_file is None else [settings.robots_file]
    try:
        for spec in settings.all_sources:
            if spec.startswith(_SQLITE):
                found = [Path(spec.removeprefix(_SQLITE))]
                beside = found[0].with_name(f"{found[0].name}-wal")
                if _CLOCK.search(settings.sql or "") or (beside.exists() and beside.stat().st_size):
                    return None
            else:
                found = files_of(Path(spec), settings.source_kind)
                if not found:
                    return None
            paths += found
        files = tuple((path, _stamp(path)) for path in paths)
        for path in paths:
            digest.update(os.fsencode(path))
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except (OSError, SourceError):
        return None
    return Inputs(digest.hexdigest(), files)


def _stamp(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def is_as_left(last: LastInputs, staging: Staging, ledger: Ledger) -> bool:
    """Whether the published files and the ledger are those of that build."""
    build = ledger.last_build()
    if staging.last is None or build is None or build.id != last.build:
        return False
    remembered = {(shard.name, shard.sha256) for shard in ledger.shards()}
    return remembered == {(file.name, file.sha256) for file in staging.last.shards} and all(
        staging.as_published(file.name) is not None for file in staging.last.files
    )
