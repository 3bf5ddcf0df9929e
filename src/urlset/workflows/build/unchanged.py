"""The inputs of a build → whether they are those of the last one, so its files need not be made again.

For a user who builds every few minutes from a table that changes once a day: 200,000 rows of SQLite, 0.2 s of CPU
against 0.02. "Unchanged" needs evidence: the same settings and version, sources that were not written since, the
published files and the ledger as the last build left them, and nothing that the clock decides. Without it the build is
an ordinary one.
"""

from __future__ import annotations

import hashlib
import re
import time
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset import __version__
from urlset.building.ledger import Ledger
from urlset.building.render import NEWS_AGE
from urlset.building.sources.open import files_of, is_database
from urlset.building.sources.page_memory import is_settled, stamp_of
from urlset.building.sources.source import SourceError
from urlset.building.staging import Staging
from urlset.settings.build import BuildSettings
from urlset.storage.paths import is_stored
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
    news_end: datetime | None = None
    """the earliest end of the dates of news that are listed: from two days later on some are none any more"""

    def save(self, state: Path) -> None:
        write_atomically(state / MEMORY, [msgspec.json.encode(self)], private=True)


def load(state: Path) -> LastInputs | None:
    try:
        return msgspec.json.decode((state / MEMORY).read_bytes(), type=LastInputs)
    except (OSError, msgspec.DecodeError):
        return None


class Inputs(NamedTuple):
    digest: str
    """of everything that decides about the set; of a file its size and times, which no write leaves as they were
    (on Windows a copy that keeps the time of the original does)"""
    files: tuple[tuple[Path, tuple[int, ...]], ...]
    seen: int
    """when, in nanoseconds"""

    def are_the_same(self) -> bool:
        """Whether no file was written since they were looked at, or so shortly before that its times may not tell."""
        try:
            return all(stamp_of(path.stat()) == stamp and is_settled(stamp, self.seen) for path, stamp in self.files)
        except OSError:
            return False


def terms_of(settings: BuildSettings, run: BuildRun, robots: Path | None) -> bytes | None:
    """A hash of all that decides what becomes of any row; None where a program or a lock decides too."""
    if settings.lock is not None or (run.source_map, run.live_robots) != (None, None):
        return None
    beside = dict.fromkeys(("now", "force", "dry_run", "sources", "db"))
    stated = asdict(settings) | beside | {"version": __version__}
    digest = hashlib.blake2b(repr(sorted(stated.items())).encode("utf-8", "surrogateescape"))
    if robots is not None:
        with suppress(OSError):
            digest.update(robots.read_bytes())
    return digest.digest()


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
            found = _asked(spec, settings)
            if found is None:
                return None
            paths += found.files
            digest.update(repr(found.said).encode("utf-8", "surrogateescape"))
        seen = time.time_ns()
        files = tuple((path, stamp_of(path.stat())) for path in paths)
    except OSError:
        return None
    digest.update(repr(files).encode("utf-8", "surrogateescape"))
    return Inputs(digest.hexdigest(), files, seen)


class _Asked(NamedTuple):
    files: list[Path]
    """on disk, whose size and times tell whether rows changed"""
    said: object = None
    """by a database, or by the store that has the files"""


def _asked(spec: str, settings: BuildSettings) -> _Asked | None:
    """Whatever tells whether a source has other rows; None where nothing does.

    Raises SourceError for a query that cannot be answered.
    """
    if is_database(spec) and settings.sql_changed is not None:
        from urlset.building.sources.sql import answer

        said = answer(spec, settings.sql_changed)
        return None if _CLOCK.search(settings.sql or "") else _Asked([], said)
    with suppress(SourceError):  # that is for the build to report
        return _asked_files(spec, settings)
    return None


def _asked_files(spec: str, settings: BuildSettings) -> _Asked | None:
    if is_stored(spec):
        from urlset.storage.files import files_at

        objects = files_at(spec)
        is_all = all(files_of(each, settings.source_kind) for each in objects)
        return _Asked([], [(str(each), each.stat()) for each in objects]) if is_all else None
    if not spec.startswith(_SQLITE):
        files = files_of(Path(spec), settings.source_kind)
        return _Asked(files) if files else None
    path = Path(spec.removeprefix(_SQLITE))
    beside = path.with_name(f"{path.name}-wal")
    depends = _CLOCK.search(settings.sql or "") or (beside.exists() and beside.stat().st_size)
    return None if depends else _Asked([path])


def is_as_left(last: LastInputs, staging: Staging, ledger: Ledger, now: datetime) -> bool:
    """Whether the published files and the ledger are those of that build, and its news are news still."""
    if last.news_end is not None and last.news_end <= (now if now.tzinfo else now.replace(tzinfo=UTC)) - NEWS_AGE:
        return False
    build = ledger.last_build()
    if staging.last is None or build is None or build.id != last.build:
        return False
    remembered = {(shard.name, shard.sha256) for shard in ledger.shards()}
    return remembered == {(file.name, file.sha256) for file in staging.last.shards} and all(
        staging.as_published(file.name) is not None for file in staging.last.files
    )
