"""Stages as data → an order, the names of tasks and parts; every function of a plan exists."""

from __future__ import annotations

from importlib import import_module

import msgspec
import pytest

from urlset.execution.plan import PlanStage, in_order
from urlset.workflows.plan.plan import stages_of


def test_a_stage_comes_after_those_it_needs() -> None:
    first, second = PlanStage("a", "m:f", 2, "task {n}", "{n}.part"), PlanStage("b", "m:f", 1, "", "", ("a",))
    assert in_order((second, first)) == [first, second]
    assert list(first.tasks()) == [("task 1", "1.part"), ("task 2", "2.part")]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="wait for each other: a, b"):
        in_order((PlanStage("a", "", 1, "", "", ("b",)), PlanStage("b", "", 1, "", "", ("a",))))


def test_a_plan_survives_json_and_names_real_functions() -> None:
    stages = stages_of(3, 1, 2)
    assert tuple(msgspec.json.decode(msgspec.json.encode(stages), type=list[PlanStage])) == stages
    for stage in stages:
        module, _, name = stage.function.partition(":")
        assert callable(getattr(import_module(module), name))
