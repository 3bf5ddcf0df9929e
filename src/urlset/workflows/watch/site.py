"""One watched site: its address, its jobs with their schedules, and how it is looked at."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from urlset.settings.groups import JudgeSettings
from urlset.watching.schedule import Schedule
from urlset.watching.signals import AlertKind
from urlset.watching.store import WatchStore
from urlset.watching.tracker import KnownCondition
from urlset.web.options import WebOptions


class JobKind(StrEnum):
    """In the order in which jobs that are due at the same time run: a snapshot keeps what an audit found."""

    CHECK = "check"
    AUDIT = "audit"
    SNAPSHOT = "snapshot"
    ENGINES = "engines"


class WatchedSite(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    schedules: dict[JobKind, Schedule]
    judge: JudgeSettings
    web: WebOptions
    max_files: int
    pages_per_day: int
    keep: str
    property: str | None = None
    always: frozenset[JobKind] = frozenset()
    """jobs that --once runs each time, because nothing says when they are due"""


class Look(msgspec.Struct, frozen=True):
    """What every job gets: the site, what is known, where state is kept, and the time."""

    site: WatchedSite
    kind: JobKind
    store: WatchStore
    state: Path
    now: datetime

    def known(self, kind: AlertKind, subject: str) -> KnownCondition | None:
        """What this job knows of it; each job has its own conditions."""
        return self.store.known(self.site.url, self.kind, kind, subject)

    def subjects(self, kind: AlertKind) -> list[str]:
        return self.store.subjects(self.site.url, self.kind, kind)
