"""Counts → charts as plain values: bars, a stacked bar, a line; templates/charts.html draws them as SVG."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from urlset.auditing.sections import depth_of, first_folder
from urlset.model.moment import Moment
from urlset.model.visit import State
from urlset.reports.wording import percent
from urlset.spec.engines import ENGINES, Engine

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
    return BarChart(title, tuple(made), filter, head)


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


# Pages → what the charts show: sections, status codes, ages of lastmod, depths, and totals by sitemap and engine.

SHAPES = {
    State.OK: "ok",
    State.REDIRECTED: "redirected",
    State.GONE: "gone",
    State.ERROR: "failed",
    State.LOGIN: "login",
    State.BLOCKED: "blocked",
    State.UNKNOWN: "unknown",
}
"""state → the CSS class with its color; `error` is the class of a severity"""
_OTHER = "other sections"
_MOST_SECTIONS = 2_000
_MOST_REASONS = 2_000
_MOST_DATES = 10_000
"""remembered: most sites use few"""
_NO_RESPONSE = "no response"
_AGES = (
    (7, "up to 7 days"),
    (30, "8 to 30 days"),
    (182, "1 to 6 months"),
    (365, "6 to 12 months"),
    (730, "1 to 2 years"),
    (1826, "2 to 5 years"),
)
_OLDER, _AHEAD, _NO_DATE, _BAD_DATE = "over 5 years", "in the future", "no lastmod", "invalid date"
_AGE_ORDER = (_AHEAD, *(label for _, label in _AGES), _OLDER, _BAD_DATE, _NO_DATE)
_STATUS_SHAPES = {"2": "ok", "3": "redirected", "4": "gone", "5": "failed"}
YES, NO, UNKNOWN = "yes", "no", "unknown"
ABLE: dict[bool | None, str] = {True: YES, False: NO, None: UNKNOWN}


class SitemapTotals(msgspec.Struct):
    """One sitemap and the pages that it was the first to list."""

    source: str
    states: Counter[State]
    indexable: int = 0
    problems: int = 0
    newest: str = ""

    @property
    def pages(self) -> int:
        return self.states.total()


class EngineTotals(NamedTuple):
    engine: str
    title: str
    indexable: int
    not_indexable: int
    unknown: int
    reasons: tuple[tuple[str, int], ...]


class PageNumbers:
    """Counts while pages pass by; memory is bounded by the number of sitemaps."""

    def __init__(self, now: datetime | None) -> None:
        self._now = now or datetime.now(UTC)
        self._age_of = lru_cache(_MOST_DATES)(self._age)
        self.sections: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.ages: Counter[str] = Counter()
        self.depths: Counter[int] = Counter()
        self.indexable = 0
        self.problems = 0
        self._sitemaps: dict[str, SitemapTotals] = {}
        self._engines: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._reasons: Counter[str] = Counter()

    def section(self, url: str) -> str:
        """Counted; sites with thousands of them have the rest under one name."""
        section = first_folder(url)
        if section not in self.sections and len(self.sections) >= _MOST_SECTIONS:
            section = _OTHER
        self.sections[section] += 1
        return section

    def status(self, status: int | None) -> str:
        text = _NO_RESPONSE if status is None else str(status)
        self.statuses[text] += 1
        return text

    def age(self, lastmod: str | None) -> str:
        text = self._age_of(lastmod)
        self.ages[text] += 1
        return text

    def depth(self, url: str) -> int:
        depth = depth_of(url)
        self.depths[depth] += 1
        return depth

    def listed(self, source: str, state: State, lastmod: str | None, *, able: bool, problem: bool) -> None:
        sitemap = self._sitemaps.setdefault(source, SitemapTotals(source, Counter()))
        sitemap.states[state] += 1
        sitemap.indexable += able
        sitemap.problems += problem
        sitemap.newest = max(sitemap.newest, lastmod or "")
        self.indexable += able
        self.problems += problem

    def engines(self, indexable: Mapping[str, bool | None], reasons: tuple[str, ...]) -> None:
        for engine, able in indexable.items():
            self._engines[engine][ABLE[able]] += 1
        for reason in reasons:
            if reason in self._reasons or len(self._reasons) < _MOST_REASONS:
                self._reasons[reason] += 1

    def _age(self, lastmod: str | None) -> str:
        if not lastmod:
            return _NO_DATE
        written = Moment.parse(lastmod).interval()
        if written is None:
            return _BAD_DATE
        if written[0] > self._now:
            return _AHEAD
        days = (self._now - written[0]).days
        return next((label for most, label in _AGES if days <= most), _OLDER)

    def by_sitemap(self) -> list[SitemapTotals]:
        """Those with the most problems first."""
        return sorted(self._sitemaps.values(), key=lambda each: -each.problems)

    def by_engine(self) -> list[EngineTotals]:
        return [
            EngineTotals(
                engine, engine_title(engine), counts[YES], counts[NO], counts[UNKNOWN], tuple(self._against(engine))
            )
            for engine, counts in self._engines.items()
        ]

    def _against(self, engine: str) -> Iterator[tuple[str, int]]:
        """The most common reasons against one engine; a reason names its engines if it does not hold for all."""
        shown = 0
        for reason, count in self._reasons.most_common():
            said, _, engines = reason.removesuffix(")").rpartition(" (")
            named = set(engines.split(", ")) if said else set()
            if named and named <= self._engines.keys() and engine not in named:
                continue
            if shown == 5:
                return
            shown += 1
            yield (said if named and named <= self._engines.keys() else reason), count

    def charts(self, *, depth: str = "Folder depth") -> list[BarChart]:
        """Without those that have nothing to show."""
        made = [
            status_chart(self.statuses),
            bars("Sections", self.sections.most_common(), most=10, filter="section", head=("section", "pages")),
            bars("Age of lastmod", [(age, self.ages[age]) for age in _AGE_ORDER], filter="age", head=("age", "pages")),
            bars(
                depth,
                [(str(level), count) for level, count in sorted(self.depths.items())],
                most=10,
                filter="depth",
                head=("depth", "pages"),
            ),
        ]
        return [chart for chart in made if chart.bars]


def status_chart(statuses: Mapping[str, int]) -> BarChart:
    shapes = {text: _STATUS_SHAPES.get(text[0], "unknown") for text in statuses}
    return bars("Status codes", sorted(statuses.items()), filter="status", shapes=shapes, head=("status", "pages"))


def engine_title(engine: str) -> str:
    return ENGINES[Engine(engine)].title if engine in set(Engine) else engine
