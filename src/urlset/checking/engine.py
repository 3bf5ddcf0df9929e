"""Rules × subjects → verdict on one document; a crashing rule becomes a finding."""

from __future__ import annotations

import hashlib
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from urlset.checking.context import Context
from urlset.checking.declare import ADDRESS, ROBOTS, AnyRule
from urlset.checking.excerpt import excerpt
from urlset.checking.plain import plain_images, plain_rows
from urlset.checking.spots import MOST_NOTES, spots
from urlset.checking.subjects import (
    Child,
    ImageItem,
    LinkSet,
    Listed,
    NewsItem,
    RobotsText,
    Sitemap,
    VideoItem,
)
from urlset.checking.suppress import Suppressions
from urlset.checking.whole import is_whole
from urlset.findings.card import Card
from urlset.findings.finding import Finding, FixNote, Problem, Spot
from urlset.findings.severity import Severity
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.spec.engines import Engine

CAP = 1000
"""findings kept per rule and document; beyond it only the count goes on"""

CRASH = Card(
    code="T001",
    name="rule-crashed",
    summary="A rule of urlset itself broke down.",
    rationale="The rest of the run went on; what this rule would have said is unknown. Please report it.",
    severities=dict.fromkeys(Engine, Severity.WARNING),
    cites=(),
    fixable=False,
)


class Tally:
    """Collects what rules say of one document: findings up to the cap, counts without one."""

    def __init__(
        self, document: Document, context: Context, *, overrides: dict[str, Severity], cap: int | None = CAP
    ) -> None:
        self._document = document
        self._context = context
        self._overrides = overrides
        self._cap = cap
        self._severities: dict[str, Severity] = {}
        self._suppressions = Suppressions(document)
        self._mendable = is_whole(document)
        self.problems: list[tuple[AnyRule, Problem, Finding]] = []
        self.counts: Counter[str] = Counter()
        self._kept: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()
        self.beyond: Counter[str] = Counter()
        self.fixable = 0
        self.suppressed: Counter[str] = Counter()
        self.crashes: list[Finding] = []

    def judge(self, rule: AnyRule, subject: object, row: int | None = None) -> None:
        """Run one rule on one subject; an exception inside it costs that rule on that subject only."""
        try:
            for problem in rule.check(subject):
                self.add(rule, problem, row)
        except Exception as error:  # noqa: BLE001 - whatever a rule does wrong must not end the run
            self._crash(rule, error)

    def add(self, rule: AnyRule, problem: Problem, row: int | None) -> None:
        if self._suppressions and self._suppressions.silences(rule, problem.place):
            self.suppressed[rule.code] += 1
            return
        severity = self.severity(rule, problem)
        self.counts[rule.code] += 1
        self.severities[severity] += 1
        if problem.fix is not None and self._mendable:
            self.fixable += 1
        if self._cap is None or self._kept[rule.code] < self._cap:
            self._kept[rule.code] += 1
            self._keep(rule, problem, severity, row)
        else:
            self.beyond[rule.code] += problem.count

    def severity(self, rule: AnyRule, problem: Problem) -> Severity:
        if rule.code in self._overrides:
            return self._overrides[rule.code]
        if problem.severity is not None:
            return problem.severity
        known = self._severities.get(rule.code)
        if known is None:
            known = rule.card.severity_for(self._context.engines) or rule.card.severity
            self._severities[rule.code] = known
        return known

    def _keep(self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None) -> None:
        document = self._document
        place = problem.place
        start, end = document.lines.at(place.offset), document.lines.at(place.end)
        subject = problem.subject
        if subject is None and row is not None:
            subject = (document.columns.locs[row] or "").strip() or None
        finding = Finding(
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
            subject=subject,
            fix=FixNote(problem.fix.title, problem.fix.safety) if problem.fix and self._mendable else None,
            count=problem.count,
            excerpt=excerpt(document, place),
            places=self._spots(problem, severity) if problem.count > 1 else (),
        )
        self.problems.append((rule, problem, finding))

    def _spots(self, problem: Problem, severity: Severity) -> tuple[Spot, ...]:
        most = MOST_NOTES if severity is Severity.INFO else CAP
        return spots(Sitemap(self._document, self._context), problem, most)

    def _crash(self, rule: AnyRule, error: Exception) -> None:
        if any(rule.code in crash.message for crash in self.crashes):
            return
        self.crashes.append(crash_of(rule, error, self._document.name, self._context.engines))


def crash_of(rule: AnyRule, error: Exception, source: str, engines: tuple[Engine, ...]) -> Finding:
    """What is said of a rule that broke down."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error} (line {where.lineno})"
    return Finding(
        code=CRASH.code,
        name=CRASH.name,
        severity=Severity.WARNING,
        engines=engines,
        message=f"rule {rule.code} {rule.name} broke down: {said}",
        source=source,
    )


def check(
    document: Document,
    rules: Sequence[AnyRule],
    context: Context,
    *,
    overrides: dict[str, Severity] | None = None,
) -> Verdict:
    """Run the rules over one document."""
    tally = run(document, rules, context, overrides=overrides)
    findings = sorted(
        (finding for _, _, finding in tally.problems), key=lambda finding: (finding.offset or 0, finding.code)
    )
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
) -> Tally:
    """The same, keeping problems with their fixes."""
    tally = Tally(document, context, overrides=overrides or {}, cap=cap)
    able = [rule for rule in rules if _is_able(rule, document, context)]
    if document.kind is Kind.ROBOTS:
        robots = RobotsText(document, context)
        for rule in _on(able, RobotsText):
            tally.judge(rule, robots)
    sitemap = Sitemap(document, context)
    for rule in _on(able, Sitemap):
        tally.judge(rule, sitemap)
    _run_rows(sitemap, able, tally)
    return tally


def _run_rows(sitemap: Sitemap, rules: Sequence[AnyRule], tally: Tally) -> None:
    subject_class: type[Listed | Child] = Child if sitemap.kind is Kind.SITEMAPINDEX else Listed
    entry_rules = _on(rules, subject_class)
    kinds = (ImageItem, VideoItem, NewsItem, LinkSet) if sitemap.columns.extended else ()
    media_rules = {kind: found for kind in kinds if (found := _on(rules, kind))}
    if not entry_rules and not media_rules:
        return
    plain = plain_rows(sitemap)
    marks = sitemap.columns.marks
    if 0 not in plain and not sitemap.columns.extended:
        return
    screen = _MediaScreen(sitemap, media_rules)
    for row in range(len(sitemap.columns)):
        extended = marks[row] & Mark.EXTENDED
        if plain[row] and not extended:
            continue
        subject = subject_class(sitemap, row)
        if not plain[row]:
            for rule in entry_rules:
                tally.judge(rule, subject, row)
        if extended and media_rules and isinstance(subject, Listed) and not screen.clears(row):
            _run_media(subject, media_rules, tally)


class _MediaScreen:
    """Rows whose links and images are so plain that no rule about them can fire: they need no second look."""

    def __init__(self, sitemap: Sitemap, rules: Mapping[Any, list[AnyRule]]) -> None:
        screens = {rule.screen for rule in rules.get(LinkSet, [])}
        alone = screens.pop() if len(screens) == 1 else None
        self._document = sitemap.document
        self._links = LinkSet in rules
        self._plain = alone(sitemap) if alone is not None else None

    def clears(self, row: int) -> bool:
        if self._plain is not None and not self._plain[row]:
            return False
        media = self._document.media(row)
        if media.videos or media.news or (media.alternates and self._links and self._plain is None):
            return False
        return not media.images or plain_images(self._document, row, media.images)


def _run_media(listed: Listed, rules: Mapping[Any, list[AnyRule]], tally: Tally) -> None:
    for kind, wanted in rules.items():
        for subject in _subjects(listed, kind):
            for rule in wanted:
                tally.judge(rule, subject, listed.row)


def _subjects(listed: Listed, wanted: type[object]) -> Sequence[object]:
    if wanted is ImageItem:
        return listed.images
    if wanted is VideoItem:
        return listed.videos
    if wanted is NewsItem:
        return listed.news
    return [listed.links] if listed.links.elements else []


def _on(rules: Iterable[AnyRule], subject: type[object]) -> list[AnyRule]:
    return [rule for rule in rules if issubclass(subject, rule.on)]


def _suits(rule: AnyRule, document: Document) -> bool:
    return rule.kinds is None or document.kind in rule.kinds


def _is_able(rule: AnyRule, document: Document, context: Context) -> bool:
    return _suits(rule, document) and (rule.partly or _unmet(rule, document, context) is None)


def _unmet(rule: AnyRule, document: Document, context: Context) -> str | None:
    if rule.needs == ADDRESS and document.url is None:
        return ADDRESS
    if rule.needs == ROBOTS and context.robots is None:
        return ROBOTS
    return None


def _not_checked(document: Document, rules: Sequence[AnyRule], context: Context) -> Iterator[NotChecked]:
    for rule in rules:
        reason = _unmet(rule, document, context)
        if reason is not None and _suits(rule, document) and rule.on is not RobotsText:
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
