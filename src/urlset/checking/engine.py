"""Rules × subjects → verdict on one document: signals select the rules, a crash becomes a finding."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import ADDRESS, ROBOTS, AnyRule
from urlset.checking.fixability import Fixability, is_complete, is_other
from urlset.checking.select import CRASH, Suppressions
from urlset.checking.subjects import Child, ImageItem, LinkSet, ListedPage, NewsItem, RobotsText, Sitemap, VideoItem
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.findings.finding import Excerpt, Finding, FixNote, Problem, Spot
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.garbage import only_new_collected
from urlset.model.place import Place
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

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
        self._suppressions = Suppressions(document) or None
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
        if self._suppressions is not None and self._suppressions.silences(rule, problem.place):
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

    def rows_to_judge(self, rows: Iterable[int], signals: Sequence[int]) -> Iterable[int]:
        """The entries to run rules on; `rows` are those with signals that a rule waits for."""
        del signals
        return rows

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
        most = MOST_NOTES if severity is Severity.INFO else CAP
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
            places=spots(Sitemap(document, self._context), problem, most) if problem.count > 1 else (),
        )

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
    document: Document, rules: Sequence[AnyRule], context: Context, *, overrides: dict[str, Severity] | None = None
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


@only_new_collected()
def collect(document: Document, rules: Sequence[AnyRule], context: Context, tally: AnyTally) -> AnyTally:
    """The same, with a separate tally."""
    other = is_other(document)
    able = [
        rule
        for rule in rules
        if (_suits(rule, document, other=other) and (rule.partly or _unmet(rule, document, context) is None))
    ]
    if document.kind is Kind.ROBOTS:
        robots = RobotsText(document, context)
        for rule in _on(able, RobotsText):
            tally.judge(rule, robots)
    sitemap = Sitemap(document, context)
    for rule in _on(able, Sitemap):
        tally.judge(rule, sitemap)
        tally.add_unplaced(rule, document.troubles.unplaced(*rule.reports))
    if Engine.XSD_STRICT in context.engines:
        # the schema also rejects what engines accept and no signal covers, so validation checks all entries
        able = [msgspec.structs.replace(rule, when=None) for rule in able]
    row_class: type[ListedPage | Child] = Child if sitemap.kind.lists_sitemaps else ListedPage
    kinds = (row_class, *(MEDIA if sitemap.columns.extended and row_class is ListedPage else ()))
    by_signal = RulesBySignal({kind: _on(able, kind) for kind in kinds})
    if by_signal.mask:  # exactly the pairs of rule and entry with a common signal, by entry
        signals = sitemap.signals
        has_media = sitemap.columns.extended
        rows = range(len(signals)) if by_signal.mask == EVERYTHING else sitemap.rows_with(by_signal.mask)
        for row in tally.rows_to_judge(rows, signals):
            subjects = SubjectsOfRow(sitemap, row)
            for kind, wanted in by_signal[signals[row]]:
                for subject in subjects.of(kind):
                    for rule in wanted:
                        tally.judge(rule, subject, row)
            if has_media:
                subjects.release()
        sitemap.media_notes.links.clear()  # kept findings know the sitemap, and these are most of its memory
    return tally


def _on(rules: Iterable[AnyRule], subject: type[object]) -> list[AnyRule]:
    return [rule for rule in rules if issubclass(subject, rule.on)]


def _suits(rule: AnyRule, document: Document, *, other: bool) -> bool:
    return (rule.kinds is None or document.kind in rule.kinds) and (rule.names_other or not other)


def _unmet(rule: AnyRule, document: Document, context: Context) -> str | None:
    if rule.needs == ADDRESS and document.url is None:
        return ADDRESS
    if rule.needs == ROBOTS and context.robots is None:
        return ROBOTS
    return None


def _not_checked(document: Document, rules: Sequence[AnyRule], context: Context) -> Iterator[NotChecked]:
    other = is_other(document)
    if document.kind.is_other_list:
        unfit = f"not applicable: {document.kind.noun} is not a sitemap"
        yield from (NotChecked(rule.code, unfit) for rule in rules if rule.on is not TreeView and not rule.names_other)
        return
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


# A place in a document → the line to show, cut to a window around it.

WIDTH = 96
"""maximum characters of a line"""
_REACH = 4096
"""bytes searched on either side: a line may be a whole minified sitemap"""
_LINE_END = lazy_pattern(rb"[\r\n]")


def excerpt(document: Document, place: Place) -> Excerpt | None:
    """None for an empty document."""
    data = document.data
    if not data:
        return None
    offset = min(place.offset, len(data))
    reach = max(0, offset - _REACH)
    inside = data[offset - 1 : offset + 1] == b"\r\n"
    breaks = (data.rfind(b"\n", reach, offset), data.rfind(b"\r", reach, offset - inside))
    start = max(reach, max(breaks) + 1)
    line_end = _LINE_END.search(data, offset, offset + place.length + _REACH)
    end = line_end.start() if line_end is not None else min(len(data), offset + _REACH)
    before = data[start:offset].decode("utf-8", "replace").lstrip("\ufffd")
    fault = data[offset : min(place.end, end)].decode("utf-8", "replace")
    after = data[min(place.end, end) : end].decode("utf-8", "replace")
    shown = fault[:WIDTH]
    whole = before.lstrip() if start > reach or not start else before
    if len(whole) + len(fault) + len(after) <= WIDTH:
        return Excerpt(whole + fault + after, len(whole), len(fault), cut_right=place.end > end)
    room = max(16, (WIDTH - len(shown)) // 2)
    left, right = before[-room:], after[: max(0, WIDTH - len(shown) - min(room, len(before)))]
    trimmed = left.lstrip() if left == before else left
    return Excerpt(
        trimmed + shown + right,
        len(trimmed),
        len(shown),
        cut_left=len(before) > len(left),
        cut_right=len(after) > len(right) or len(fault) > len(shown) or place.end > end,
    )


# The entries covered by one problem → the line, offset, and URL of each, up to a limit.

MOST_NOTES = 100
"""places of a note: a note on a large file affects nearly all of it, and is rarely read"""


def spots(sitemap: Sitemap, problem: Problem, most: int) -> tuple[Spot, ...]:
    """In document order."""
    rows = problem.rows() if callable(problem.rows) else problem.rows
    places = [loc_place(sitemap, row) for row in islice(rows, most)]
    named = bool(places)
    places = sorted(places or islice(problem.places, most), key=lambda place: place.offset)
    document = sitemap.document
    number, source = document.lines.number, document.source_offset
    return tuple(
        Spot(number(place.offset), source(place.offset), place.length, _text(sitemap, place) if named else None)
        for place in places
    )


def _text(sitemap: Sitemap, place: Place) -> str:
    """A URL as it is read."""
    text = place.cut(sitemap.data).decode("utf-8", "replace")
    if "&" in text and sitemap.kind is not Kind.TEXT:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text


def loc_place(sitemap: Sitemap, row: int) -> Place:
    """The bytes of a URL; fast if it comes first in its entry and is written without references."""
    columns, data = sitemap.columns, sitemap.data
    if sitemap.kind.is_protocol and not columns.marks[row] & ~Mark.EXTENDED:
        start = data.find(b"loc>", columns.starts[row], columns.ends[row]) + 4
        text = data[start : data.find(b"<", start)]
        bare = text.strip()
        if start > 3 and bare and b"&" not in bare:
            return Place(start + len(text) - len(text.lstrip()), len(bare))
    return ListedPage(sitemap, row).locate_whole()


# The signals of an entry → the rules that run on it and on its media.

EVERYTHING = (1 << 64) - 1
MEDIA = (ImageItem, VideoItem, NewsItem, LinkSet)


class RulesBySignal(dict[int, list[tuple[type[object], list[AnyRule]]]]):
    """Signals → the rules that wait for one of them, by kind of subject; a file has few different signal sets."""

    def __init__(self, rules: dict[type[object], list[AnyRule]]) -> None:
        super().__init__()
        self._rules = rules
        self.mask = 0
        """all signals that any rule waits for"""
        for kind, wanted in rules.items():
            for rule in wanted:
                self.mask |= _when(rule, kind)

    def __missing__(self, signals: int) -> list[tuple[type[object], list[AnyRule]]]:
        found = self[signals] = []
        for kind, waiting in self._rules.items():
            wanted = [rule for rule in waiting if _when(rule, kind) & signals or _when(rule, kind) == EVERYTHING]
            if wanted:
                found.append((kind, wanted))
        return found


def _when(rule: AnyRule, kind: type[object]) -> int:
    """A rule without signals checks all entries; a rule on media checks all entries that can have some."""
    if rule.when is not None:
        return rule.when
    return Signal.EXTENDED if kind in MEDIA else EVERYTHING


class SubjectsOfRow:
    """One entry as rules see it, created when the first of them looks."""

    __slots__ = ("_listed", "row", "sitemap")

    def __init__(self, sitemap: Sitemap, row: int) -> None:
        self.sitemap = sitemap
        self.row = row
        self._listed: ListedPage | Child | None = None

    def of(self, kind: type[object]) -> Sequence[object]:
        listed = self._listed
        if listed is None:
            row_class = Child if self.sitemap.kind.lists_sitemaps else ListedPage
            listed = self._listed = row_class(self.sitemap, self.row)
        if kind not in MEDIA or not isinstance(listed, ListedPage):
            return (listed,)
        if kind is ImageItem:
            return listed.images
        if kind is VideoItem:
            return listed.videos
        if kind is NewsItem:
            return listed.news
        return [listed.links] if listed.links.elements else []

    def release(self) -> None:
        """Media refer to their page: without the way back, both are freed at once instead of being collected."""
        for name in ("images", "videos", "news", "links") if self._listed is not None else ():
            vars(self._listed).pop(name, None)
