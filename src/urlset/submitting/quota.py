"""Moments → Google's quota day; properties and a day → inspections left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY
from urlset.spec.submission import QUOTA_ZONE
from urlset.submitting.store import EngineStore


def quota_day(now: datetime) -> str:
    """Google's quotas start anew at midnight Pacific time."""
    try:
        zone: ZoneInfo | timezone = ZoneInfo(QUOTA_ZONE)
    except ZoneInfoNotFoundError:  # no time zone data on this machine: standard time is at most an hour off
        zone = timezone(timedelta(hours=-8))
    return now.astimezone(UTC).astimezone(zone).date().isoformat()


def left_today(store: EngineStore, name: str, now: datetime, most: int = GSC_INSPECTIONS_PER_DAY) -> int:
    used, exhausted = store.quota(name, quota_day(now))
    return 0 if exhausted else max(0, most - used)
