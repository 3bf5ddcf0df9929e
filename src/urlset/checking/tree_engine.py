"""Rules on a tree → verdict; documents are read again only to show the places of what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from urlset.checking.declare import AnyRule
from urlset.checking.placing import SHOWN, Gathering
from urlset.checking.tree import TreeView
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.document import Document
from urlset.reading.read import read

__all__ = ["SHOWN", "check_tree"]


def check_tree(
    view: TreeView,
    rules: Sequence[AnyRule],
    *,
    overrides: dict[str, Severity] | None = None,
    reopen: Callable[[str], Document] = read,
) -> Verdict:
    """What can only be seen across files."""
    gathering = Gathering(view.context, view.by_source, overrides or {})
    able = [rule for rule in rules if rule.on is TreeView or rule.across is not None]
    for rule in able:
        gathering.judge(rule, partial(_problems, rule, view))
    return gathering.verdict(able, reopen)


def _problems(rule: AnyRule, view: TreeView) -> Iterable[Problem]:
    judge = rule.check if rule.on is TreeView else rule.across
    return judge(view) if judge is not None else ()
