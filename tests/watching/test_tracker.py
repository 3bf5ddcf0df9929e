"""What is known and a new signal → what is reported: changes, once, and neither states nor flapping."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.watching.tracker import AlertKind, Condition, KnownCondition, Measurement, Phase, Rules, Trend, step

START = datetime(2026, 11, 20, tzinfo=UTC)
SUBJECT = "https://www.example.com/"


def run(values: list[Any], *, debounce: int = 0, first: bool = True, **more: Any) -> list[str]:
    """One signal every ten minutes → the phases reported, with the number of the signal."""
    known: KnownCondition | None = None
    reported = []
    for number, value in enumerate(values):
        form = "condition" if isinstance(value, Condition) else "count" if isinstance(value, int) else "digest"
        signal = Measurement(kind=AlertKind.URLS_FELL, subject=SUBJECT, **{form: value}, **more)
        rules = Rules(debounce=timedelta(minutes=debounce), baseline=first and number == 0)
        known, change = step(known, signal, START + timedelta(minutes=10 * number), rules)
        if change is not None:
            reported.append(f"{number} {change.phase}")
    return reported


OK, BAD, UNKNOWN = Condition.OK, Condition.BAD, Condition.UNKNOWN


@pytest.mark.parametrize(
    ("values", "debounce", "expected"),
    [
        ([OK, BAD, BAD, OK, OK], 0, ["1 problem", "3 recovery"]),
        ([BAD, BAD, OK], 0, []),
        ([BAD, OK, BAD], 0, ["2 problem"]),
        ([OK, UNKNOWN, UNKNOWN, OK], 0, []),
        ([OK, BAD, UNKNOWN, BAD, OK], 0, ["1 problem", "4 recovery"]),
        ([OK, BAD, OK, BAD, OK], 5, []),
        ([OK, BAD, BAD, OK, OK], 5, ["2 problem", "4 recovery"]),
        ([OK, BAD, UNKNOWN, BAD], 5, ["3 problem"]),
        ([OK, BAD, BAD, BAD], 25, []),
        (["a", "a", "b", "b", "a"], 0, ["2 change", "4 change"]),
        (["a", "b", "a", "a"], 5, []),
        (["a", "b", "c", "c"], 5, ["3 change"]),
    ],
)
def test_changes_are_reported_once(values: list[Any], debounce: int, expected: list[str]) -> None:
    assert run(values, debounce=debounce) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([0, 1, 1, 2, 0], ["1 problem", "4 recovery"]),
        ([5, 6, 9, 14], []),
        ([5, 15, 5], ["1 problem", "2 recovery"]),
        ([100, 199, 200], ["2 problem"]),
        ([50, 0, 1], ["2 problem"]),
        ([0, 3, 29, 30, 299, 300], ["1 problem", "3 problem", "5 problem"]),
    ],
)
def test_a_count_that_rises_is_a_problem(counts: list[Any], expected: list[str]) -> None:
    assert run(counts) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([100, 95, 91, 90], []),
        ([100, 89, 70, 95], ["1 problem", "3 recovery"]),
        ([100, 200, 185, 150], ["3 problem"]),
        ([0, 0, 5], []),
        ([10, 0, 0, 10], ["1 problem", "3 recovery"]),
    ],
)
def test_fewer_urls_are_a_problem(counts: list[Any], expected: list[str]) -> None:
    assert run(counts, trend=Trend.FALL) == expected


def test_what_was_never_met_before_was_fine_until_now() -> None:
    assert run([BAD, OK], first=False) == ["0 problem", "1 recovery"]
    assert run([3], first=False) == ["0 problem"]
    assert run(["a", "b"], first=False) == ["1 change"]


def test_a_level_that_stays_is_accepted_without_a_message() -> None:
    week = 7 * 24 * 6
    assert run([100, *[50] * (week + 2), 40], trend=Trend.FALL) == ["1 problem", f"{week + 3} problem"]


def test_patience_holds_one_kind_back_longer() -> None:
    assert run([OK, *[BAD] * 7], patience=timedelta(hours=1)) == ["7 problem"]


def test_a_clock_that_is_set_back_does_not_confirm_anything() -> None:
    rules = Rules(debounce=timedelta(minutes=5))
    signal = Measurement(kind=AlertKind.SITEMAP_MISSING, subject=SUBJECT, condition=BAD)
    known, change = step(None, signal, START, rules)
    known, change = step(known, signal, START - timedelta(days=1), rules)
    assert change is None
    known, change = step(known, signal, START - timedelta(days=1) + timedelta(minutes=5), rules)
    assert change is not None
    assert change.phase is Phase.PROBLEM


def test_a_recovery_names_the_beginning_of_the_problem() -> None:
    known: KnownCondition | None = None
    times = {}
    for minute, state in ((0, OK), (10, BAD), (20, BAD), (30, OK), (40, OK)):
        signal = Measurement(kind=AlertKind.SITEMAP_MISSING, subject=SUBJECT, condition=state)
        rules = Rules(debounce=timedelta(minutes=5), baseline=not minute)
        known, change = step(known, signal, START + timedelta(minutes=minute), rules)
        if change is not None:
            times[minute, change.phase] = change.since
    began = "2026-11-20T00:10:00Z"
    assert times == {(20, Phase.PROBLEM): began, (40, Phase.RECOVERY): began}


@given(st.lists(st.sampled_from([OK, BAD, UNKNOWN]), max_size=30), st.sampled_from([0, 5, 15]))
def test_problems_and_recoveries_take_turns(values: list[Any], debounce: int) -> None:
    phases = [each.split()[1] for each in run([OK, *values], debounce=debounce)]
    assert phases == [("problem", "recovery")[number % 2] for number in range(len(phases))]
