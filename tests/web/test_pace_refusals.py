"""A host that refuses now and then is asked as often as its answers show it can take."""

from __future__ import annotations

import time

import pytest

from urlset.web.pace import LONGEST_GAP, Exchange, HostPace


def reported(status: int) -> Exchange:
    return Exchange(status, first_byte=0.01, started=time.monotonic())


@pytest.mark.parametrize(
    ("good", "shortest", "longest"), [(1, 15.0, 30.0), (2, 7.5, 16.0), (5, 3.75, 8.0), (9, 1.875, 4.0), (15, 0.9, 2.0)]
)
def test_the_gap_follows_how_much_is_refused(good: int, shortest: float, longest: float) -> None:
    """A host that refused one request in ten, at whatever pace, was asked once in 30 seconds for ever."""
    pace = HostPace(1, 0.0)
    gaps = []
    for _ in range(40):
        pace.learn(reported(429))
        for _ in range(good):
            gaps.append(pace.gap)
            pace.learn(reported(200))
    settled = gaps[len(gaps) // 2 :]
    assert shortest <= min(settled)
    assert max(settled) <= longest
    assert good * sum(settled) / len(settled) > 8.0  # seconds between two refusals


@pytest.mark.parametrize("delay", [1.0, 5.0])
def test_occasional_refusals_never_make_it_faster_than_the_delay(delay: float) -> None:
    pace = HostPace(4, delay)
    for number in range(400):
        pace.learn(reported(429 if number % 10 == 0 else 200))
        assert pace.gap >= delay
        assert pace.limit == 1
    assert pace.gap <= max(4.0, delay)


def test_a_host_that_was_strict_is_trusted_again_within_two_minutes() -> None:
    """Sixteen good answers at a gap of 30 seconds, and as many at 15, took twelve minutes."""
    pace = HostPace(1, 0.0)
    for _ in range(6):  # too early each time: it learns to be cautious
        pace.learn(reported(429))
        for _ in range(16):
            pace.learn(reported(200))
    for _ in range(8):
        pace.learn(reported(429))
    assert pace.gap == LONGEST_GAP
    seconds = 0.0
    while pace.gap > 2.0:
        seconds += pace.gap
        pace.learn(reported(200))
    assert seconds <= 120.0
