"""Pages → what the charts show: sections, status codes, ages of lastmod, depths, and totals by sitemap and engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from urlset.auditing.sections import depth_of, first_folder
from urlset.model.moment import Moment
from urlset.model.visit import State
from urlset.reports.charts import BarChart, bars
from urlset.spec.engines import ENGINES, Engine

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


class SitemapTotals(NamedTuple):
    """One sitemap and the pages that it was the first to list."""

    source: str
    pages: int
    states: dict[State, int]
    indexable: int
    problems: int
    newest: str


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
        self._states: defaultdict[str, Counter[State]] = defaultdict(Counter)
        self._able: Counter[str] = Counter()
        self._minded: Counter[str] = Counter()
        self._newest: dict[str, str] = {}
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
        self._states[source][state] += 1
        self._able[source] += able
        self._minded[source] += problem
        self.indexable += able
        self.problems += problem
        if lastmod and lastmod > self._newest.get(source, ""):
            self._newest[source] = lastmod

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
        found = [
            SitemapTotals(
                source,
                states.total(),
                dict(states),
                self._able[source],
                self._minded[source],
                self._newest.get(source, ""),
            )
            for source, states in self._states.items()
        ]
        return sorted(found, key=lambda each: -each.problems)

    def by_engine(self) -> list[EngineTotals]:
        return [
            EngineTotals(engine, _title(engine), counts[YES], counts[NO], counts[UNKNOWN], tuple(self._against(engine)))
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


def _title(engine: str) -> str:
    return ENGINES[Engine(engine)].title if engine in set(Engine) else engine
