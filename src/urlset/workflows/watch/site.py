"""One watched site: its address, its jobs with their schedules, and how it is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import msgspec

from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.findings.verdict import Verdict
from urlset.settings.groups import JudgeSettings
from urlset.watching.schedule import Schedule
from urlset.watching.signals import AlertKind, Measurement
from urlset.watching.store import LookResult, WatchStore
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


# Findings of one look → a signal for each rule whose count may have changed: new errors, and dates gone wrong.

_DATES = ("D", "Q020")
"""rules on lastmod, and the one on dates that move without a change"""


def finding_signals(ask: Look, verdict: Verdict, counts: Counter[str], *, complete: bool) -> Iterator[Measurement]:
    """New errors and wrong dates by rule. What was not looked at cannot have been solved."""
    examples: dict[str, Finding] = {}
    for finding in verdict.findings:
        examples.setdefault(finding.code, finding)
    wanted = {code: kind for code, finding in examples.items() if (kind := _kind_of(finding)) and counts[code]}
    for kind in (AlertKind.NEW_ERRORS, AlertKind.DATES):
        for code in ask.subjects(kind):
            if code in verdict.cards:
                wanted.setdefault(code, kind)
    for code, kind in wanted.items():
        known = ask.known(kind, code)
        count = counts[code]
        if not complete and count <= ((known.level or 0) if known is not None else 0):
            continue
        yield _finding(kind, code, count, examples.get(code))


def _kind_of(finding: Finding) -> AlertKind | None:
    if finding.code.startswith(_DATES) and (finding.severity.at_least(Severity.WARNING) or finding.code in _DATES):
        return AlertKind.DATES
    return AlertKind.NEW_ERRORS if finding.severity is Severity.ERROR else None


def _finding(kind: AlertKind, code: str, count: int, example: Finding | None) -> Measurement:
    name = example.name if example is not None else code
    times = "1 finding" if count == 1 else f"{count:,} findings"
    shown = {} if example is None else {"example": example.message, "where": example.subject or example.source}
    return Measurement(
        kind=kind,
        subject=code,
        count=count,
        severity=example.severity if example is not None else Severity.ERROR,
        message=f"{code} {name}: {times}",
        recovered=f"{code} is solved" if not count else f"{code} is back to {times}",
        details={"rule": code, "name": name, "count": count, **shown},
    )


# The kind of a job → the function that does it, loaded when it is needed.


def look_at(kind: JobKind, ask: Look) -> LookResult:
    """One run of a job, `check_look.look` and so on; raises what the job raises."""
    found: LookResult = import_module(f"urlset.workflows.watch.{kind}_look").look(ask)
    return found
