"""Counts → charts as plain values: bars, a stacked bar, a line; templates/charts.html draws them as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from urlset.reports.wording import percent

_THINNEST = 0.8
"""percent of a bar, to keep a single page of a million visible"""


class ChartBar(msgspec.Struct, frozen=True):
    label: str
    count: int
    share: str
    """of all"""
    width: str
    """of the longest, in percent"""
    shape: str = ""
    """the CSS class of its color"""
    value: str = ""
    """the value of the filter that shows what it counts; empty if there is none"""


class BarChart(msgspec.Struct, frozen=True):
    """A table with a bar in each row."""

    title: str
    bars: tuple[ChartBar, ...]
    filter: str = ""
    """the column of the interactive table that its bars filter"""
    note: str = ""
    head: tuple[str, str] = ("value", "pages")


class Piece(msgspec.Struct, frozen=True):
    label: str
    count: int
    share: str
    shape: str
    x: str
    width: str


class Stack(msgspec.Struct, frozen=True):
    """Shares of a whole in one bar."""

    label: str
    """everything it shows, in words"""
    pieces: tuple[Piece, ...]


class Dot(msgspec.Struct, frozen=True):
    x: str
    y: str
    label: str


class ChartLine(msgspec.Struct, frozen=True):
    width: int
    height: int
    points: str
    area: str
    dots: tuple[Dot, ...]
    label: str
    top: str


def bars(
    title: str,
    counts: Iterable[tuple[str, int]],
    *,
    most: int = 12,
    filter: str = "",  # noqa: A002 - the word for it
    shapes: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    note: str = "",
    head: tuple[str, str] = ("value", "pages"),
) -> BarChart:
    """In the given order; what is beyond `most` is added up. `names` are shown instead of values."""
    found = [(label, count) for label, count in counts if count]
    total = sum(count for _, count in found)
    shown, rest = found[:most], found[most:]
    longest = max((count for _, count in shown), default=1)
    made = [
        ChartBar(
            (names or {}).get(label, label),
            count,
            percent(count / total),
            f"{max(_THINNEST, 100 * count / longest):.2f}",
            (shapes or {}).get(label, ""),
            label if filter else "",
        )
        for label, count in shown
    ]
    if rest:
        left = sum(count for _, count in rest)
        width = f"{max(_THINNEST, min(100.0, 100 * left / longest)):.2f}"
        made.append(ChartBar(f"{len(rest):,} others", left, percent(left / total), width, "rest"))
    return BarChart(title, tuple(made), filter, note, head)


def stack(counts: Iterable[tuple[str, int, str]]) -> Stack:
    """Label, count, and CSS class of each piece; none is too thin to be seen."""
    found = [each for each in counts if each[1]]
    total = sum(count for _, count, _ in found)
    widths = [max(_THINNEST, 100 * count / total) for _, count, _ in found]
    scale = 100 / sum(widths) if widths else 1.0
    gap = 0.2 if len(widths) > 1 else 0.0
    pieces, left = [], 0.0
    for (label, count, shape), width in zip(found, widths, strict=True):
        place, room = f"{left:.2f}", f"{width * scale - gap:.2f}"
        pieces.append(Piece(label, count, percent(count / total), shape, place, room))
        left += width * scale
    return Stack(", ".join(f"{count:,} {label}" for label, count, _ in found), tuple(pieces))


def line(
    points: Sequence[tuple[str, int]], *, noun: str, width: int = 640, height: int = 160, edge: int = 8
) -> ChartLine:
    """From point to point, with nothing at the bottom and the largest number at the top."""
    most = max(1, *(count for _, count in points)) if points else 1
    step = (width - 2 * edge) / max(1, len(points) - 1)
    places = [
        (f"{edge + step * number:.1f}", f"{height - edge - (height - 2 * edge) * count / most:.1f}")
        for number, (_, count) in enumerate(points)
    ]
    dots = [Dot(x, y, f"{name}: {count:,} {noun}") for (name, count), (x, y) in zip(points, places, strict=True)]
    through = " ".join(f"{x},{y}" for x, y in places)
    area = f"{places[0][0]},{height} {through} {places[-1][0]},{height}" if places else ""
    label = ""
    if points:
        (first, start), (last, end) = points[0], points[-1]
        label = f"{start:,} {noun} on {first[:10]}, {end:,} on {last[:10]}"
    return ChartLine(width, height, through, area, tuple(dots), label, f"{most:,}")
