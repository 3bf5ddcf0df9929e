"""Rules × bytes → mended bytes: fixes are applied until nothing changes, then the result is proven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import Tally, run
from urlset.findings.finding import Finding, Problem
from urlset.findings.fix import Safety
from urlset.findings.mended import Applied, Left, Mended, Piece, Removed, Renamed
from urlset.fixing.choose import Chosen, FixOptions, choose, postponed
from urlset.fixing.patchwork import Patchwork
from urlset.fixing.prove import lost_addresses, new_findings
from urlset.fixing.recode import as_it_was, is_plain, recoded
from urlset.fixing.trace import removals, renamings
from urlset.model.document import Document, Envelope
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read

__all__ = ["MAX_PASSES", "FixOptions", "mend"]

MAX_PASSES = 12
"""each pass mends what the one before uncovered; real files settle in two or three"""
_NOT_WHOLE = frozenset(
    {
        TroubleKind.TRUNCATED_GZIP,
        TroubleKind.CORRUPT_GZIP,
        TroubleKind.COMPRESSION_BOMB,
        TroubleKind.OTHER_COMPRESSION,
        TroubleKind.TOO_LARGE,
        TroubleKind.UNREADABLE,
    }
)
"""what was read is not all there is, and mending it would hide that"""
_IN_THE_BYTES = frozenset({"X002", "X009", "X010", "X012"})
"""faults of single characters: no edit elsewhere can bring them about, only uncover them"""
_UNTOLD = {
    "D003": "which offset is meant is not known: give it with --timezone, or take UTC with --unsafe",
    "L002": "what it is relative to is not known: give it with --base-url",
    "I016": "what it is relative to is not known: give it with --base-url",
}
_SHOWN = 160


def mend(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> Mended:
    """One document, written to stay one file; splitting and joining files is the business of others.

    When the result lost an address or has a finding that the original had not, it is tried again without the
    fixes of one rule, then of more and more, until nothing is wrong with it. What was left out for that reason
    gets another chance on the result, so that a second run has nothing to do.
    """
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
) -> tuple[Mended, bool]:
    """The result, and whether nothing had to be left out."""
    result = _Work(document, rules, context, options).run()
    if result.refused is None:
        return result, True
    codes = list(dict.fromkeys(item.code for item in reversed(result.applied)))
    fewer = [frozenset({code}) for code in codes] + [frozenset(codes[:end]) for end in range(2, len(codes))]
    for barred in (*fewer, frozenset(rule.code for rule in rules)):
        less = msgspec.structs.replace(options, barred=options.barred | barred)
        result = _Work(document, rules, context, less).run()
        if result.refused is None:
            break
    return result, False


def _in_the_same_wrapping(document: Document, envelope: Envelope) -> Document:
    """As if it had been delivered packed, when the original was."""
    wrapped = msgspec.structs.replace(
        document.envelope, compression=envelope.compression, layers=envelope.layers, delivered=envelope.delivered
    )
    return msgspec.structs.replace(document, envelope=wrapped)


def _continued(first: Mended, second: Mended) -> Mended:
    """Two repairs, one after the other, as one."""
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
    """One attempt at one document."""

    def __init__(self, document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> None:
        self._document = document
        self._rules = rules
        self._context = context
        self._options = options
        self._patchwork = Patchwork(document.data)
        self._present = document
        self._applied: list[Applied] = []
        self._removed: list[Removed] = []
        self._renamed: list[Renamed] = []
        self._whole = not any(trouble.kind in _NOT_WHOLE for trouble in document.troubles)
        self._first = self._tally = self._judge()
        self._recoding = recoded(document, self._first.problems, options) if self._whole else []

    def _judge(self) -> Tally:
        return run(self._present, self._rules, self._context, cap=None)

    def run(self) -> Mended:
        passes = 0
        while passes < MAX_PASSES and self._whole:
            chosen = choose(self._present, self._tally.problems, self._options)
            if not chosen:
                break
            passes += 1
            self._apply(chosen)
        edits = tuple(self._patchwork.edits())
        edited = {item.code for item in self._applied}
        return Mended(
            source=self._document.name,
            original=self._document.data,
            pieces=(Piece(self._document.name, (self._patchwork.data,)),),
            edits=edits,
            applied=(*(told for told in self._recoding if told.code not in edited), *self._applied),
            left=tuple(self._left()),
            removed=tuple(self._removed),
            renamed=tuple(self._renamed),
            passes=passes,
            refused=self._doubt() if edits else None,
            recoded=bool(self._recoding),
        )

    def _doubt(self) -> str | None:
        """Why the result is not to be trusted."""
        lost = lost_addresses(self._document, [self._present], self._removed, self._renamed)
        if lost:
            return f"{len(lost):,} addresses would be lost, the first is {lost[0]!r}"
        new = self.new_findings()
        return f"the result would have new findings: {', '.join(sorted(new))}" if new else None

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
        self._applied += self._told(chosen)
        self._removed += removals(chosen, before)
        edits = [edit for each in chosen for edit in each.edits]
        edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
        self._patchwork.apply(edits)
        data = self._patchwork.data
        envelope = self._document.envelope
        kept = None if self._recoding or is_plain(envelope) else as_it_was(envelope, data)
        self._present = _in_the_same_wrapping(read(kept or data, name=before.name, url=before.url), envelope)
        self._renamed += renamings(chosen, before, self._present)
        self._tally = self._judge()

    def _told(self, chosen: Sequence[Chosen]) -> list[Applied]:
        """Each with the line it has in the original."""
        data, lines = self._present.data, self._document.lines
        origins = self._patchwork.origins([each.problem.place.offset for each in chosen])
        told: list[Applied] = []
        for each, origin in zip(chosen, origins, strict=True):
            assert each.problem.fix is not None
            at = lines.at(origin)
            before = " … ".join(_text(edit.place.cut(data)) for edit in each.edits[:8] if edit.place.length)
            after = " … ".join(_text(edit.text) for edit in each.edits[:8] if edit.text)
            told.append(
                Applied(
                    code=each.code,
                    name=each.rule.name,
                    title=each.problem.fix.title,
                    safety=each.problem.fix.safety,
                    line=at.line,
                    column=at.column,
                    before=before[:_SHOWN],
                    after=after[:_SHOWN],
                    subject=each.finding.subject,
                )
            )
        return told

    def _left(self) -> list[Left]:
        """What stays: without a fix, or with one that was not asked for."""
        counts: Counter[tuple[str, str]] = Counter()
        first: dict[tuple[str, str], tuple[AnyRule, Finding]] = {}
        put_off = postponed(self._present, self._tally.problems, self._options)
        recoded_by = {item.code for item in self._recoding}
        for rule, problem, finding in self._tally.problems:
            if rule.code in recoded_by:
                continue
            key = (rule.code, self._reason(rule, problem, put_off))
            counts[key] += problem.count
            first.setdefault(key, (rule, finding))
        return [
            Left(code, rule.name, counts[code, reason], reason, found.line, found.column, found.message, found.severity)
            for (code, reason), (rule, found) in first.items()
        ]

    def _reason(self, rule: AnyRule, problem: Problem, put_off: Callable[[AnyRule, Problem], bool]) -> str:
        options = self._options
        if not self._whole:
            return "the file is not whole: get it again from its source"
        undecided = "no fix is certain enough" if rule.card.fixable else "needs a person to decide"
        if rule.code in _UNTOLD and options.names(rule.code) and not self._told_enough(rule.code):
            return _UNTOLD[rule.code]
        if problem.fix is None:
            return undecided
        if rule.code in options.barred:
            return "its fix would lose addresses or bring new findings"
        if not options.names(rule.code):
            return "not among the rules given with --only" if options.only else f"fixed only with --only {rule.code}"
        if problem.fix.safety is Safety.REVIEW and not options.unsafe:
            return "its fix may change what the sitemap says: --unsafe applies it"
        if not problem.fix.edits:
            return undecided
        if put_off(rule, problem):
            return "the entry is broken in more than one way: mend it by hand"
        return "fixing it did not settle"

    def _told_enough(self, code: str) -> bool:
        told = self._context.timezone if code == "D003" else self._context.base_url
        return told is not None


def _text(data: bytes) -> str:
    return data[: _SHOWN * 4].decode("utf-8", "replace")
