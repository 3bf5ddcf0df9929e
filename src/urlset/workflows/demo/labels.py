"""Labels and findings → which planted faults were missed, and which findings were not planted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from urlset.findings.finding import Finding
from urlset.workflows.demo.sample import Label, Stage

ACROSS = frozenset({"A035", "A036"})
"""found only by a crawl"""

Fault = tuple[str, str]
"""code, and the address without its origin"""


class Held(msgspec.Struct, frozen=True):
    planted: int
    missed: tuple[Fault, ...]
    extra: tuple[Fault, ...]

    @property
    def exact(self) -> bool:
        return not self.missed and not self.extra

    def __add__(self, other: Held) -> Held:
        return Held(self.planted + other.planted, self.missed + other.missed, self.extra + other.extra)


def held(labels: Iterable[Label], stage: Stage, findings: Iterable[Finding], short: Callable[[str], str]) -> Held:
    """What one stage reported against what was planted for it, each as often as it occurs."""
    planted = Counter((label.code, label.at) for label in labels if label.stage is stage)
    found = Counter(
        (each.code, short(each.subject or each.source))
        for each in findings
        if stage is Stage.CHECK or (each.code in ACROSS) is (stage is Stage.CRAWL)
    )
    return Held(
        planted.total(), tuple(sorted((planted - found).elements())), tuple(sorted((found - planted).elements()))
    )
