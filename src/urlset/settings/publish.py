"""The options of `urlset publish` and `urlset publish rollback`."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.building.guard import SHRINK_PERCENT, Guard
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, StrPath, argument, opt
from urlset.settings.groups import RunSettings, TextOrJson
from urlset.storage.store import CACHE_CONTROL

PREVIOUS = "previous"


class PublishSettings(TextOrJson, RunSettings):
    folder: StrPath | None = argument(None, "Folder with the sitemaps", "FOLDER")
    to: str | None = argument(None, "Storage URL: s3://, gs://, az://, file://", "URL")
    index: str = opt("sitemap.xml", "Name of the index", "NAME")
    base_url: str | None = opt(None, "URL that FOLDER is served at", "URL", is_url=True, default="from the index")
    include: tuple[str, ...] = opt((), "Also publish matching files of FOLDER", "PATTERN")
    endpoint: str | None = opt(None, "Endpoint of an S3-compatible store", "URL", is_url=True)
    cache_control: str = opt(CACHE_CONTROL, "Cache-Control header of every object", "TEXT")
    keep: int = opt(10, "Generations to keep for a rollback", least=2)
    lock_seconds: float = opt(600.0, "Time after which a lock expires", "SECONDS", least=1)
    rollback: str | None = opt(None, "Restore a generation: a number, or previous", "N", scope=ONE_RUN)
    purge: str | None = opt(None, "Command that gets changed URLs on stdin", "COMMAND", scope=NOT_IN_FILES)
    dry_run: bool = opt(False, "Show what would change and write nothing", scope=ONE_RUN)
    force: tuple[Guard, ...] = opt((), "Override a safety check", "CHECK", split=True, scope=NOT_IN_FILES)
    shrink_percent: float = opt(
        SHRINK_PERCENT, "Refuse a set that loses more URLs than this", "PERCENT", least=0, most=100
    )

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.rollback is not None and self.rollback != PREVIOUS and not self.rollback.isdecimal():
            yield "rollback", f"{self.rollback!r} is neither a number nor {PREVIOUS!r}"


class RollbackSettings(RunSettings):
    out: StrPath | None = argument(None, "Output folder", "DIR", "the output folder", exists="folder")
    state: StrPath | None = opt(None, "State folder of this output", "DIR", default="one per output in .urlset")
