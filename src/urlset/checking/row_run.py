"""Rules × the entries that wake them → a collector: counted in blocks where it can count, otherwise one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Protocol

from urlset.checking.declare import AnyRule
from urlset.checking.subjects import Child, ListedPage, Sitemap
from urlset.checking.woken_rules import EVERYTHING, WokenRules, media_of
from urlset.model.document import Kind

_FIRST, _LARGEST = 16, 8192
"""entries of a block; blocks grow, because the first problems of a rule are described before others are counted"""


class RowCollector(Protocol):
    """What the findings in entries are given to."""

    def can_count(self, rule: AnyRule) -> bool: ...

    def count(self, rule: AnyRule, sitemap: Sitemap, rows: Sequence[int]) -> Iterable[int]: ...

    def judge(self, rule: AnyRule, subject: object, row: int) -> None: ...


def run_rows(sitemap: Sitemap, awake: WokenRules, tally: RowCollector) -> None:
    """Exactly the pairs of rule and entry with a common signal, by entry."""
    if not awake.mask:
        return
    rows = range(len(sitemap.columns)) if awake.mask == EVERYTHING else sitemap.rows_with(awake.mask)
    for block in _blocks(rows):
        counted = frozenset(rule.code for rule in awake.counting if tally.can_count(rule))
        if counted:
            _run_counted(sitemap, awake, tally, block, counted)
        else:
            for row in block:
                _judge(sitemap, awake, tally, row)


def _blocks(rows: Sequence[int]) -> Iterator[Sequence[int]]:
    start, size = 0, _FIRST
    while start < len(rows):
        yield rows[start : start + size]
        start, size = start + size, min(2 * size, _LARGEST)


def _run_counted(
    sitemap: Sitemap, awake: WokenRules, tally: RowCollector, block: Sequence[int], counted: frozenset[str]
) -> None:
    """What remains for the rules themselves: those that cannot count, and entries that have to be looked at."""
    signals = sitemap.signals
    left: dict[int, set[str]] = {}
    raised = reduce(or_, {signals[row] for row in block}, 0)
    for rule in awake.counting:
        if rule.code in counted and (rule.when is None or raised & rule.when):
            rows = block if rule.when is None else [row for row in block if signals[row] & rule.when]
            for row in tally.count(rule, sitemap, rows):
                left.setdefault(row, set()).add(rule.code)
    others = awake.without(counted)
    everything = others.mask == EVERYTHING
    for row in block:
        if row in left:
            _judge(sitemap, awake, tally, row, counted - left[row])
        elif everything or signals[row] & others.mask:
            _judge(sitemap, others, tally, row)


def _judge(
    sitemap: Sitemap, awake: WokenRules, tally: RowCollector, row: int, counted: frozenset[str] = frozenset()
) -> None:
    row_class: type[ListedPage | Child] = Child if sitemap.kind is Kind.SITEMAPINDEX else ListedPage
    listed = row_class(sitemap, row)
    for kind, woken in awake[sitemap.signals[row]]:
        for subject in (listed,) if kind is row_class else media_of(listed, kind):
            for rule in woken:
                if rule.card.code not in counted:
                    tally.judge(rule, subject, row)
