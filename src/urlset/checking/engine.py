"""Rules × subjects → verdict on one document; a crashing rule becomes a finding."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from urlset.checking.completeness import is_complete, is_other
from urlset.checking.context import Context
from urlset.checking.declare import ADDRESS, ROBOTS, AnyRule
from urlset.checking.excerpt import excerpt
from urlset.checking.fixability import Fixability
from urlset.checking.robots_text import RobotsText
from urlset.checking.spots import MOST_NOTES, spots
from urlset.checking.subjects import (
    Child,
    ListedPage,
    Sitemap,
)
from urlset.checking.suppress import Suppressions
from urlset.checking.tool_rules import CRASH
from urlset.checking.woken_rules import EVERYTHING, MEDIA, RulesBySignal, SubjectsOfRow
from urlset.findings.finding import Finding, FixNote, Problem, Spot
from urlset.findings.severity import Severity
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.model.document import Document, Kind
from urlset.spec.engines import Engine

CAP = 1000
"""findings kept per rule and document; beyond it only the count continues"""


class FindingCollector:
    """Collects the findings of one document: findings up to the cap, counts without one."""

    def __init__(
        self, document: Document, context: Context, *, overrides: dict[str, Severity], cap: int | None = CAP
    ) -> None:
        self._document = document
        self._context = context
        self._overrides = overrides
        self._cap = cap
        self._severities: dict[str, Severity] = {}
        self._suppressions = Suppressions(document)
        self._fixable = is_complete(document)
        self.fixability = Fixability(document)
        self.problems: list[tuple[AnyRule, Problem, LateFinding]] = []
        self.counts: Counter[str] = Counter()
        self._kept: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()
        self.beyond: Counter[str] = Counter()
        self.fixable = 0
        self.suppressed: Counter[str] = Counter()
        self.crashes: list[Finding] = []

    def judge(self, rule: AnyRule, subject: object, row: int | None = None) -> None:
        """Run one rule on one subject; an exception only affects that rule on that subject."""
        try:
            for problem in rule.check(subject):
                self.add(rule, problem, row)
        except Exception as error:  # noqa: BLE001 - a bug in a rule must not end the run
            self._crash(rule, error)

    def add(self, rule: AnyRule, problem: Problem, row: int | None) -> None:
        if self._suppressions and self._suppressions.silences(rule, problem.place):
            self.suppressed[rule.code] += 1
            return
        code = rule.card.code
        severity = self._overrides.get(code) or problem.severity or self._severities.get(code) or self._severity(rule)
        self.counts[code] += 1
        self.severities[severity] += 1
        if self._fixable:
            self.fixable += self.fixability.note(rule.card, problem, row)
        self._keep(rule, problem, severity, row)

    def _keep(self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None) -> None:
        code = rule.card.code
        if self._cap is None or self._kept[code] < self._cap:
            self._kept[code] += 1
            self.problems.append((rule, problem, LateFinding(self, rule, problem, severity, row)))
        else:
            self.beyond[code] += problem.count

    def add_unplaced(self, rule: AnyRule, number: int) -> None:
        """Problems of which only the number is known."""
        if number:
            self.counts[rule.code] += number
            self.severities[self._overrides.get(rule.code) or self._severity(rule)] += number
            self.fixable += number if rule.card.fixable and self._fixable else 0
            self.beyond[rule.code] += number

    def _severity(self, rule: AnyRule) -> Severity:
        """The severity on the card; cached because each problem needs it."""
        found = rule.card.severity_for(self._context.engines) or rule.card.severity
        self._severities[rule.code] = found
        return found

    def findings(self) -> list[Finding]:
        """All kept findings, by place; places are computed only now, and a rule may still crash on one."""
        made: list[Finding] = []
        for rule, _, late in self.problems:
            try:
                made.append(late.made())
            except Exception as error:  # noqa: BLE001 - as in judge
                self._crash(rule, error)
        return sorted(made, key=lambda finding: (finding.offset or 0, finding.code))

    def source_offset(self, offset: int) -> int:
        return self._document.source_offset(offset)

    def subject(self, problem: Problem, row: int | None) -> str | None:
        if problem.subject is not None or row is None:
            return problem.subject
        return (self._document.columns.locs[row] or "").strip() or None

    def finding(self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None) -> Finding:
        document = self._document
        place = problem.place
        fix = self.fixability.promised(rule.card, problem, row) if self._fixable else None
        start, end = document.lines.at(place.offset), document.lines.at(place.end)
        return Finding(
            code=rule.code,
            name=rule.name,
            severity=severity,
            engines=rule.card.minded_by(self._context.engines),
            message=problem.message,
            source=document.name,
            line=start.line,
            column=start.column,
            offset=document.source_offset(place.offset),
            length=document.source_offset(place.end) - document.source_offset(place.offset),
            end_line=end.line,
            end_column=end.column,
            subject=self.subject(problem, row),
            fix=FixNote(fix.title, fix.safety) if fix else None,
            count=problem.count,
            excerpt=excerpt(document, place),
            places=self._spots(problem, severity) if problem.count > 1 else (),
        )

    def _spots(self, problem: Problem, severity: Severity) -> tuple[Spot, ...]:
        most = MOST_NOTES if severity is Severity.INFO else CAP
        return spots(Sitemap(self._document, self._context), problem, most)

    def _crash(self, rule: AnyRule, error: Exception) -> None:
        if any(rule.code in crash.message for crash in self.crashes):
            return
        self.crashes.append(crash_of(rule, error, self._document.name, self._context.engines))


AnyTally = TypeVar("AnyTally", bound=FindingCollector)


class LateFinding:
    """A finding that is created on demand: few of the fixed ones are ever described."""

    __slots__ = ("_found", "_parts", "_tally")

    def __init__(
        self, tally: FindingCollector, rule: AnyRule, problem: Problem, severity: Severity, row: int | None
    ) -> None:
        self._tally = tally
        self._parts = (rule, problem, severity, row)
        self._found: Finding | None = None

    @property
    def offset(self) -> int:
        return self._tally.source_offset(self._parts[1].place.offset)

    @property
    def subject(self) -> str | None:
        return self._tally.subject(self._parts[1], self._parts[3])

    def made(self) -> Finding:
        if self._found is None:
            self._found = self._tally.finding(*self._parts)
        return self._found


def crash_of(rule: AnyRule, error: Exception, source: str, engines: tuple[Engine, ...]) -> Finding:
    """The finding for a rule that crashed."""
    import traceback  # only after a crash

    where = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} (line {where.lineno})"
    return Finding(
        code=CRASH.code,
        name=CRASH.name,
        severity=Severity.WARNING,
        engines=engines,
        message=f"rule {rule.code} {rule.name} crashed: {said}",
        source=source,
    )


def check(
    document: Document,
    rules: Sequence[AnyRule],
    context: Context,
    *,
    overrides: dict[str, Severity] | None = None,
) -> Verdict:
    """Run the rules on one document."""
    tally = collect(document, rules, context, FindingCollector(document, context, overrides=overrides or {}))
    findings = tally.findings()
    tally.problems.clear()  # they know the tally: the document would wait for the garbage collector
    if tally.crashes:
        tally.counts[CRASH.code] += len(tally.crashes)
        tally.severities[Severity.WARNING] += len(tally.crashes)
    return Verdict(
        documents=(checked(document),),
        findings=(*findings, *tally.crashes),
        counts=dict(sorted(tally.counts.items())),
        severity_counts=dict(tally.severities),
        beyond=dict(tally.beyond),
        fixable=tally.fixable,
        not_checked=tuple(_not_checked(document, rules, context)),
        suppressed=tuple(
            Suppressed(code, document.name, count, "a comment in the file") for code, count in tally.suppressed.items()
        ),
        cards={rule.code: rule.card for rule in rules} | ({CRASH.code: CRASH} if tally.crashes else {}),
    )


def run(
    document: Document,
    rules: Sequence[AnyRule],
    context: Context,
    *,
    overrides: dict[str, Severity] | None = None,
    cap: int | None = CAP,
) -> FindingCollector:
    """The same, keeping problems with their fixes."""
    return collect(document, rules, context, FindingCollector(document, context, overrides=overrides or {}, cap=cap))


def collect(document: Document, rules: Sequence[AnyRule], context: Context, tally: AnyTally) -> AnyTally:
    """The same, with a separate tally."""
    other = is_other(document)
    able = [rule for rule in rules if _is_able(rule, document, context, other=other)]
    if document.kind is Kind.ROBOTS:
        robots = RobotsText(document, context)
        for rule in _on(able, RobotsText):
            tally.judge(rule, robots)
    sitemap = Sitemap(document, context)
    for rule in _on(able, Sitemap):
        tally.judge(rule, sitemap)
        tally.add_unplaced(rule, document.troubles.unplaced(*rule.reports))
    _run_on_entries(sitemap, _by_signal(sitemap, able), tally)
    return tally


def _run_on_entries(sitemap: Sitemap, rules: RulesBySignal, tally: FindingCollector) -> None:
    """Exactly the pairs of rule and entry with a common signal, by entry."""
    if not rules.mask:
        return
    signals = sitemap.signals
    for row in range(len(signals)) if rules.mask == EVERYTHING else sitemap.rows_with(rules.mask):
        subjects = SubjectsOfRow(sitemap, row)
        for kind, wanted in rules[signals[row]]:
            for subject in subjects.of(kind) if subjects.may_have(kind) else ():
                for rule in wanted:
                    tally.judge(rule, subject, row)


def _by_signal(sitemap: Sitemap, rules: Sequence[AnyRule]) -> RulesBySignal:
    """The schema also rejects things that engines accept and no signal covers, so validation checks all entries."""
    if Engine.XSD_STRICT in sitemap.context.engines:
        rules = [msgspec.structs.replace(rule, when=None) for rule in rules]
    row_class: type[ListedPage | Child] = Child if sitemap.kind is Kind.SITEMAPINDEX else ListedPage
    kinds = (row_class, *(MEDIA if sitemap.columns.extended and row_class is ListedPage else ()))
    return RulesBySignal({kind: _on(rules, kind) for kind in kinds})


def _on(rules: Iterable[AnyRule], subject: type[object]) -> list[AnyRule]:
    return [rule for rule in rules if issubclass(subject, rule.on)]


def _suits(rule: AnyRule, document: Document, *, other: bool) -> bool:
    return (rule.kinds is None or document.kind in rule.kinds) and (rule.names_other or not other)


def _is_able(rule: AnyRule, document: Document, context: Context, *, other: bool) -> bool:
    return _suits(rule, document, other=other) and (rule.partly or _unmet(rule, document, context) is None)


def _unmet(rule: AnyRule, document: Document, context: Context) -> str | None:
    if rule.needs == ADDRESS and document.url is None:
        return ADDRESS
    if rule.needs == ROBOTS and context.robots is None:
        return ROBOTS
    return None


def _not_checked(document: Document, rules: Sequence[AnyRule], context: Context) -> Iterator[NotChecked]:
    other = is_other(document)
    for rule in rules:
        reason = _unmet(rule, document, context)
        if reason is not None and _suits(rule, document, other=other) and rule.on is not RobotsText:
            yield NotChecked(rule.code, reason)


def checked(document: Document) -> Checked:
    return Checked(
        source=document.name,
        url=document.url,
        kind=document.kind,
        bytes=document.envelope.size,
        entries=len(document),
        sha256=hashlib.sha256(document.data).hexdigest(),
    )
