"""Rules × bytes → fixed bytes: fixes are applied until nothing changes, then the result is verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from urlset.checking.completeness import is_complete
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import FindingCollector, LateFinding, run
from urlset.findings.finding import Problem
from urlset.findings.fix import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left, Removed, Renamed
from urlset.fixing.blame import Blame, Key, Made, New, alone, made
from urlset.fixing.choose import Chosen, FixOptions, Found, choose, postponed
from urlset.fixing.collector import collector_paused
from urlset.fixing.patchwork import Patchwork
from urlset.fixing.prove import lost_addresses, new_findings
from urlset.fixing.recode import as_it_was, is_plain, recoded
from urlset.fixing.trace import removals, renamings
from urlset.model.document import Document, Envelope
from urlset.model.place import Place
from urlset.reading.read import read

__all__ = ["MAX_PASSES", "FixOptions", "fix_document"]

MAX_PASSES = 12
"""each pass fixes what the previous one uncovered; real files need two or three"""
_IN_THE_BYTES = frozenset({"X002", "X009", "X010", "X012"})
"""problems of single characters: an edit elsewhere cannot cause them, only uncover them"""
_CONTEXT_MISSING = {
    "D003": "UTC offset unknown; set --timezone, or assume UTC with --unsafe",
    "L002": "base URL unknown; set --base-url",
    "I016": "base URL unknown; set --base-url",
}
_SHOWN = 160
_NAMED_SINGLY = 20
"""fixes of one rule that would introduce a problem; the rest is reported together"""


def fix_document(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> FixResult:
    """One document that stays one file; splitting and joining files happens elsewhere.

    If the result lost a URL or has a new finding, it is computed again without the fixes that caused it. If no single
    fix is responsible, the fixes of one rule are skipped, then of more and more rules, until the result is correct.
    Skipped fixes are tried again on the result, so a second run changes nothing.
    """
    with collector_paused():
        result, complete = _attempt(document, rules, context, options)
        for _ in range(MAX_PASSES):
            if complete or not result.edits:
                break
            present = _in_the_same_wrapping(read(result.data, name=document.name, url=document.url), document.envelope)
            further, complete = _attempt(present, rules, context, options)
            if not further.edits:
                break
            result = _continued(result, further)
    return result


def _attempt(
    document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions
) -> tuple[FixResult, bool]:
    """The result, and whether no fix had to be skipped."""
    work = _Work(document, rules, context, options)
    result = work.run()
    if result.refused is None:
        return result, True
    spared: dict[Key, str] = {}
    for _ in range(MAX_PASSES):
        guilty = work.guilty()
        if not guilty.keys() - spared.keys():
            break
        spared = guilty | spared
        work = work.again(options, spared)
        result = work.run()
        if result.refused is None:
            return result, False
    why = work.describe_all()
    codes = list(dict.fromkeys(item.code for item in reversed(result.applied)))
    fewer = [codes[at : at + 1] for at in range(len(codes))] + [codes[:end] for end in range(2, len(codes))]
    for barred in (*fewer, [rule.code for rule in rules]):
        less = msgspec.structs.replace(options, barred=options.barred | dict.fromkeys(barred, why))
        result = work.again(less, spared).run()
        if result.refused is None:
            break
    return result, False


def _in_the_same_wrapping(document: Document, envelope: Envelope) -> Document:
    """As if it had been compressed, if the original was."""
    wrapped = msgspec.structs.replace(
        document.envelope, compression=envelope.compression, layers=envelope.layers, delivered=envelope.delivered
    )
    return msgspec.structs.replace(document, envelope=wrapped)


def _continued(first: FixResult, second: FixResult) -> FixResult:
    """Two fix results combined into one."""
    work = Patchwork(first.original)
    work.apply(first.edits)
    work.apply(second.edits)
    return msgspec.structs.replace(
        second,
        original=first.original,
        edits=tuple(work.edits()),
        applied=(*first.applied, *second.applied),
        removed=(*first.removed, *second.removed),
        renamed=(*first.renamed, *second.renamed),
        passes=first.passes + second.passes,
        recoded=first.recoded,
    )


class _Work:
    """One attempt on one document; `spared` are fixes that are skipped, and why."""

    def __init__(
        self,
        document: Document,
        rules: Sequence[AnyRule],
        context: Context,
        options: FixOptions,
        spared: Mapping[Key, str] = MappingProxyType({}),
        first: FindingCollector | None = None,
    ) -> None:
        self._document = document
        self._rules = rules
        self._context = context
        self._options = options
        self._spared = spared
        self._patchwork = Patchwork(document.data)
        self._present = document
        self._made: list[Made] = []
        self._applied: list[Applied] = []
        self._removed: list[Removed] = []
        self._renamed: list[Renamed] = []
        self._respelled: dict[str, str] = {}
        self._whole = is_complete(document)
        self._first = self._tally = first or self._judge()
        self._recoding = recoded(document, self._first.problems, options) if self._whole else []

    def again(self, options: FixOptions, spared: Mapping[Key, str]) -> _Work:
        return _Work(self._document, self._rules, self._context, options, spared, self._first)

    def _judge(self) -> FindingCollector:
        return run(self._present, self._rules, self._context, cap=None)

    def run(self) -> FixResult:
        passes = 0
        while passes < MAX_PASSES and self._whole:
            chosen = choose(self._present, self._open(), self._options)
            if not chosen:
                break
            passes += 1
            self._apply(chosen)
        edits = tuple(self._patchwork.edits())
        edited = {item.code for item in self._applied}
        return FixResult(
            source=self._document.name,
            original=self._document.data,
            pieces=(FixedFile(self._document.name, (self._patchwork.data,)),),
            edits=edits,
            applied=(*(reported for reported in self._recoding if reported.code not in edited), *self._applied),
            left=tuple(self._left()),
            removed=tuple(self._removed),
            renamed=tuple(self._renamed),
            passes=passes,
            refused=self._doubt() if edits else None,
            recoded=bool(self._recoding),
        )

    def _open(self) -> list[Found]:
        """All problems; those with a skipped fix as if they had none."""
        found = self._tally.problems
        if not self._spared:
            return found
        return [
            (rule, msgspec.structs.replace(problem, fix=None) if key in self._spared else problem, finding)
            for (rule, problem, finding), key in zip(found, self._keys(found), strict=True)
        ]

    def _keys(self, found: Sequence[Found]) -> list[Key]:
        """The keys that identify a fix in another attempt."""
        offsets = sorted({problem.place.offset for _, problem, _ in found})
        origins = dict(zip(offsets, self._patchwork.origins(offsets), strict=True))
        return [(rule.code, origins[problem.place.offset]) for rule, problem, _ in found]

    def _doubt(self) -> str | None:
        """Why the result must not be used."""
        lost = self._lost()
        if lost:
            return f"{len(lost):,} URLs would be lost, the first is {lost[0]!r}"
        new = self.new_findings()
        return f"the result would have new findings: {', '.join(sorted(new))}" if new else None

    def _lost(self) -> list[str]:
        renamed = self._renamed
        if not self._options.unsafe:  # safe fixes never change the page of a URL, but an invalid URL has no page
            renamed = [item for item in renamed if "\ufffd" in item.loc or "://" not in item.loc]
        return lost_addresses(self._document, [self._present], self._removed, renamed, self._respelled)

    def guilty(self) -> dict[Key, str]:
        """The fixes to skip, with the effect of each."""
        blame = self._blame()
        return blame.for_lost(self._lost()) | blame.for_new(self._new(), self._count_alone)

    def describe_all(self) -> str:
        """The reason for fixes that only cause a problem together."""
        lost, new = self._lost(), self._new()
        if lost:
            return f"its fixes would remove URLs such as {lost[0]!r}"
        return (
            f"its fixes would introduce {self._blame().describe(new[0])}"
            if new
            else "its fixes would introduce new findings"
        )

    def _blame(self) -> Blame:
        return Blame(self._document, self._present, self._patchwork, self._made)

    def _new(self) -> list[New]:
        """The additional findings; compared by place, because a code may have had findings before."""
        codes = self.new_findings()
        found = [item for item in self._tally.problems if item[0].code in codes]
        old = {(rule.code, problem.place.offset) for rule, problem, _ in self._first.problems}
        new = [
            (New(rule, problem, key[1]), key in old)
            for (rule, problem, _), key in zip(found, self._keys(found), strict=True)
        ]
        return [each for each, known in new if not known] or [each for each, _ in new]

    def _count_alone(self, rule: AnyRule, rows: Sequence[int]) -> int:
        document = self._read(alone(self._present, rows))
        return sum(problem.count for _, problem, _ in run(document, [rule], self._context, cap=None).problems)

    def new_findings(self) -> dict[str, int]:
        new = new_findings(self._first.counts, self._tally.counts, self._rules, self._context.engines)
        places: dict[str, list[Place]] = {code: [] for code in new.keys() & _IN_THE_BYTES}
        for rule, problem, _ in self._tally.problems if places else ():
            if rule.code in places:
                places[rule.code].append(problem.place)
        revealed = {code: self._patchwork.count_original(there) for code, there in places.items()}
        return {code: count for code, count in new.items() if count > revealed.get(code, 0)}

    def _apply(self, chosen: list[Chosen]) -> None:
        before = self._present
        chosen.sort(key=lambda each: each.problem.place.offset)
        self._made += made(chosen, self._patchwork)
        self._applied += self._describe(chosen)
        self._removed += removals(chosen, before)
        edits = [edit for each in chosen for edit in each.edits]
        edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
        self._patchwork.apply(edits)
        self._present = self._read(self._patchwork.data)
        self._renamed += renamings(chosen, before, self._present, self._respelled)
        self._tally = self._judge()

    def _read(self, data: bytes) -> Document:
        """UTF-8 as it would be read from the output file."""
        envelope, name, url = self._document.envelope, self._document.name, self._document.url
        kept = None if self._recoding or is_plain(envelope) else as_it_was(envelope, data)
        return _in_the_same_wrapping(read(kept or data, name=name, url=url), envelope)

    def _describe(self, chosen: Sequence[Chosen]) -> list[Applied]:
        """Each with its line in the original."""
        data, lines = self._present.data, self._document.lines
        origins = self._patchwork.origins([each.problem.place.offset for each in chosen])
        reported: list[Applied] = []
        for each, origin in zip(chosen, origins, strict=True):
            assert each.problem.fix is not None
            at = lines.at(origin)
            before = _shown(edit.place.cut(data) for edit in each.edits[:8] if edit.place.length)
            after = _shown(edit.text for edit in each.edits[:8] if edit.text)
            reported.append(
                Applied(
                    code=each.code,
                    name=each.rule.name,
                    title=each.problem.fix.title,
                    safety=each.problem.fix.safety,
                    line=at.line,
                    column=at.column,
                    before=before,
                    after=after,
                    subject=each.finding.subject,
                )
            )
        return reported

    def _left(self) -> list[Left]:
        """What remains: without a fix, with a fix that was not selected, or with a harmful fix."""
        counts: Counter[tuple[str, str]] = Counter()
        first: dict[tuple[str, str], tuple[AnyRule, LateFinding, str]] = {}
        put_off = postponed(self._present, self._open(), self._options)
        recoded_by = {item.code for item in self._recoding}
        singly: Counter[str] = Counter()
        found = self._tally.problems
        names = self._keys(found) if self._spared else [None] * len(found)
        for (rule, problem, finding), name in zip(found, names, strict=True):
            if rule.code in recoded_by:
                continue
            if name is not None and name in self._spared:
                reason = self._spared[name]
                singly[rule.code] += 1
                key = (rule.code, f"{min(singly[rule.code], _NAMED_SINGLY)}")
            else:
                reason = self._reason(rule, problem, put_off)
                key = (rule.code, reason)
            counts[key] += problem.count
            first.setdefault(key, (rule, finding, reason))
        return [
            Left(
                rule.code,
                rule.name,
                counts[key],
                reason,
                reported.line,
                reported.column,
                reported.message,
                reported.severity,
            )
            for key, (rule, late, reason) in first.items()
            for reported in (late.made(),)
        ]

    def _reason(self, rule: AnyRule, problem: Problem, put_off: Callable[[AnyRule, Problem], bool]) -> str:
        options = self._options
        if not self._whole:
            return "the file is incomplete; download or generate it again"
        undecided = "no safe fix is known" if rule.card.fixable else "needs manual review"
        if rule.code in _CONTEXT_MISSING and options.names(rule.code) and not self._has_context(rule.code):
            return _CONTEXT_MISSING[rule.code]
        if problem.fix is None:
            return undecided
        if rule.code in options.barred:
            return options.barred[rule.code]
        if not options.names(rule.code):
            return "not selected with --only" if options.only else f"use --only {rule.code} to fix it"
        if problem.fix.safety is Safety.REVIEW and not options.unsafe:
            return "the fix may change the meaning; use --unsafe to apply it"
        if not problem.fix.edits:
            return undecided
        if put_off(rule, problem):
            return "the entry has several overlapping problems; fix it by hand"
        return "the fixes did not converge"

    def _has_context(self, code: str) -> bool:
        reported = self._context.timezone if code == "D003" else self._context.base_url
        return reported is not None


def _shown(pieces: Iterable[bytes]) -> str:
    return " … ".join([piece[: _SHOWN * 4].decode("utf-8", "replace") for piece in pieces])[:_SHOWN]
