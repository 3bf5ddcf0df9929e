"""Rules × bytes → mended bytes: fixes are applied until nothing changes, then the result is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.findings.finding import Finding, Problem
from urlset.findings.fix import Safety
from urlset.findings.mended import Applied, Left, Mended, Piece, Removed
from urlset.fixing.patchwork import Patchwork
from urlset.fixing.prove import prove
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.reading.read import read

MAX_PASSES = 12
"""each pass mends what the one before uncovered; real files settle in two or three"""
_SHOWN = 160


class FixOptions(msgspec.Struct, frozen=True):
    """What may be changed."""

    unsafe: bool = False
    only: tuple[str, ...] = ()
    """codes; empty means all"""
    timezone: str | None = None
    """the offset for times that have none, such as +02:00"""

    def allows(self, code: str, safety: Safety) -> bool:
        if self.only and code not in self.only:
            return False
        return safety is Safety.SAFE or self.unsafe


def mend(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> Mended:
    """One document; files that must be split or joined are the business of fixing/shards.py."""
    work = Patchwork(document.data)
    applied: list[Applied] = []
    removed: list[Removed] = []
    present, passes = document, 0
    while passes < MAX_PASSES:
        chosen = _choose(present, rules, context, options)
        if not chosen:
            break
        passes += 1
        applied += [_told(rule, problem, finding, present) for rule, problem, finding in chosen]
        removed += _removals(chosen, present)
        edits = sorted(
            (edit for _, problem, _ in chosen if problem.fix for edit in problem.fix.edits),
            key=lambda edit: (edit.place.offset, edit.place.length),
        )
        work.apply(edits)
        present = read(work.data, name=document.name, url=document.url)
    left = _left(present, rules, context, options)
    mended = Mended(
        source=document.name,
        original=document.data,
        pieces=(Piece(document.name, work.data),),
        edits=tuple(work.edits()),
        applied=tuple(applied),
        left=tuple(left),
        removed=tuple(removed),
        passes=passes,
    )
    return msgspec.structs.replace(mended, refused=prove(document, present, mended, rules, context))


Chosen = tuple[AnyRule, Problem, Finding]


def _choose(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> list[Chosen]:
    """The fixes of one pass: allowed, and none touching bytes of another."""
    found = [
        (rule, problem, finding)
        for rule, problem, finding in run(document, rules, context, cap=None).problems
        if problem.fix is not None and problem.fix.edits and options.allows(rule.code, problem.fix.safety)
    ]
    found.sort(key=lambda item: (_first(item[1]), item[0].code))
    chosen: list[Chosen] = []
    taken: set[tuple[int, int]] = set()
    end = -1
    for item in found:
        edits = sorted(item[1].fix.edits, key=lambda edit: edit.place.offset) if item[1].fix else []
        if _free(edits, end, taken):
            chosen.append(item)
            end = max(end, *(edit.place.end for edit in edits))
            taken.update((edit.place.offset, edit.place.end) for edit in edits)
    return chosen


def _first(problem: Problem) -> int:
    return min((edit.place.offset for edit in problem.fix.edits), default=0) if problem.fix else 0


def _free(edits: Sequence[Edit], end: int, taken: set[tuple[int, int]]) -> bool:
    """Behind everything chosen so far; two insertions at one point wait for each other."""
    first = edits[0].place
    if first.offset < end or (first.offset, first.end) in taken:
        return False
    return first.offset > end or first.length > 0


def _told(rule: AnyRule, problem: Problem, finding: Finding, document: Document) -> Applied:
    fix = problem.fix
    assert fix is not None
    edits = sorted(fix.edits, key=lambda edit: edit.place.offset)
    before = " … ".join(edit.place.cut(document.data).decode("utf-8", "replace") for edit in edits)
    after = " … ".join(edit.text.decode("utf-8", "replace") for edit in edits)
    return Applied(
        code=rule.code,
        name=rule.name,
        title=fix.title,
        safety=fix.safety,
        line=finding.line or 1,
        column=finding.column or 1,
        before=before[:_SHOWN],
        after=after[:_SHOWN],
        subject=finding.subject,
    )


def _removals(chosen: Sequence[Chosen], document: Document) -> list[Removed]:
    """Entries that an edit takes out whole."""
    columns = document.columns
    gone: list[Removed] = []
    deletions = sorted(
        (edit.place.offset, edit.place.end, rule.code)
        for rule, problem, _ in chosen
        if problem.fix is not None
        for edit in problem.fix.edits
        if not edit.text.strip() and edit.place.length
    )
    row = 0
    for start, end, code in deletions:
        while row < len(columns) and columns.starts[row] < start:
            row += 1
        while row < len(columns) and columns.ends[row] <= end:
            gone.append(Removed((columns.locs[row] or "").strip(), code))
            row += 1
    return gone


def _left(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> list[Left]:
    """What stays: without a fix, or with one that was not asked for."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], tuple[AnyRule, Finding]] = {}
    for rule, problem, finding in run(document, rules, context, cap=None).problems:
        key = (rule.code, _reason(rule, problem, options))
        counts[key] += problem.count
        first.setdefault(key, (rule, finding))
    return [
        Left(code, first[code, reason][0].name, count, reason, finding.line, finding.column, finding.message)
        for (code, reason), count in counts.items()
        for finding in (first[code, reason][1],)
    ]


def _reason(rule: AnyRule, problem: Problem, options: FixOptions) -> str:
    if problem.fix is None or not problem.fix.edits:
        return "no fix is certain enough" if rule.card.fixable else "needs a person to decide"
    if problem.fix.safety is Safety.REVIEW and not options.unsafe:
        return "its fix may change what the sitemap says: --unsafe applies it"
    if options.only and rule.code not in options.only:
        return "not among the rules given with --only"
    return "fixing it did not settle"
