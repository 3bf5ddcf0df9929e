"""The lastmod texts of a document → how many there are, how legal they are, and how they spread over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from urlset.model.moment import Moment
from urlset.workflows.info.description import Bar, Dates

_DAYS_SHOWN = 12
_MONTHS_SHOWN = 13
_BARS_SHOWN = 13


def describe_dates(texts: Iterable[str | None]) -> Dates:
    counts = Counter(text for text in texts if text is not None)
    moments = {text: Moment.parse(text) for text in counts}
    starts: Counter[datetime] = Counter()
    named: dict[datetime, str] = {}
    for text, moment in moments.items():
        covered = moment.interval()
        if covered is not None:
            starts[covered[0]] += counts[text]
            named.setdefault(covered[0], moment.text)
    present = counts.total()
    illegal = sum(counts[text] for text, moment in moments.items() if not moment.w3c_valid)
    if not starts:
        return Dates(present, illegal, not_understood=present)
    first, last = min(starts), max(starts)
    unit = _unit(first, last)
    return Dates(
        present,
        illegal,
        not_understood=present - starts.total(),
        oldest=named[first],
        newest=named[last],
        unit=unit,
        histogram=_histogram(starts, unit),
    )


def _unit(first: datetime, last: datetime) -> str:
    if (last.date() - first.date()).days < _DAYS_SHOWN:
        return "day"
    months = (last.year - first.year) * 12 + last.month - first.month
    return "month" if months < _MONTHS_SHOWN else "year"


def _histogram(starts: Counter[datetime], unit: str) -> tuple[Bar, ...]:
    """A bar for each day, month or year from the first to the last, also where nothing happened."""
    counts: Counter[str] = Counter()
    for start, count in starts.items():
        counts[_label(start.date(), unit)] += count
    labels = _labels(min(starts).date(), max(starts).date(), unit)
    bars = [Bar(label, counts[label]) for label in labels]
    if len(bars) <= _BARS_SHOWN:
        return tuple(bars)
    # a date of the year 1 must not cost two thousand lines
    cut = len(bars) - _BARS_SHOWN
    earlier = Bar(f"before {bars[cut].label}", sum(bar.count for bar in bars[:cut]))
    return (earlier, *bars[cut:])


def _label(day: date, unit: str) -> str:
    return {"day": f"{day}", "month": f"{day.year:04d}-{day.month:02d}", "year": f"{day.year:04d}"}[unit]


def _labels(first: date, last: date, unit: str) -> list[str]:
    if unit == "year":
        return [f"{year:04d}" for year in range(first.year, last.year + 1)]
    days = (first + timedelta(days) for days in range((last - first).days + 1))
    return list(dict.fromkeys(_label(day, unit) for day in days))
