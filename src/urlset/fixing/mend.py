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
from urlset.fixing.recode import recoded
from urlset.fixing.prove import lost_addresses, new_findings
from urlset.fixing.trace import removals, renamings
from urlset.model.document import Document
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
_SHOWN = 160


def mend(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> Mended:
    """One document, written to stay one file; splitting and joining files is the business of others.

    When the result lost an address or has a finding that the original had not, it is tried again without the
    fixes of one rule, then of more and more, until nothing is wrong with it.
    """
    result = _Work(document, rules, context, options).run()
    if result.refused is None:
        return result
    codes = list(dict.fromkeys(item.code for item in reversed(result.applied)))
    fewer = [frozenset({code}) for code in codes] + [frozenset(codes[:end]) for end in range(2, len(codes))]
    for barred in (*fewer, frozenset(rule.code for rule in rules)):
        less = msgspec.structs.replace(options, barred=options.barred | barred)
        result = _Work(document, rules, context, less).run()
        if result.refused is None:
            break
    return result


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

    def _judge(self) -> Tally:
        return run(self._present, self._rules, self._context, cap=None)

    def run(self) -> Mended:
        passes = 0
        recoding = recoded(self._document, self._tally.problems, self._options) if self._whole else []
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
            pieces=(Piece(self._document.name, self._patchwork.data),),
            edits=edits,
            applied=(*(told for told in recoding if told.code not in edited), *self._applied),
            left=tuple(self._left()),
            removed=tuple(self._removed),
            renamed=tuple(self._renamed),
            passes=passes,
            refused=self._doubt() if edits else None,
            recoded=bool(recoding),
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
        revealed = Counter(
            rule.code
            for rule, problem, _ in self._tally.problems
            if rule.code in _IN_THE_BYTES and rule.code in new and self._patchwork.is_original(problem.place)
        )
        return {code: count for code, count in new.items() if count > revealed[code]}

    def _apply(self, chosen: list[Chosen]) -> None:
        before = self._present
        chosen.sort(key=lambda each: each.problem.place.offset)
        self._applied += self._told(chosen)
        self._removed += removals(chosen, before)
        edits = [edit for each in chosen for edit in each.edits]
        edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
        self._patchwork.apply(edits)
        self._present = read(self._patchwork.data, name=before.name, url=before.url)
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
            before = " … ".join(_text(edit.place.cut(data)) for edit in each.edits[:8])
            after = " … ".join(_text(edit.text) for edit in each.edits[:8])
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
        for rule, problem, finding in self._tally.problems:
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
        if problem.fix is None or not problem.fix.edits:
            return "no fix is certain enough" if rule.card.fixable else "needs a person to decide"
        if rule.code in options.barred:
            return "its fix would lose addresses or bring new findings"
        if not options.names(rule.code):
            return "not among the rules given with --only" if options.only else f"fixed only with --only {rule.code}"
        if problem.fix.safety is Safety.REVIEW and not options.unsafe:
            return "its fix may change what the sitemap says: --unsafe applies it"
        if put_off(rule, problem):
            return "the entry is broken in more than one way: mend it by hand"
        return "fixing it did not settle"


def _text(data: bytes) -> str:
    return data[: _SHOWN * 4].decode("utf-8", "replace")
