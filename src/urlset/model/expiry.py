"""The value of unavailable_after → whether that moment has passed, wherever on earth it was meant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from urlset.model.moment import Moment

_WEST = timezone(timedelta(hours=-12))


def expired(text: str, now: datetime) -> bool:
    """RFC 822, RFC 850 and ISO 8601, in any letter case; False where the text cannot be understood."""
    end = _end(text)
    return end is not None and end <= now


def _end(text: str) -> datetime | None:
    interval = Moment.parse(text.upper()).certain_interval()
    if interval is not None:
        return interval[1]
    from email.utils import mktime_tz, parsedate_tz  # brings sockets along, for a rare date format

    parsed = parsedate_tz(text)
    if parsed is None:
        return None
    try:
        anywhere = datetime(*parsed[:6], tzinfo=_WEST)  # refuses the 31st of February, which mktime_tz does not
        return anywhere if parsed[9] is None else datetime.fromtimestamp(mktime_tz(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None
