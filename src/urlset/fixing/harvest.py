"""Rules × one document → the fixes to apply, in columns, and the rest, counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from urlset.checking.completeness import is_complete
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Brief
from urlset.checking.engine import FindingCollector, LateFinding
from urlset.checking.fixability import TAGS
from urlset.checking.late_places import LONGEST_COUNTED
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.fix_result import Left
from urlset.findings.severity import Severity
from urlset.fixing.choose import FixOptions, Rows, is_put_off, ordered
from urlset.fixing.fixes import Fixes, Title
from urlset.model.document import Document, Kind

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
    """Remaining findings by rule and reason: their number, and the first of each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], tuple[AnyRule, LateFinding, str]] = {}
        self._singly: Counter[str] = Counter()

    def add(self, rule: AnyRule, count: int, finding: Callable[[], LateFinding], reason: str, *, singly: bool) -> None:
        key = (rule.code, reason)
        if singly:
            self._singly[rule.code] += 1
            key = (rule.code, f"{min(self._singly[rule.code], _NAMED_SINGLY)}")
        if key not in self._first:
            self._first[key] = (rule, finding(), reason)
        self._counts[key] += count

    def add_more(self, rule: AnyRule, count: int, reason: str) -> bool:
        """More of what is left for the same reason; False if there is none yet."""
        known = (rule.code, reason) in self._first
        if known:
            self._counts[rule.code, reason] += count
        return known

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
        self._spared = spared
        self._origin = origin
        self._unfit = unfit
        """set when no more fixes are applied: they are then counted as well"""
        self.rows = Rows(document)
        self.fixes = Fixes()
        self.remains = Remains()
        self._briefly: dict[tuple[str, Safety], tuple[str | None, Title]] = {}
        """what is done with brief fixes"""
        self._can_be_brief = self._whole and not (self._suppressions or spared) and unfit is None

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
            elif edits := ordered(fix.edits):
                if self._unfit is not None:
                    reason = (
                        self._broken_reason(rule, problem, row) if is_put_off(rule, edits, self._unfit) else UNSETTLED
                    )
                    self._leave(rule, problem, severity, row, reason)
                    return
                title = Title(rule, fix.title, fix.safety)
                self.fixes.add(title, problem.place.offset, -1 if row is None else row, edits, problem.subject)
                return
        self._leave(rule, problem, severity, row, reason or _undecided(rule), singly=singly)

    def count(self, rule: AnyRule, sitemap: Sitemap, row: int) -> bool:
        """A problem whose fix is brief needs no object, whether it is fixed or left."""
        if rule.count is None or rule.brief is None or not self._can_be_brief or self.rows.is_broken(row):
            return False
        try:
            number = rule.count(sitemap, row)
            loc = (sitemap.columns.locs[row] or "").strip()
            brief = rule.brief(loc) if number else None
            if number is None or (number and (brief is None or not self._keep_brief(rule, number, row, brief, loc))):
                return False
        except Exception as error:  # noqa: BLE001 - as in judge
            self._crash(rule, error)
            return True
        code = rule.code
        self.counts[code] += number
        self.severities[self._severities.get(code) or self._severity(rule)] += number
        self.fixable += number
        return True

    def _keep_brief(self, rule: AnyRule, number: int, row: int, brief: Brief, loc: str) -> bool:
        """False if the rule has to describe the problem, as for the first that is left."""
        known = self._briefly.get((rule.code, brief.safety))
        if known is None:
            title = Title(rule, brief.title, brief.safety)
            known = self._obstacle(rule, Fix(brief.title, (), brief.safety)), title
            self._briefly[rule.code, brief.safety] = known
        reason, title = known
        if reason is not None:
            return self.remains.add_more(rule, number, reason)
        at = None if brief.change is None else self._text_start(row, loc)
        if at is None or brief.change is None:
            return False
        if loc.isascii():
            changes = [(at + start, end - start, text.encode()) for start, end, text in brief.change(loc)]
        else:
            changes = [
                (at + len(loc[:start].encode()), len(loc[start:end].encode()), text.encode())
                for start, end, text in brief.change(loc)
            ]
        self.fixes.add_changes(self.fixes.number_of(title), row, changes)
        return True

    def _text_start(self, row: int, loc: str) -> int | None:
        """Where the trimmed URL begins, if it is written as its own bytes."""
        document = self._document
        if len(loc) > LONGEST_COUNTED:
            return None
        if document.kind is Kind.TEXT:
            start, end = document.columns.starts[row], document.columns.ends[row]
            return start if document.data[start:end] == loc.encode("utf-8", "surrogatepass") else None
        bare, raw = document.bare_field(row, "loc"), document.columns.locs[row] or ""
        return None if bare is None else bare + len(raw) - len(raw.lstrip())

    def add_unplaced(self, rule: AnyRule, number: int) -> None:
        super().add_unplaced(rule, number)
        self.remains.add_unplaced(rule, number)

    def _leave(
        self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None, reason: str, *, singly: bool = False
    ) -> None:
        self.remains.add(
            rule, problem.count, lambda: LateFinding(self, rule, problem, severity, row), reason, singly=singly
        )

    def _obstacle(self, rule: AnyRule, fix: Fix | None) -> str | None:
        """Why a problem is not fixed, regardless of its fix; None if it may be."""
        options, code = self._options, rule.code
        if not self._whole:
            return "the file is incomplete; download or generate it again"
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
