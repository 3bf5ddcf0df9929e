"""`keep 7 daily, 4 weekly, 12 monthly` and the times of snapshots → which of them stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec

_PART = re.compile(r"(\d{1,6})\s+(hourly|daily|weekly|monthly|yearly|latest)")
_PERIODS: dict[str, Callable[[datetime], object]] = {
    "latest": lambda moment: moment,
    "hourly": lambda moment: (moment.date(), moment.hour),
    "daily": lambda moment: moment.date(),
    "weekly": lambda moment: moment.isocalendar()[:2],
    "monthly": lambda moment: (moment.year, moment.month),
    "yearly": lambda moment: moment.year,
}
DEFAULT = "keep 7 daily, 4 weekly, 12 monthly"
EVERYTHING = "keep all"
RECENT = timedelta(days=1)


class Retention(msgspec.Struct, frozen=True):
    """How many periods of each length keep their last snapshot. Those of the last day always stay."""

    keep: tuple[tuple[str, int], ...]
    everything: bool = False

    @classmethod
    def parse(cls, text: str) -> Retention:
        """Raises ValueError."""
        words = text.strip().lower().removeprefix("keep").strip()
        if words == "all":
            return cls((), everything=True)
        parts = [_PART.fullmatch(each.strip()) for each in words.split(",")]
        keep = tuple((found[2], int(found[1])) for found in parts if found is not None)
        if not keep or len(keep) != len(parts):
            raise ValueError(f"{text!r} is not a policy like {DEFAULT!r} or {EVERYTHING!r}")
        return cls(keep)

    def kept(self, moments: Sequence[datetime]) -> set[datetime]:
        """The last snapshot of each of the latest periods that have one."""
        newest_first = sorted(moments, reverse=True)
        if self.everything:
            return set(newest_first)
        kept = {moment for moment in newest_first if newest_first[0] - moment < RECENT}
        for period, count in self.keep:
            last: dict[object, datetime] = {}
            for moment in newest_first:
                last.setdefault(_PERIODS[period](moment), moment)
            kept.update(list(last.values())[:count])
        return kept
