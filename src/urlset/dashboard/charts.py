"""Numbers over time → the geometry of an inline SVG chart: lines, areas, bars, grid and labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from typing import Any

import msgspec

WIDTH, HEIGHT = 640, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 12, 30
_GRID = 4
_DAYS_SHOWN, _TIMES_SHOWN = 6, 3
_DAY = len("2026-11-15")


class TrendLine(msgspec.Struct, frozen=True):
    name: str
    values: Sequence[float | None]
    """one per moment; None where unknown"""
    color: str = "one"
    """a class of the style sheet"""
    area: bool = False


class HoverMark(msgspec.Struct, frozen=True):
    """One moment: the column to hover over, and what it says."""

    x: float
    width: float
    text: str
    link: str = ""


class Drawn(msgspec.Struct, frozen=True):
    name: str
    color: str
    path: str
    area: str
    dots: tuple[tuple[float, float], ...]
    last: str


class Chart(msgspec.Struct, frozen=True):
    title: str
    label: str
    """the same in words, for screen readers"""
    lines: tuple[Drawn, ...]
    grid: tuple[tuple[float, str], ...]
    """y and its number"""
    days: tuple[tuple[float, str], ...]
    marks: tuple[HoverMark, ...]
    flags: tuple[tuple[float, str], ...]
    """x and tone of moments at which something happened"""
    zero: float
    bars: tuple[tuple[float, float, float, float, str], ...] = ()
    """x, y, width, height, class"""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT


class ChartDay(msgspec.Struct, frozen=True):
    day: str
    """with a time where there are several of that day"""
    link: str = ""
    tone: str = ""
    """`bad`, `good` or `plain` where something happened; empty otherwise"""
    event: str = ""
    """what happened"""


def line_chart(title: str, moments: Sequence[ChartDay], lines: Sequence[TrendLine], *, share: bool = False) -> Chart:
    """`share`: values are from 0 to 1 and shown as percentages."""
    known = [value for line in lines for value in line.values if value is not None]
    low, high, step = (0.0, 1.0, 0.25) if share else _scale(known)
    place, said = _Places(len(moments), low, high), _percent if share else _number
    return _chart(
        title,
        moments,
        lines,
        place,
        said,
        lines=tuple(_drawn(line, place, said) for line in lines),
        grid=tuple((place.y(value), said(value)) for value in _steps(low, high, step)),
        zero=place.y(low),
    )


def churn_chart(title: str, moments: Sequence[ChartDay], up: TrendLine, down: TrendLine) -> Chart:
    """Bars above and below a line: what came and what went."""
    most = max([1.0, *(value or 0 for line in (up, down) for value in line.values)])
    low, high, step = _scale([0.0, most])
    place = _Places(len(moments), -high if any(down.values) else low, high)
    wide = max(2.0, place.column * 0.62)
    bars = []
    for line, sign in ((up, 1), (down, -1)):
        for number, value in enumerate(line.values):
            if value:
                top, bottom = place.y(max(0.0, sign * value)), place.y(min(0.0, sign * value))
                bars.append(
                    (round(place.x(number) - wide / 2, 1), top, round(wide, 1), round(bottom - top, 1), line.color)
                )
    shown = _steps(0, high, step if not any(down.values) else high / 2)
    values = sorted({*shown, *(-value for value in shown if any(down.values))})
    return _chart(
        title,
        moments,
        (up, down),
        place,
        _number,
        lines=tuple(Drawn(line.name, line.color, "", "", (), "") for line in (up, down)),
        bars=tuple(bars),
        grid=tuple((place.y(value), _number(abs(value))) for value in values),
        zero=place.y(0),
    )


def _chart(
    title: str,
    moments: Sequence[ChartDay],
    trends: Sequence[TrendLine],
    place: _Places,
    said: Callable[[float], str],
    **drawn: Any,
) -> Chart:
    """What both kinds have: days, events, a column for each moment, and everything in words."""
    # fewer days where several are of one, because their times are shown too
    timed = any(len(each.day) > _DAY for each in moments)
    every = max(1, ceil(len(moments) / (_TIMES_SHOWN if timed else _DAYS_SHOWN)))
    marks, parts = [], []
    for number, moment in enumerate(moments):
        values = [f"{it.name} {said(value)}" for it in trends if (value := it.values[number]) is not None]
        text = f"{moment.day}: {', '.join(values) or 'unknown'}{f' ({moment.event})' if moment.event else ''}"
        marks.append(HoverMark(round(place.x(number) - place.column / 2, 1), round(place.column, 1), text, moment.link))
    for line in trends:
        known = [(moment.day, value) for moment, value in zip(moments, line.values, strict=True) if value is not None]
        if known:
            (start, first), (end, last) = known[0], known[-1]
            parts.append(f"{line.name} from {said(first)} on {start} to {said(last)} on {end}")
    return Chart(
        title=title,
        label=f"{title}: {'; '.join(parts) or 'nothing known'}",
        days=tuple((place.x(number), each.day[5:]) for number, each in enumerate(moments) if number % every == 0),
        marks=tuple(marks),
        flags=tuple((place.x(number), each.tone) for number, each in enumerate(moments) if each.tone),
        **drawn,
    )


def spark(values: Sequence[float], width: int = 120, height: int = 28, *, flat: bool = True) -> str:
    """The points of a small line without axes; `flat` starts at nothing, else at the least value."""
    least = 0.0 if flat else min(values, default=0.0)
    most = max(max(values, default=0.0), least + 1)
    step = (width - 4) / max(1, len(values) - 1)
    return " ".join(
        f"{2 + step * number:.1f},{height - 2 - (height - 4) * (value - least) / (most - least):.1f}"
        for number, value in enumerate(values)
    )


class _Places:
    def __init__(self, count: int, low: float, high: float) -> None:
        self._low, self._span = low, (high - low) or 1
        self.column = (WIDTH - _LEFT - _RIGHT) / max(1, count)

    def x(self, number: int) -> float:
        return round(_LEFT + self.column * (number + 0.5), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value - self._low) / self._span, 1)


def _scale(values: Sequence[float]) -> tuple[float, float, float]:
    """Low, high and step; from nothing, unless that would flatten all that moves."""
    high, low = max(values, default=1.0) or 1.0, min(values, default=0.0)
    start = low - (high - low) if low > 0 and (high - low) < 0.5 * high else 0.0
    start = max(0.0, start if high > low else low * 0.5)
    raw = (high - start) / _GRID or 1.0
    power = 10.0 ** floor(log10(raw))
    step = max(1.0, next(each for each in (power, 2 * power, 2.5 * power, 5 * power, 10 * power) if each >= raw))
    return floor(start / step) * step, ceil(high / step) * step, step


def _steps(low: float, high: float, step: float) -> list[float]:
    return [low + step * number for number in range(round((high - low) / step) + 1)]


def _drawn(line: TrendLine, place: _Places, said: Callable[[float], str]) -> Drawn:
    dots = [(place.x(number), place.y(value)) for number, value in enumerate(line.values) if value is not None]
    path = " ".join(f"{'L' if number else 'M'}{x} {y}" for number, (x, y) in enumerate(dots))
    floor_y = HEIGHT - _BOTTOM
    area = f"{path} L{dots[-1][0]} {floor_y} L{dots[0][0]} {floor_y} Z" if line.area and len(dots) > 1 else ""
    last = next((value for value in reversed(line.values) if value is not None), None)
    shown = tuple(dots) if len(dots) == 1 else tuple(dots[-1:])
    return Drawn(line.name, line.color, path, area, shown, "" if last is None else said(last))


def _percent(value: float) -> str:
    return f"{value:.0%}"


def _number(value: float) -> str:
    if value >= 10_000_000:
        return f"{value / 1_000_000:,.0f} M"
    if value >= 1_000_000:
        return f"{value / 1_000_000:,.1f} M"
    return f"{value:,.0f}"
