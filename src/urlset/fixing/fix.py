"""Rules × bytes → fixed bytes: fixes are applied until nothing changes, then the result is verified."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from urlset.checking.completeness import is_complete, is_other
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import LateFinding, collect, run
from urlset.findings.finding import Problem
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left, Removed, Renamed
from urlset.fixing.applied import AppliedLog, FixPass
from urlset.fixing.blame import Blame, New, alone, made
from urlset.fixing.choose import FixOptions, Rows, choose
from urlset.fixing.collector import only_new_collected
from urlset.fixing.fixes import Fixes
from urlset.fixing.harvest import FixCollector, Key
from urlset.fixing.judge import OnDisk, ReportedUrls, objection
from urlset.fixing.patchwork import Patchwork
from urlset.fixing.prove import lost_addresses, new_findings, too_many_removed
from urlset.fixing.recode import as_it_was, is_plain, recoded
from urlset.fixing.trace import removals, renamings, respellings
from urlset.model.document import Document, Envelope
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read

__all__ = ["MAX_PASSES", "FixOptions", "fix_document", "verified"]

MAX_PASSES = 12
"""each pass fixes what the previous one uncovered; real files need two or three"""
_MOST_BLAMED = 4
"""attempts without single fixes that were found guilty, before the fixes of whole rules are skipped"""
_MOST_TRIED = 500_000
"""fixes that attempts may apply in all to separate the guilty ones; then those of all rules are skipped"""
_ENDLESS = "its fixes call for further fixes, without an end after"
_COMPLETING = frozenset({"L002", "I016"})
"""rules whose fixes make a URL of one without scheme or host; safe if the base URL is known"""
_IN_THE_BYTES = frozenset({"X002", "X009", "X010", "X012"})
"""problems of single characters: an edit elsewhere cannot cause them, only uncover them"""


def fix_document(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> FixResult:
    """One document that stays one file; splitting and joining files happens elsewhere.

    If the result lost a URL or has a new finding, it is computed again without the fixes that caused it. If no single
    fix is responsible, the fixes of one rule are skipped, then of more and more rules, until the result is correct.
    Skipped fixes are tried again on the result, so a second run changes nothing.
    """
    if document.troubles.has(TroubleKind.UNRENDERED):
        result, _ = _attempt(document, rules, context, options)
        return msgspec.structs.replace(result, refused="unrendered template; fix the template or the rendered sitemap")
    with only_new_collected():
        result, complete = _attempt(document, rules, context, options)
        for _ in range(MAX_PASSES):
            if complete or not (result.edits or result.recoded):
                break
            present = _as_written(document, result.data, recoded=result.recoded)
            further, complete = _attempt(present, rules, context, options)
            if not further.edits:
                break
            result = _continued(result, further)
        else:
            result = msgspec.structs.replace(result, refused=f"{_ENDLESS} {MAX_PASSES} attempts")
    return result


def _attempt(
    document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions
) -> tuple[FixResult, bool]:
    """The result, and whether no fix had to be skipped or is yet to be found in the new encoding."""
    work = _Work(document, rules, context, options)
    result = work.run()
    if barred := work.shrinking():
        return _attempt(document, rules, context, options.without(barred))[0], False
    if result.refused is None:
        return result, not result.recoded
    search = _Search(work, rules, options, tried=len(result.applied))
    return search.run(result), False


class _Search:
    """For the fixes that make a result unusable: single fixes first, then all fixes of a few rules.

    Each attempt fixes the whole document, so attempts are few: blame names single fixes at most four times, and the
    rules are found by doubling and halving. A file with twelve kinds of faults took up to 36 attempts before that.
    """

    def __init__(self, work: _Work, rules: Sequence[AnyRule], options: FixOptions, *, tried: int) -> None:
        self._work = work
        self._rules = rules
        self._options = options
        self._tried = tried
        self._spared: dict[Key, str] = {}
        self._why = ""
        self._unusable: set[frozenset[str]] = set()
        self._usable: tuple[frozenset[str], FixResult] | None = None
        """the last one"""

    def run(self, result: FixResult) -> FixResult:
        for _ in range(_MOST_BLAMED):
            guilty = self._work.guilty() if self._tried < _MOST_TRIED else {}
            if not guilty.keys() - self._spared.keys():
                break
            self._spared = guilty | self._spared
            self._work = self._work.again(self._options, self._spared)
            result = self._result_of(self._work)
            if result.refused is None:
                return result
        self._why = self._work.describe_all()
        blamed = (code for code, _ in self._spared)
        codes = list(dict.fromkeys((*blamed, *(item.code for item in reversed(result.applied)))))
        if self._fewest(codes) is None or self._usable is None:
            work = self._without(rule.code for rule in self._rules)
            result = self._result_of(work)
            return msgspec.structs.replace(result, left=tuple(work.left())) if result.refused else result
        return self._usable[1]

    def _fewest(self, suspects: list[str]) -> list[str] | None:
        """The rules without whose fixes the result is usable; None if there are none, or too much was tried."""
        needed: list[str] = []
        while not self._is_usable(needed):
            if not suspects or self._tried >= _MOST_TRIED:
                return None
            most = 1
            while most < len(suspects) and not self._is_usable(needed + suspects[:most]):
                most *= 2
            least, most = most // 2, min(most, len(suspects))
            while most - least > 1:
                middle = (least + most) // 2
                least, most = (least, middle) if self._is_usable(needed + suspects[:middle]) else (middle, most)
            needed.append(suspects[most - 1])
            suspects = suspects[: most - 1]
        return needed

    def _is_usable(self, barred: Sequence[str]) -> bool:
        key = frozenset(barred)
        if self._usable is not None and self._usable[0] == key:
            return True
        if not key or key in self._unusable or self._tried >= _MOST_TRIED:
            return False
        result = self._result_of(self._without(key))
        if result.refused is None:
            self._usable = (key, result)
        else:
            self._unusable.add(key)
        return result.refused is None

    def _without(self, barred: Iterable[str]) -> _Work:
        return self._work.again(self._options.without(dict.fromkeys(barred, self._why)), self._spared)

    def _result_of(self, work: _Work) -> FixResult:
        result = work.run()
        self._tried += len(result.applied)
        return result


def _as_written(document: Document, data: bytes, *, recoded: bool) -> Document:
    """The document with this UTF-8 data, as it would be read from the output file."""
    envelope = document.envelope
    kept = None if recoded or is_plain(envelope) else as_it_was(envelope, data)
    return _in_the_same_wrapping(read(kept or data, name=document.name, url=document.url), envelope)


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
        edits=work.edits(),
        applied=(*first.applied, *second.applied),
        removed=(*first.removed, *second.removed),
        renamed=(*first.renamed, *second.renamed),
        passes=first.passes + second.passes,
        recoded=first.recoded or second.recoded,
    )


def stored(envelope: Envelope, before: bytes, after: Sequence[bytes], *, recoded: bool) -> OnDisk | None:
    """A file and its result in the encoding of the file; None if that is UTF-8."""
    if is_plain(envelope):
        return None
    results = after if recoded else [as_it_was(envelope, data) or data for data in after]
    return as_it_was(envelope, before) or before, results


def verified(result: FixResult, earlier: FixResult, envelope: Envelope) -> FixResult:
    """The result, refused if its files are worse than the one file of an earlier result."""
    if result.refused is not None or result.pieces is earlier.pieces:
        return result
    before, after = earlier.data, [piece.data for piece in result.pieces]
    named = ReportedUrls(
        [item.loc for item in result.removed], [(item.loc, item.to) for item in result.renamed], may_add=True
    )
    doubt = objection(before, after, named, stored(envelope, before, after, recoded=result.recoded))
    return result if doubt is None else msgspec.structs.replace(result, refused=doubt)


class _Work:
    """One attempt on one document; `spared` are fixes that are skipped, and why."""

    def __init__(
        self,
        document: Document,
        rules: Sequence[AnyRule],
        context: Context,
        options: FixOptions,
        spared: Mapping[Key, str] = MappingProxyType({}),
    ) -> None:
        self._document = document
        self._rules = rules
        self._context = context
        self._options = options
        self._spared = spared
        self._patchwork = Patchwork(document.data)
        self._data = document.data
        self._present = document
        self._passes: list[FixPass] = []
        self._removed: list[Removed] = []
        self._renamed: list[Renamed] = []
        self._respelled: dict[str, str] = {}
        self._same_pages = True
        """each row of the result is the page of that row in the original, so no URL is lost"""
        self._is_endless = False
        """there were still fixes to apply after the last pass"""
        self._whole = is_complete(document) and not is_other(document)
        self._harvest = self._judge()
        self._counts_before = self._harvest.counts
        self._recoding = recoded(document, rules, context, options) if self._whole else []

    def again(self, options: FixOptions, spared: Mapping[Key, str]) -> _Work:
        return _Work(self._document, self._rules, self._context, options, spared)

    def _judge(self, unfit: Rows | None = None) -> FixCollector:
        origin = self._patchwork.snapshot().origin
        harvest = FixCollector(self._present, self._context, self._options, origin, self._spared, unfit)
        return collect(self._present, self._rules, self._context, harvest)

    def run(self) -> FixResult:
        """What remains is not looked for in a result that must not be used."""
        while self._whole and len(chosen := choose(self._harvest.fixes, self._harvest.rows)):
            if len(self._passes) == MAX_PASSES:
                self._is_endless = True
                break
            self._apply(chosen)
        edits = self._patchwork.edits()
        refused = self._doubt() if edits else None
        return FixResult(
            source=self._document.name,
            original=self._document.data,
            pieces=(FixedFile(self._document.name, (self._data,)),),
            edits=edits,
            applied=self._log(),
            left=() if refused else tuple(self.left()),
            removed=tuple(self._removed),
            renamed=tuple(self._renamed),
            passes=len(self._passes),
            refused=refused,
            recoded=bool(self._recoding),
        )

    def _log(self) -> Sequence[Applied]:
        edited = {title.rule.code for each in self._passes for title in each.fixes.titles}
        recoding = tuple(reported for reported in self._recoding if reported.code not in edited)
        made_of_edits = AppliedLog(self._document, self._passes) if self._passes else ()
        return (*recoding, *made_of_edits) if recoding else made_of_edits

    def _doubt(self) -> str | None:
        """Why the result must not be used."""
        if self._is_endless:
            return f"{_ENDLESS} {MAX_PASSES} passes"
        lost = self._lost()
        if lost:
            return f"{len(lost):,} URLs would be lost, the first is {lost[0]!r}"
        new = self.new_findings()
        if new:
            return f"the result would have new findings: {', '.join(sorted(new))}"
        return self._objection()

    def _objection(self) -> str | None:
        """What a parser that is not urlset's says against the result."""
        edits = self._patchwork.edits()
        changed = [*((item.loc, item.to) for item in self._renamed), *self._respelled.items()]
        named = ReportedUrls(
            [item.loc for item in self._removed], changed, list(zip(edits.offsets, edits.ends(), strict=True))
        )
        envelope = self._document.envelope
        if not self._recoding and not is_plain(envelope) and as_it_was(envelope, self._data) is None:
            return f"the result has characters that {envelope.encoding} cannot represent"
        on_disk = stored(envelope, self._document.data, [self._data], recoded=bool(self._recoding))
        return objection(self._document.data, [self._data], named, on_disk)

    def _lost(self) -> list[str]:
        if self._same_pages:
            return []
        renamed, changed = self._renamed, list[str]()
        if not self._options.unsafe:  # a safe fix never changes the page of a URL; unreadable bytes have no page
            changed = [item.loc for item in renamed if "\ufffd" not in item.loc and item.code not in _COMPLETING]
            renamed = [item for item in renamed if "\ufffd" in item.loc or item.code in _COMPLETING]
        lost = lost_addresses(self._document, [self._present], self._removed, renamed, self._respelled)
        return list(dict.fromkeys([*lost, *changed]))

    def shrinking(self) -> dict[str, str]:
        """The rule that removes most of the entries without permission, and the reason not to apply its fixes."""
        return {} if self._options.allow_shrink else too_many_removed(self._document, self._present, self._removed)

    def guilty(self) -> dict[Key, str]:
        """The fixes to skip, with the effect of each."""
        if self._is_endless:
            return {}
        blame = self._blame()
        return blame.for_lost(self._lost()) | blame.for_new(self._new(), self._count_alone)

    def describe_all(self) -> str:
        """The reason for fixes that only cause a problem together."""
        if self._is_endless:
            return f"{_ENDLESS} {MAX_PASSES} passes"
        lost, new = self._lost(), self._new()
        if lost:
            return f"its fixes would remove URLs such as {lost[0]!r}"
        if new:
            return f"its fixes would introduce {self._blame().describe(new[0])}"
        doubt = self._objection()
        return f"its fixes would do harm: {doubt}" if doubt else "its fixes would introduce new findings"

    def _blame(self) -> Blame:
        fixes = [fix for each in self._passes for fix in made(each.fixes, each.patchwork)]
        return Blame(self._document, self._present, self._patchwork, fixes)

    def _new(self) -> list[New]:
        """The additional findings; compared by place, because a code may have had findings before."""
        codes = self.new_findings()
        old = {(rule.code, problem.place.offset) for rule, problem, _ in self._problems(self._document, codes)}
        new = [
            New(rule, problem, self._patchwork.origin(problem.place.offset))
            for rule, problem, _ in self._problems(self._present, codes)
        ]
        return [each for each in new if (each.rule.code, each.origin) not in old] or new

    def _problems(self, document: Document, codes: Collection[str]) -> list[tuple[AnyRule, Problem, LateFinding]]:
        """One by one, because the harvest does not keep them: only used if the result must not be used."""
        rules = [rule for rule in self._rules if rule.code in codes]
        return run(document, rules, self._context, cap=None).problems if rules else []

    def _count_alone(self, rule: AnyRule, rows: Sequence[int]) -> int:
        document = self._read(alone(self._present, rows))
        return sum(problem.count for _, problem, _ in run(document, [rule], self._context, cap=None).problems)

    def new_findings(self) -> dict[str, int]:
        new = new_findings(
            self._document, self._counts_before, self._harvest.counts, self._rules, self._context.engines
        )
        places: dict[str, list[Place]] = {code: [] for code in new.keys() & _IN_THE_BYTES}
        for rule, problem, _ in self._problems(self._present, places):
            places[rule.code].append(problem.place)
        revealed = {code: self._patchwork.count_original(there) for code, there in places.items()}
        return {code: count for code, count in new.items() if count > revealed.get(code, 0)}

    def _apply(self, chosen: Fixes) -> None:
        before = self._present
        self._passes.append(FixPass(chosen, before, self._patchwork.snapshot()))
        self._removed += removals(chosen, before)
        edits = chosen.edits.in_order()
        self._patchwork.apply(edits)
        self._data = self._patchwork.data
        self._present = self._read(self._data)
        respelled = respellings(before, self._present)
        if respelled is None:
            self._same_pages = False
            self._renamed += renamings(chosen, edits, before, self._present, self._respelled)
        else:
            self._respelled.update(respelled)
        self._harvest = self._judge()

    def _read(self, data: bytes) -> Document:
        return _as_written(self._document, data, recoded=bool(self._recoding))

    def left(self) -> list[Left]:
        """What remains: without a fix, with a fix that was not selected, or with a harmful fix."""
        recoded_by = {item.code for item in self._recoding}
        harvest = self._harvest
        if len(harvest.fixes):
            harvest = self._judge(unfit=harvest.rows)
        return [each for each in harvest.remains.left() if each.code not in recoded_by]
