"""What is done, in which order, and where results go, as data that can be printed and run."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


class PlanStage(msgspec.Struct, frozen=True):
    """Tasks of one kind. They do not depend on each other; a stage begins when those before it are complete."""

    name: str
    function: str
    """`module:function`, called with each task"""
    count: int
    task: str
    """the name of a task, with {n} from 1"""
    part: str
    """where its result goes: written under a temporary name, then renamed; one that is there is not computed again"""
    after: tuple[str, ...] = ()

    def tasks(self) -> Iterator[tuple[str, str]]:
        """Name and part of each."""
        for number in range(1, self.count + 1):
            yield self.task.format(n=number), self.part.format(n=number)


def in_order(stages: tuple[PlanStage, ...]) -> list[PlanStage]:
    """Each after those it needs. Raises ValueError for a circle or an unknown name."""
    found: list[PlanStage] = []
    left = list(stages)
    while left:
        done = {stage.name for stage in found}
        ready = [stage for stage in left if set(stage.after) <= done]
        if not ready:
            raise ValueError(f"stages wait for each other: {', '.join(stage.name for stage in left)}")
        found += ready
        left = [stage for stage in left if stage not in ready]
    return found
