"""Counts of a sample → a 95 % interval for the share behind it (Clopper and Pearson: never narrower than it says)."""

from __future__ import annotations

from math import exp, lgamma, log

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
