"""The options of `urlset fix`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.settings.declare import ONE_RUN, StrPath, argument, opt
from urlset.settings.groups import JudgeSettings, RunSettings, TextOrJson
from urlset.spec.page_kinds import KINDS

_OFFSET = re.compile(r"Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00")


def droppable() -> tuple[str, ...]:
    """What --drop can name: judgments of an audit that are removed only on request."""
    return ("soft-404", "thin", *KINDS)


class FixSettings(TextOrJson, JudgeSettings, RunSettings):
    targets: tuple[str, ...] = argument((), "Sitemaps to fix", "FILE|PATTERN|FOLDER...", "a file or a folder")
    diff: bool = opt(False, "Show the changes and write nothing", scope=ONE_RUN, command_only=True)
    unsafe: bool = opt(False, "Also apply fixes that may change the meaning")
    allow_shrink: bool = opt(False, "Allow removing more than half of the entries of a file")
    only: tuple[str, ...] = opt((), "Apply only the fixes of these rules", "RULES", split=True, complete="rules")
    using: StrPath | None = opt(
        None,
        "Apply the results of an audit (needs --unsafe)",
        "AUDIT.json",
        exists="file",
        scope=ONE_RUN,
        command_only=True,
    )
    drop: tuple[str, ...] = opt(
        (),
        "With --using: remove pages of these kinds",
        "KIND",
        split=True,
        choices=droppable,
        scope=ONE_RUN,
        command_only=True,
    )
    timezone: str | None = opt(None, "Offset of times without one, such as +02:00", "OFFSET")
    output: StrPath | None = opt(None, "Write results to DIR, keep the originals", "DIR", short="-o", command_only=True)
    backup: bool = opt(False, "Keep each original as NAME.bak", command_only=True)
    at: str | None = opt(None, "URL of the sitemap file", "URL", is_url=True, scope=ONE_RUN)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.drop and self.using is None:
            yield "drop", "needs --using AUDIT.json"
        if self.timezone is not None and _OFFSET.fullmatch(self.timezone) is None:
            yield "timezone", f"{self.timezone!r} is not an offset like +02:00 or Z"
