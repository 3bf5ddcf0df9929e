"""Tasks → results, though workers die and tasks lead to more tasks."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.mortal_work import double, double_or_die, double_or_hang, double_unless_seven
from urlset.execution import executor as executors
from urlset.execution.executor import executor_on
from urlset.execution.workers import Where, Workers, usable_cores


@pytest.fixture(autouse=True)
def fewer_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try starts workers, which takes a while on a busy machine."""
    monkeypatch.setattr(executors, "TRIES", 2)


def results(work: Callable[[Any], int], tasks: list[Any], jobs: int = 2) -> dict[Any, Any]:
    with executor_on(Workers(Where.PROCESS, jobs), work, failed=lambda _task, reason: reason) as executor:
        for task in tasks:
            executor.submit(task)
        return dict(executor.finished())


def test_every_task_gets_its_result() -> None:
    assert results(double, list(range(20))) == {number: 2 * number for number in range(20)}


def test_nothing_to_do() -> None:
    assert results(double, []) == {}


def test_an_exception_costs_one_task() -> None:
    found = results(double_unless_seven, list(range(10)))
    assert found.pop(7) == "ValueError: seven is too much"
    assert found == {number: 2 * number for number in range(10) if number != 7}


def test_tasks_may_lead_to_tasks() -> None:
    seen: list[int] = []
    with executor_on(Workers(Where.PROCESS, 2), double, failed=lambda _task, _reason: -1) as executor:
        executor.submit(1)
        for task, result in executor.finished():
            seen.append(task)
            if result < 50:
                executor.submit(result)
    assert seen == [1, 2, 4, 8, 16, 32]


def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "died") if number == 3 else "") for number in range(8)]
    assert results(double_or_die, tasks) == {task: 2 * task[0] for task in tasks}
    assert (tmp_path / "died").exists()


def test_a_task_that_always_kills_is_given_up() -> None:
    found = results(double_or_die, [(1, "always")])
    assert found == {(1, "always"): "the worker process crashed on every attempt"}


def test_a_task_that_always_kills_takes_no_other_with_it() -> None:
    tasks = [(1, "always"), *((number, "slow") for number in range(2, 6))]
    found = results(double_or_die, tasks)
    assert found.pop((1, "always")) == "the worker process crashed on every attempt"
    assert found == {task: 2 * task[0] for task in tasks[1:]}


def test_the_cores_are_counted() -> None:
    assert usable_cores() >= 1


def test_in_this_process_an_exception_costs_one_task() -> None:
    with executor_on(Workers(Where.LOCAL), double_unless_seven, failed=lambda _task, _reason: -1) as executor:
        for number in (6, 7, 8):
            executor.submit(number)
        assert dict(executor.finished()) == {6: 12, 7: -1, 8: 16}
        assert executor.set_aside == 1


@pytest.mark.slow
def test_a_straggler_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "STRAGGLER_SECONDS", 0.5)
    monkeypatch.setattr(executors, "STRAGGLER_TIMES", 1.0)
    monkeypatch.setattr(executors, "_POLL", 0.1)
    tasks = [(number, "") for number in range(4)] + [(9, str(tmp_path / "hung"))]
    began = time.monotonic()
    with executor_on(Workers(Where.PROCESS, 2), double_or_hang, failed=lambda _task, _reason: -1) as executor:
        for task in tasks:
            executor.submit(task)
        assert dict(executor.finished()) == {task: 2 * task[0] for task in tasks}
        assert executor.retried == 1
    assert time.monotonic() - began < 300  # the task hangs for 600


@pytest.mark.slow
def test_a_task_that_always_hangs_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "STRAGGLER_SECONDS", 0.3)
    monkeypatch.setattr(executors, "STRAGGLER_TIMES", 1.0)
    monkeypatch.setattr(executors, "_POLL", 0.1)
    with executor_on(Workers(Where.PROCESS, 3), double_or_hang, failed=lambda _task, reason: reason) as executor:
        for task in ((1, ""), (2, "always")):
            executor.submit(task)
        found = dict(executor.finished())
    assert found[1, ""] == 2
    assert "no result after" in str(found[2, "always"])


def test_ray_is_imported_for_nothing_else() -> None:
    modules = "sys, urlset.__main__, urlset.execution.executor, urlset.workflows.check"
    code = f"import {modules}; print('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
