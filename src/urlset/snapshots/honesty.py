"""How dates and contents of a file's pages moved from look to look → how far its lastmod can be believed.

An event is a date that moved or a main content that changed, on one page between two looks at it. The score is the
share of events in which both happened. Events of one page depend on each other, and so do those of one build, so the
interval counts them as fewer than they are. It describes the time between the first look and the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, lgamma, log

import msgspec

EVERY = 0.9
"""of the dated pages; a date that moves on so many of them at once is not that of the pages"""
TEMPLATE = 0.8
"""of the pages whose content is known: so many changes at once are the template's"""
_FEW = 20
_SPREAD = 4.0
_T = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""quantiles of Student's t; with few builds, their variance is itself not well known"""


COUNTS = ("dated", "moved", "stamped", "known", "backed", "unbacked", "silent")


class Transition(msgspec.Struct, frozen=True):
    """One file between two looks at it, in numbers of pages."""

    before: str
    """when it was looked at, in ISO 8601"""
    at: str
    dated: int = 0
    """pages with a lastmod both times"""
    moved: int = 0
    """of which the date is another one now"""
    stamped: int = 0
    """of which the date is the time of the look"""
    known: int = 0
    """dated pages whose main content is known from a fetch of its own for each date"""
    backed: int = 0
    """date moved, content changed: text, key images, structured data, as far as they count"""
    unbacked: int = 0
    """date moved, content the same"""
    silent: int = 0
    """content changed, date the same"""
    evidence: dict[str, int] = {}
    """the parts of pages that changed with their date, with the number of pages"""

    @property
    def moves_all(self) -> bool:
        return self.dated > 0 and self.moved >= EVERY * self.dated

    @property
    def is_template_change(self) -> bool:
        """Nearly all pages changed and hardly a date moved: nothing can be said about single pages."""
        return self.known >= _FEW and self.silent >= TEMPLATE * self.known


class EstimatedShare(msgspec.Struct, frozen=True):
    """Of so many cases; `share` is None where there was none."""

    share: float | None
    low: float
    high: float
    found: int
    of: int


class Example(msgspec.Struct, frozen=True):
    """A page that shows it."""

    url: str
    old: str
    new: str
    what: str
    """`unbacked` or `silent`"""
    at: str
    changed: tuple[str, ...] = ()
    """the parts of the page that changed"""


class Honesty(msgspec.Struct, frozen=True):
    """What is known about the dates of one file."""

    source: str
    transitions: tuple[Transition, ...]
    score: EstimatedShare
    """events in which date and content agree"""
    moves_with_change: EstimatedShare
    changes_with_move: EstimatedShare
    examples: tuple[Example, ...] = ()

    @property
    def follows_every_look(self) -> bool:
        """Every time, nearly all dates moved."""
        return bool(self.transitions) and all(each.moves_all for each in self.transitions)

    @property
    def evidence(self) -> dict[str, int]:
        """What changed on pages whose date moved with it, the most frequent first."""
        found: Counter[str] = Counter()
        for each in self.transitions:
            found.update(each.evidence)
        return dict(found.most_common())

    @property
    def moved(self) -> int:
        """Dates that moved, on pages that were fetched again and on others."""
        return sum(each.moved for each in self.transitions)

    @property
    def is_judged(self) -> bool:
        """False where no page was fetched again, so its dates are neither right nor wrong."""
        return any(each.known for each in self.transitions)

    @property
    def stamped_share(self) -> float:
        """Of the dates that moved, those that are the time of the look."""
        return sum(each.stamped for each in self.transitions) / self.moved if self.moved else 0.0


def judge(
    source: str, transitions: Sequence[Transition], worth: float | None = None, examples: Sequence[Example] = ()
) -> Honesty:
    """`worth`: as how many independent events those of its pages count (`worth_of`); None where each page had one."""
    reported = [each for each in transitions if not each.is_template_change]
    backed = [each.backed for each in reported]
    moves = [each.backed + each.unbacked for each in reported]
    changes = [each.backed + each.silent for each in reported]
    events = [each.backed + each.unbacked + each.silent for each in reported]
    total = sum(events)
    weight = 1.0 if worth is None or not total else min(1.0, worth / total)
    return Honesty(
        source,
        tuple(transitions),
        _share(backed, events, weight),
        _share(backed, moves, weight),
        _share(backed, changes, weight),
        tuple(examples),
    )


def worth_of(events: int, squares: int) -> float:
    """Events of pages that always do the same are worth as many as there are pages; `squares` sums up events per
    page, squared (Kish's effective sample size)."""
    return events * events / squares if squares else 0.0


def _share(found: Sequence[int], of: Sequence[int], weight: float) -> EstimatedShare:
    successes, trials = sum(found), sum(of)
    if not trials:
        return EstimatedShare(None, 0.0, 1.0, 0, 0)
    share = successes / trials
    count = max(1.0, trials * min(weight, _between_builds(found, of, share)))
    low, high = interval(share * count, count)
    return EstimatedShare(share, low, high, successes, trials)


def _between_builds(found: Sequence[int], of: Sequence[int], share: float) -> float:
    """Where builds differ more than chance allows, it is they that count, not the pages."""
    builds = [(k, n) for k, n in zip(found, of, strict=True) if n]
    if len(builds) < 2 or share in (0.0, 1.0):
        return 1.0
    spread = sum((k - share * n) ** 2 / (n * share * (1 - share)) for k, n in builds) / (len(builds) - 1)
    if spread < _SPREAD:
        return 1.0
    quantile = _T[len(builds) - 2] if len(builds) - 2 < len(_T) else 2.1
    return min(1.0, 1 / (spread * (quantile / 1.96) ** 2))


# The 95 % interval of a share that was counted in a sample (Clopper and Pearson: never narrower than it says).

_TAIL = 0.025
_STEPS = 60
_TINY = 1e-300


def interval(successes: float, trials: float) -> tuple[float, float]:
    """Trials need not be whole: answers that depend on each other count as fewer."""
    if trials <= 0:
        return 0.0, 1.0
    low = 0.0 if successes <= 0 else _quantile(_TAIL, successes, trials - successes + 1)
    high = 1.0 if successes >= trials else _quantile(1 - _TAIL, successes + 1, trials - successes)
    return low, high


def _quantile(wanted: float, a: float, b: float) -> float:
    """Where the beta distribution has that much to its left, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _beta(middle, a, b) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, after Lentz."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / _apart(1 + part * d)
            c = _apart(1 + part / c)
            total *= d * c
        if abs(d * c - 1) < 1e-12:
            break
    return total


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
