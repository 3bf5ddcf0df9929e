"""The options of `urlset publish` and `urlset publish rollback`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from urlset.building.guard import SHRINK_PERCENT, Guard
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Opt, StrPath
from urlset.settings.groups import RunSettings, TextOrJson
from urlset.storage.store import CACHE_CONTROL

PREVIOUS = "previous"


class PublishSettings(TextOrJson, RunSettings):
    folder: Annotated[StrPath | None, Opt("Folder with the sitemaps", "FOLDER", positional=True)] = None
    to: Annotated[str | None, Opt("Storage URL: s3://, gs://, az://, file://", "URL", positional=True)] = None
    index: Annotated[str, Opt("Name of the index", "NAME")] = "sitemap.xml"
    base_url: Annotated[
        str | None, Opt("URL that FOLDER is served at", "URL", is_url=True, default="from the index")
    ] = None
    include: Annotated[tuple[str, ...], Opt("Also publish matching files of FOLDER", "PATTERN")] = ()
    endpoint: Annotated[str | None, Opt("Endpoint of an S3-compatible store", "URL", is_url=True)] = None
    cache_control: Annotated[str, Opt("Cache-Control header of every object", "TEXT")] = CACHE_CONTROL
    keep: Annotated[int, Opt("Generations to keep for a rollback", least=2)] = 10
    lock_seconds: Annotated[float, Opt("Time after which a lock expires", "SECONDS", least=1)] = 600.0
    rollback: Annotated[str | None, Opt("Restore a generation: a number, or previous", "N", scope=ONE_RUN)] = None
    purge: Annotated[str | None, Opt("Command that gets changed URLs on stdin", "COMMAND", scope=NOT_IN_FILES)] = None
    dry_run: Annotated[bool, Opt("Show what would change and write nothing", scope=ONE_RUN)] = False
    force: Annotated[tuple[Guard, ...], Opt("Override a safety check", "CHECK", split=True, scope=NOT_IN_FILES)] = ()
    shrink_percent: Annotated[
        float, Opt("Refuse a set that loses more URLs than this", "PERCENT", least=0, most=100)
    ] = SHRINK_PERCENT

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.rollback is not None and self.rollback != PREVIOUS and not self.rollback.isdecimal():
            yield "rollback", f"{self.rollback!r} is neither a number nor {PREVIOUS!r}"


class RollbackSettings(RunSettings):
    out: Annotated[
        StrPath | None, Opt("Output folder", "DIR", positional=True, exists="folder", required="the output folder")
    ] = None
    state: Annotated[StrPath | None, Opt("State folder of this output", "DIR", default="one per output in .urlset")] = (
        None
    )
