"""Two states without a difference: an all-clear for what was read, and for nothing else."""

from __future__ import annotations

import pytest

from urlset.reports.diff import all_same
from urlset.reports.diff_report import DiffReport, StateInfo
from urlset.snapshots.delta import MemoryDelta, MemoryState, Summary


@pytest.mark.parametrize(
    ("unchanged", "troubled", "said"),
    [
        (8, (), "no differences: 8 URLs are the same"),
        (1, (), "no differences: 1 URL is the same"),
        (8, ("a.xml: 503",), "no differences: 8 URLs are the same, but not everything could be read"),
        (0, (), "nothing to compare: neither side lists a URL that was read"),
        (0, ("a.xml: 503",), "nothing to compare: neither side lists a URL that was read"),
    ],
)
def test_the_all_clear_of_a_comparison(unchanged: int, troubled: tuple[str, ...], said: str) -> None:
    side = StateInfo("a.xml", unchanged, 1)
    delta = MemoryDelta(MemoryState(), MemoryState())
    report = DiffReport(old=side, new=side, summary=Summary(unchanged=unchanged), troubled=troubled, delta=delta)
    assert all_same(report) == said
