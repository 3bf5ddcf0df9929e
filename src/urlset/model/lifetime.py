"""What a page says about the life of its product or event → whether that is over, how sure that is, and why.

Out of stock is not expired: most of it comes back. An event is over when the page says so by its dates, not when it
was postponed or recurs.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import msgspec

from urlset.spec.page_kinds import EXPIRED_PRODUCT, PAST_EVENT

SURELY_OVER = 0.8
"""certainty from which a build that excludes the kind leaves a page out"""
_SOON = 7
_DAY = re.compile(r"\s*(\d{4})-?(\d\d)-?(\d\d)")
_OVER, _OUT = frozenset({"discontinued"}), frozenset({"discontinued", "outofstock", "soldout"})


class Lifetime(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """Of the one product or the events that a page is about."""

    availability: tuple[str, ...] = ()
    """of the offers, lowercase: `instock`, `discontinued`"""
    notice: str = ""
    """the sentence that says it is gone for good"""
    in_heading: bool = False
    """whether that is the title or heading"""
    event_days: tuple[tuple[str, str], ...] = ()
    """start and end of each event, as written"""
    is_reported: bool = False
    """it is also an article, perhaps about what happened"""


class Ended(msgspec.Struct, frozen=True):
    kind: str
    certainty: float
    evidence: str


def ended(lifetime: Lifetime | None, now: datetime) -> Ended | None:
    """None for a page whose product or event is not said to be over."""
    if lifetime is None:
        return None
    return _expired(lifetime) or _past(lifetime, now)


def _expired(page: Lifetime) -> Ended | None:
    stated = frozenset(page.availability)
    if stated and not stated <= _OUT:
        return None  # one offer that can be bought is enough
    said = f"the page says “{page.notice}”" if page.notice else ""
    if stated and stated <= _OVER:
        return Ended(EXPIRED_PRODUCT, 0.95, "every offer is marked Discontinued")
    if stated and said:
        return Ended(EXPIRED_PRODUCT, 0.95, f"no offer is in stock, and {said}")
    if said:
        return Ended(EXPIRED_PRODUCT, 0.85 if page.in_heading else 0.7, said)
    if "soldout" in stated:
        return Ended(EXPIRED_PRODUCT, 0.4, "every offer is marked SoldOut, which may be temporary")
    return Ended(EXPIRED_PRODUCT, 0.3, "every offer is marked OutOfStock, which may be temporary") if stated else None


def _past(page: Lifetime, now: datetime) -> Ended | None:
    if not page.event_days:
        return None
    days = [(_day(end) or _day(start), bool(_day(end))) for start, end in page.event_days]
    latest = max((day for day, _ in days if day is not None), default=None)
    today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date()
    # the day after, an event of another time zone may still go on
    if latest is None or any(day is None for day, _ in days) or (today - latest).days <= 1:
        return None
    has_end = all(ends for _, ends in days)
    certainty = 0.95 if has_end else 0.9 if (today - latest).days > _SOON else 0.6
    if page.is_reported or len(days) > 1:
        certainty = min(certainty, 0.6)
    return Ended(PAST_EVENT, certainty, f"the event {'ended' if has_end else 'began'} on {latest.isoformat()}")


def _day(text: str) -> date | None:
    found = _DAY.match(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
