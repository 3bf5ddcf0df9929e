"""What one look says about one thing, what was known of it before, and the alert that a change becomes."""

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


# One measurement and what was known before → what is known now, and a change where it is confirmed.

ACCEPT_AFTER = timedelta(days=7)
"""a count that stays at its new level for so long is the new normal"""
_TWICE, _MORE = 2, 10
"""a count above an accepted one is a problem if it is twice as high and ten more"""
_MUCH_WORSE = 10
"""an open problem is reported again if its count is ten times what was reported"""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """When a change counts."""

    debounce: timedelta = timedelta(0)
    """a change must be seen again after this time"""
    fall: float = 0.1
    """share of URLs"""
    baseline: bool = False
    """the first complete look: what is found is accepted"""


class KnownCondition(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `conditions`, without its key."""

    state: str
    """`ok` or `bad`; for content, its digest"""
    since: str
    seen: str
    pending: str | None = None
    """another state that was seen and is not confirmed"""
    pending_since: str | None = None
    level: int | None = None
    """of a count: what is accepted"""
    level_at: str | None = None
    sequence: int = 0
    """changes so far: part of the id of an alert"""
    alerted: int = 0
    """whether the open problem was reported; of a count, the highest that was"""
    message: str = ""
    content: str | None = None
    """what the digest in `state` is of"""


class StateChange(msgspec.Struct, frozen=True):
    phase: Phase
    since: str
    """when the problem or the change was first seen; of a recovery, when the problem was"""


def step(
    known: KnownCondition | None, signal: Measurement, now: datetime, rules: Rules
) -> tuple[KnownCondition | None, StateChange | None]:
    """What to keep, and what to report. None stays None as long as nothing is known."""
    if signal.condition is Condition.UNKNOWN:
        return known, None
    at = stamp(now)
    if known is None:
        known = _first(signal, at, baseline=rules.baseline)
        if rules.baseline or signal.digest is not None:
            return known, None
    known = _aged(known, signal, now)
    state = _state(known, signal, rules)
    if state == known.state and not _is_much_worse(known, signal):
        kept = {"seen": at, "pending": None, "pending_since": None, "message": signal.message if state == "bad" else ""}
        return _level(msgspec.structs.replace(known, **kept), signal, now), None
    since = known.pending_since
    if known.pending != state or since is None or moment(since) > now:
        since = at
    known = msgspec.structs.replace(known, seen=at, pending=state, pending_since=since)
    if now - moment(since) < max(rules.debounce, signal.patience):
        return known, None
    return _confirmed(known, state, signal, since, at)


def _first(signal: Measurement, at: str, *, baseline: bool) -> KnownCondition:
    """On the baseline it is accepted as it is; later, a thing that was never met before was fine until now."""
    state = signal.digest or (signal.condition.value if signal.condition and baseline else Condition.OK.value)
    level = None if signal.count is None else signal.count if baseline or signal.trend is Trend.FALL else 0
    return KnownCondition(state=state, since=at, seen=at, level=level, level_at=at, content=signal.content)


def _aged(known: KnownCondition, signal: Measurement, now: datetime) -> KnownCondition:
    """A count that has been wrong for long is accepted, without a message: nothing was repaired."""
    if signal.count is None or known.state != "bad" or now - moment(known.since) < ACCEPT_AFTER:
        return known
    return msgspec.structs.replace(
        known, state="ok", since=stamp(now), level=signal.count, level_at=stamp(now), alerted=0, message=""
    )


def _state(known: KnownCondition, signal: Measurement, rules: Rules) -> str:
    if signal.digest is not None:
        return signal.digest
    if signal.count is None:
        assert signal.condition is not None
        return signal.condition.value
    level, count = known.level or 0, signal.count
    if signal.trend is Trend.FALL:
        return "bad" if count < level * (1 - rules.fall) else "ok"
    if known.state == "bad":
        return "bad" if count > level else "ok"
    return "bad" if count > level and (not level or (count >= _TWICE * level and count >= level + _MORE)) else "ok"


def _is_much_worse(known: KnownCondition, signal: Measurement) -> bool:
    if signal.count is None or signal.trend is Trend.FALL or known.state != "bad" or not known.alerted:
        return False
    return signal.count >= _MUCH_WORSE * known.alerted


def _level(known: KnownCondition, signal: Measurement, now: datetime) -> KnownCondition:
    """The accepted count follows one that gets better at once, and a small fall of URLs after a while."""
    if signal.count is None or known.state == "bad":
        return known
    better = signal.count <= (known.level or 0) if signal.trend is Trend.RISE else signal.count >= (known.level or 0)
    old = known.level_at is None or now - moment(known.level_at) >= ACCEPT_AFTER
    if not better and not (old and signal.trend is Trend.FALL):
        return known
    return msgspec.structs.replace(known, level=signal.count, level_at=stamp(now))


def _confirmed(
    known: KnownCondition, state: str, signal: Measurement, since: str, at: str
) -> tuple[KnownCondition, StateChange | None]:
    bad = state == "bad" and signal.digest is None
    changed = msgspec.structs.replace(
        known,
        state=state,
        since=known.since if state == known.state else since,  # it became worse
        pending=None,
        pending_since=None,
        sequence=known.sequence + 1,
        alerted=max(1, signal.count or 1) if bad else 0,
        message=signal.message if bad else "",
        content=signal.content,
    )
    if signal.digest is not None:
        return changed, StateChange(Phase.CHANGE, since)
    if bad:
        return changed, StateChange(Phase.PROBLEM, since)
    if signal.count is not None:
        better = min if signal.trend is Trend.RISE else max
        changed = msgspec.structs.replace(changed, level=better(signal.count, known.level or 0), level_at=at)
    return changed, StateChange(Phase.RECOVERY, known.since) if known.alerted else None
