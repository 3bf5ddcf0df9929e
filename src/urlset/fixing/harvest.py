"""Rules × one document → the fixes to apply, in columns, and the rest, counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from urlset.checking.completeness import is_complete, is_other, why_incomplete
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import FindingCollector, LateFinding
from urlset.checking.fixability import TAGS
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.fix_result import Left
from urlset.findings.severity import Severity
from urlset.fixing.choose import FixOptions, Rows, is_put_off, ordered
from urlset.fixing.content import ContentCheck
from urlset.fixing.fixes import Fixes, Title
from urlset.model.columns import Edit
from urlset.model.document import Document

Key = tuple[str, int]
"""the code of a rule, and the start of the problem it fixes in the original"""
Origin = Callable[[int], int]

BROKEN_ENTRY = "the entry has several overlapping problems; fix it by hand"
MALFORMED_ENTRY = "the entry is malformed; use --unsafe to fix that first"
UNSETTLED = "the fixes did not converge"
_CONTEXT_MISSING = {
    "D003": "UTC offset unknown; set --timezone, or assume UTC with --unsafe",
    "L002": "base URL unknown; set --base-url",
    "I016": "base URL unknown; set --base-url",
}
_NAMED_SINGLY = 20
"""fixes of one rule that would introduce a problem; the rest is reported together"""


class Remains:
    """Remaining findings by rule, severity and reason: their number, and the first of each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, Severity, str]] = Counter()
        self._first: dict[tuple[str, Severity, str], tuple[AnyRule, LateFinding, str]] = {}
        self._singly: Counter[str] = Counter()

    def add(
        self,
        rule: AnyRule,
        severity: Severity,
        count: int,
        finding: Callable[[], LateFinding],
        reason: str,
        *,
        singly: bool,
    ) -> None:
        key = (rule.code, severity, reason)
        if singly:
            self._singly[rule.code] += 1
            key = (rule.code, severity, f"{min(self._singly[rule.code], _NAMED_SINGLY)}")
        if key not in self._first:
            self._first[key] = (rule, finding(), reason)
        self._counts[key] += count

    def add_unplaced(self, rule: AnyRule, number: int) -> None:
        """More of what is left of a rule, without a place."""
        for key in [key for key in self._first if key[0] == rule.code][-1:]:
            self._counts[key] += number

    def left(self) -> Iterator[Left]:
        for key, (rule, late, reason) in self._first.items():
            reported = late.made()
            yield Left(
                rule.code,
                rule.name,
                self._counts[key],
                reason,
                reported.line,
                reported.column,
                reported.message,
                reported.severity,
            )


_REMOVES_DOCTYPE = "X014"


class FixCollector(FindingCollector):
    """Keeps no problems: a fix to apply is computed immediately and kept as numbers, the rest is counted.

    A fix of a value waits while its entry is malformed: computing its place would parse the entry again, and the entry
    changes in the next pass.
    """

    def __init__(
        self,
        document: Document,
        context: Context,
        options: FixOptions,
        origin: Origin,
        spared: Mapping[Key, str] = MappingProxyType({}),
        unfit: Rows | None = None,
    ) -> None:
        super().__init__(document, context, overrides={}, cap=None)
        self._options = options
        self._whole = is_complete(document)
        self._other = is_other(document)
        self._spared = spared
        self._origin = origin
        self._unfit = unfit
        """set when no more fixes are applied: they are then counted as well"""
        self._content = ContentCheck(document)
        self.rows = Rows(document)
        self.fixes = Fixes()
        self.remains = Remains()

    def _keep(self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None) -> None:
        fix = problem.fix
        reason = self._obstacle(rule, fix)
        singly = False
        if self._spared and (key := (rule.code, self._origin(problem.place.offset))) in self._spared:
            reason, singly = self._spared[key], True
        if reason is not None and rule.code in TAGS:
            self.rows.hold(problem.place.offset)
        if fix is not None and reason is None:
            if row is not None and rule.card.family != "X" and self.rows.is_broken(row):
                reason = self._broken_reason(rule, problem, row)
            elif rule.code != _REMOVES_DOCTYPE and self._is_in_doctype(fix.edits):
                reason = "it is in the DOCTYPE; remove that first"
            elif edits := ordered(fix.edits):
                if self._unfit is not None:
                    reason = (
                        self._broken_reason(rule, problem, row) if is_put_off(rule, edits, self._unfit) else UNSETTLED
                    )
                    self._leave(rule, problem, severity, row, reason)
                    return
                if (lost := self._content.taken_along(rule, problem, edits, fix.safety)) is not None:
                    self._leave(rule, problem, severity, row, f"its fix would also remove {lost!r}")
                    return
                title = Title(rule, fix.title, fix.safety)
                self.fixes.add(title, problem.place.offset, -1 if row is None else row, edits, problem.subject)
                return
        self._leave(rule, problem, severity, row, reason or _undecided(rule), singly=singly)

    def _is_in_doctype(self, edits: Sequence[Edit]) -> bool:
        """Whether a fix would change or remove a part of the DOCTYPE, which has its own grammar and its own rule."""
        doctype = self._document.prolog.doctype
        return doctype is not None and any(
            edit.place.offset < doctype.end and edit.place.end > doctype.offset for edit in edits
        )

    def add_unplaced(self, rule: AnyRule, number: int) -> None:
        super().add_unplaced(rule, number)
        self.remains.add_unplaced(rule, number)

    def _leave(
        self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None, reason: str, *, singly: bool = False
    ) -> None:
        self.remains.add(
            rule,
            severity,
            problem.count,
            lambda: LateFinding(self, rule, problem, severity, row),
            reason,
            singly=singly,
        )

    def _obstacle(self, rule: AnyRule, fix: Fix | None) -> str | None:
        """Why a problem is not fixed, regardless of its fix; None if it may be."""
        options, code = self._options, rule.code
        if self._other:
            return _undecided(rule)
        if not self._whole:
            return why_incomplete(self._document)
        if fix is not None and options.allows(code, fix.safety):
            return None
        if code in _CONTEXT_MISSING and options.names(code) and not self._is_told(code):
            return _CONTEXT_MISSING[code]
        if fix is None:
            return _undecided(rule)
        if code in options.barred:
            return options.barred[code]
        if not options.names(code):
            return "not selected with --only" if options.only else f"use --only {code} to fix it"
        return "the fix may change the meaning; use --unsafe to apply it"

    def _broken_reason(self, rule: AnyRule, problem: Problem, row: int | None) -> str:
        promised = None if self._options.unsafe else self.fixability.promised(rule.card, problem, row)
        return MALFORMED_ENTRY if promised is not None and promised.safety is Safety.REVIEW else BROKEN_ENTRY

    def _is_told(self, code: str) -> bool:
        reported = self._context.timezone if code == "D003" else self._context.base_url
        return reported is not None


def _undecided(rule: AnyRule) -> str:
    return "no safe fix is known" if rule.card.fixable else "needs manual review"
