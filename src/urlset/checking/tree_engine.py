"""Rules on a tree → verdict; documents are read again only to show the places of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from urlset.checking.declare import AnyRule
from urlset.checking.placing import SHOWN, ProblemCollector
from urlset.checking.tree import TreeView
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import NotChecked, Verdict

__all__ = ["SHOWN", "check_tree"]

_MISSING_CHILD = "I010"


def check_tree(
    view: TreeView,
    rules: Sequence[AnyRule],
    *,
    overrides: dict[str, Severity] | None = None,
) -> Verdict:
    """Problems that are only visible across files."""
    gathering = ProblemCollector(view.context, view.by_source, overrides or {})
    able = [rule for rule in rules if rule.on is TreeView or rule.across is not None]
    for rule in able:
        gathering.judge(rule, partial(_problems, rule, view))
    return gathering.verdict(able, view.reopen, tuple(_not_looked_at(view, able)))


def _not_looked_at(view: TreeView, rules: Sequence[AnyRule]) -> Iterator[NotChecked]:
    """Without a folder for the whole site, it is unknown whether a child without a file is missing."""
    if view.root_known or not view.lost or all(rule.code != _MISSING_CHILD for rule in rules):
        return
    parents = {lost.parent for lost in view.lost}
    many = f"{len(view.lost):,} listed sitemaps were"
    message = f"{many if len(view.lost) > 1 else '1 listed sitemap was'} not found on disk"
    yield NotChecked(
        _MISSING_CHILD,
        f"{message} (set --root DIR)",
        parents.pop() if len(parents) == 1 else None,
    )


def _problems(rule: AnyRule, view: TreeView) -> Iterable[Problem]:
    judge = rule.check if rule.on is TreeView else rule.across
    return judge(view) if judge is not None else ()
