"""What one look says about one thing, and the alert that a change of it becomes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec

from urlset.findings.card import Severity


class AlertKind(StrEnum):
    """What an alert is about."""

    SITEMAP_MISSING = "sitemap-missing"
    URLS_FELL = "urls-fell"
    NEW_ERRORS = "new-errors"
    NOINDEX = "noindex"
    DATES = "dates"
    NOT_READ = "not-read"
    CERTIFICATE = "certificate"
    CERTIFICATE_CHANGED = "certificate-changed"
    ROBOTS_CHANGED = "robots-changed"
    NOT_SEEN = "not-seen"


class Phase(StrEnum):
    PROBLEM = "problem"
    RECOVERY = "recovery"
    CHANGE = "change"
    """something is different, which may be intended"""


class Condition(StrEnum):
    OK = "ok"
    BAD = "bad"
    UNKNOWN = "unknown"
    """it could not be found out: blocked is not broken"""


class Trend(StrEnum):
    """Which direction of a count is a problem."""

    RISE = "rise"
    FALL = "fall"


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One of `condition`, `digest` and `count` says how the thing is; UNKNOWN overrides the other two."""

    kind: AlertKind
    subject: str
    """a URL, or the code of a rule"""
    condition: Condition | None = None
    digest: str | None = None
    """of content, each change of which is reported"""
    count: int | None = None
    trend: Trend = Trend.RISE
    severity: Severity = Severity.ERROR
    message: str = ""
    """what is wrong or different; a recovery has its own"""
    recovered: str = ""
    patience: timedelta = timedelta(0)
    """how long it must last at least, where that is more than for others"""
    content: str | None = None
    """what the digest is of, to show what changed"""
    details: dict[str, Any] = {}


class Alert(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One change, as it is stored and sent."""

    id: str
    """the same on every delivery: receivers can drop a repeated one"""
    site: str
    kind: AlertKind
    phase: Phase
    severity: Severity
    subject: str
    message: str
    at: str
    """when it was confirmed, UTC"""
    since: str
    """when the problem or the change was first seen, UTC; of a recovery, when the problem was"""
    details: dict[str, Any] = {}


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC with seconds: sorts as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
