"""Rules × bytes → fixed bytes: fixes are applied until nothing changes, then the result is verified."""

from __future__ import annotations

import codecs
import gc
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple, overload

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import LateFinding, collect, run
from urlset.checking.fixability import is_complete, is_other
from urlset.findings.finding import Problem
from urlset.findings.fix_result import Applied, Change, FixedFile, FixResult, Left, Removed, Renamed
from urlset.fixing.choose import Fixes, FixOptions, Rows, choose
from urlset.fixing.collected_fixes import Blame, FixCollector, Key, KnownRows, New, Remains, UnchangedRows, alone, made
from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.judge import OnDisk, ReportedUrls, objection
from urlset.fixing.prove import lost_addresses, new_findings, removals, renamings, respellings, too_many_removed
from urlset.model.columns import Columns, Edit, Edits
from urlset.model.document import Document, Envelope
from urlset.model.garbage import only_new_collected
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading.read import read

# The fixes of all passes → the report of each, computed on demand.

_SHOWN = 160
_EDITS_SHOWN = 8
_SPACES = b" \t\r\n"
_LONGEST_MOVE = 1 << 12
"""bytes of what is shown as moved"""


class FixPass(NamedTuple):
    """The fixes of one pass, with the URLs and the bytes before it."""

    fixes: Fixes
    locs: Sequence[str | None]
    buffer: EditBuffer


class AppliedLog(Sequence[Applied]):
    """One item per fix, in order of application. Few of a million fixes are ever read."""

    def __init__(self, original: Document, passes: Sequence[FixPass]) -> None:
        self._original = original
        self._passes = passes
        self._stops = list(accumulate(len(each.fixes) for each in passes))

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    @overload
    def __getitem__(self, at: int) -> Applied: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Applied, ...]: ...
    def __getitem__(self, at: int | slice) -> Applied | tuple[Applied, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        number = range(len(self))[at]
        which = bisect_right(self._stops, number)
        return self._made(self._passes[which], number - (self._stops[which - 1] if which else 0))

    def __iter__(self) -> Iterator[Applied]:
        return (self._made(each, number) for each in self._passes for number in range(len(each.fixes)))

    def changes(self, shown: int) -> list[Change]:
        """By rule and title, ordered by first fix, with the first few of each."""
        counts: Counter[tuple[str, str, str]] = Counter()
        examples: dict[tuple[str, str, str], list[Applied]] = {}
        for each in self._passes:
            keys = [(title.rule.code, title.rule.name, title.text) for title in each.fixes.titles]
            added: Counter[tuple[str, str, str]] = Counter()
            for title, count in Counter(each.fixes.title_numbers).items():
                added[keys[title]] += count
            counts.update(added)
            missing = sum(min(count, shown - len(examples.setdefault(key, []))) for key, count in added.items())
            for number, title in enumerate(each.fixes.title_numbers if missing else ()):
                here = examples[keys[title]]
                if len(here) < shown:
                    here.append(self._made(each, number))
                    missing -= 1
                    if not missing:
                        break
        return [Change(*key, count, tuple(examples[key])) for key, count in counts.items()]

    def _made(self, each: FixPass, number: int) -> Applied:
        fixes = each.fixes
        title = fixes.title(number)
        at = self._original.lines.at(each.buffer.origin(fixes.offsets[number]))
        edits = [fixes.edits[edit] for edit in fixes.span(number)[:_EDITS_SHOWN]]
        before, after = _before_and_after(edits, each.buffer)
        row, subject = fixes.rows[number], fixes.subjects.get(number)
        if subject is None and row >= 0:
            subject = (each.locs[row] or "").strip() or None
        return Applied(
            code=title.rule.code,
            name=title.rule.name,
            title=title.text,
            safety=title.safety,
            line=at.line,
            column=at.column,
            before=_shown(before),
            after=_shown(after),
            subject=subject,
        )


def _before_and_after(edits: Sequence[Edit], buffer: EditBuffer) -> tuple[list[bytes], list[bytes]]:
    """The bytes that edits replace, and their texts; of what is only moved, all bytes between the edits too."""
    edits = sorted(edits, key=lambda edit: edit.place.offset)
    before = [buffer.cut(edit.place) for edit in edits if edit.place.length]
    after = [edit.text for edit in edits if edit.text]
    gone, come = (b"".join(each).translate(None, _SPACES) for each in (before, after))
    if len(edits) < 2 or len(gone) != len(come) or len(gone) > _LONGEST_MOVE or sorted(gone) != sorted(come):
        return before, after
    parts, at = list[bytes](), edits[0].place.offset
    for edit in edits:
        parts += buffer.cut(Place(at, edit.place.offset - at)), edit.text
        at = edit.place.end
    return [buffer.cut(Place(edits[0].place.offset, at - edits[0].place.offset))], [b"".join(parts)]


def _shown(pieces: Iterable[bytes]) -> str:
    return " … ".join([piece[: _SHOWN * 4].decode("utf-8", "replace") for piece in pieces])[:_SHOWN]


# A file that is not plain UTF-8 → whether to write it as UTF-8 or in its original encoding.
#
# The reader converts all encodings to UTF-8 without a byte order mark, and edits refer to that. A byte order mark or
# UTF-16 without a declaration needs no edit: writing the result is the fix.

_CODES = ("X003", "X006", "X007", "R010")
_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def is_plain(envelope: Envelope) -> bool:
    return envelope.encoding == "utf-8" and not envelope.byte_order_mark


def recoded(document: Document, rules: Sequence[AnyRule], context: Context, options: FixOptions) -> list[Applied]:
    """The changes from writing plain UTF-8; empty if that was not selected."""
    envelope = document.envelope
    if is_plain(envelope):
        return []
    found = run(document, [rule for rule in rules if rule.code in _CODES], context).problems
    reported = [(rule, problem.fix) for rule, problem, _ in found if problem.fix is not None]
    before = f"{envelope.encoding}{' with a byte order mark' if envelope.byte_order_mark else ''}"
    return [
        Applied(rule.code, rule.name, fix.title, fix.safety, 1, 1, before, "utf-8")
        for rule, fix in reported
        if options.allows(rule.code, fix.safety)
    ]


def as_it_was(envelope: Envelope, data: bytes) -> bytes | None:
    """UTF-8 bytes in the original encoding of the file; None if it cannot represent them."""
    try:
        encoded = data if envelope.encoding == "utf-8" else data.decode().encode(envelope.encoding)
    except (UnicodeError, LookupError):
        return None
    return (_MARKS[envelope.encoding] if envelope.byte_order_mark else b"") + encoded


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
        self._skipped_fixes: dict[Key, str] = {}
        self._why = ""
        self._unusable: set[frozenset[str]] = set()
        self._usable: tuple[frozenset[str], FixResult] | None = None
        """the last one"""

    def run(self, result: FixResult) -> FixResult:
        for _ in range(_MOST_BLAMED):
            guilty = self._work.guilty() if self._tried < _MOST_TRIED else {}
            if not guilty.keys() - self._skipped_fixes.keys():
                break
            self._skipped_fixes = guilty | self._skipped_fixes
            self._work = self._work.again(self._options, self._skipped_fixes)
            result = self._result_of(self._work)
            if result.refused is None:
                return result
        self._why = self._work.describe_all()
        blamed = (code for code, _ in self._skipped_fixes)
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
        return self._work.again(self._options.without(dict.fromkeys(barred, self._why)), self._skipped_fixes)

    def _result_of(self, work: _Work) -> FixResult:
        result = work.run()
        self._tried += len(result.applied)
        return result


def _as_written(document: Document, data: bytes, *, recoded: bool) -> Document:
    """The document with this UTF-8 data, as it would be read from the output file."""
    envelope = document.envelope
    kept = None if recoded or is_plain(envelope) else as_it_was(envelope, data)
    present = read(kept or data, name=document.name, url=document.url)
    # as if it had been compressed, if the original was
    wrapped = msgspec.structs.replace(
        present.envelope, compression=envelope.compression, layers=envelope.layers, delivered=envelope.delivered
    )
    return msgspec.structs.replace(present, envelope=wrapped)


def _continued(first: FixResult, second: FixResult) -> FixResult:
    """Two fix results combined into one."""
    work = EditBuffer(first.original)
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
    """One attempt on one document; `skipped_fixes` are fixes that are skipped, and why."""

    def __init__(
        self,
        document: Document,
        rules: Sequence[AnyRule],
        context: Context,
        options: FixOptions,
        skipped_fixes: Mapping[Key, str] = MappingProxyType({}),
    ) -> None:
        self._document = document
        self._rules = rules
        self._context = context
        self._options = options
        self._skipped_fixes = skipped_fixes
        self._buffer = EditBuffer(document.data)
        self._data = document.data
        self._present = document
        self._passes: list[FixPass] = []
        self._removed: list[Removed] = []
        self._renamed: list[Renamed] = []
        self._respelled: dict[str, str] = {}
        self._same_pages = True
        """each row of the result is the page of that row in the original, so no URL is lost"""
        self._edits = Edits()
        """of all passes, when they are over"""
        self._is_endless = False
        """there were still fixes to apply after the last pass"""
        self._whole = is_complete(document) and not is_other(document)
        self._collected_fixes = self._judge()
        self._counts_before = self._collected_fixes.counts
        self._recoding = recoded(document, rules, context, options) if self._whole else []

    def again(self, options: FixOptions, skipped_fixes: Mapping[Key, str]) -> _Work:
        return _Work(self._document, self._rules, self._context, options, skipped_fixes)

    def _judge(self, unfit: Rows | None = None, earlier: UnchangedRows | None = None) -> FixCollector:
        origin = self._buffer.origin
        collected_fixes = FixCollector(
            self._present, self._context, self._options, origin, self._skipped_fixes, unfit, earlier
        )
        return collect(self._present, self._rules, self._context, collected_fixes)

    def run(self) -> FixResult:
        """What remains is not looked for in a result that must not be used."""
        while self._whole:
            chosen, edits = choose(self._collected_fixes.fixes, self._collected_fixes.rows)
            self._is_endless = len(chosen) > 0 and len(self._passes) == MAX_PASSES
            if self._is_endless or not len(chosen):
                break
            self._apply(chosen, edits)
        edits = self._edits = self._buffer.edits()
        refused = self._doubt() if edits else None
        left = () if refused else tuple(self.left())
        if not refused:  # findings know the subjects of their rules; the last check needs their memory
            self._collected_fixes.remains, self._collected_fixes.known = Remains(), KnownRows()
            refused = self._objection() if edits else None
        edited = {title.rule.code for each in self._passes for title in each.fixes.titles}
        recoding = tuple(reported for reported in self._recoding if reported.code not in edited)
        made_of_edits = AppliedLog(self._document, self._passes) if self._passes else ()
        return FixResult(
            source=self._document.name,
            original=self._document.data,
            pieces=(FixedFile(self._document.name, (self._data,)),),
            edits=edits,
            applied=(*recoding, *made_of_edits) if recoding else made_of_edits,
            left=() if refused else left,
            removed=tuple(self._removed),
            renamed=tuple(self._renamed),
            passes=len(self._passes),
            refused=refused,
            recoded=bool(self._recoding),
        )

    def _doubt(self) -> str | None:
        """Why the result must not be used, before the last check."""
        if self._is_endless:
            return f"{_ENDLESS} {MAX_PASSES} passes"
        lost = self._lost()
        if lost:
            return f"{len(lost):,} URLs would be lost, the first is {lost[0]!r}"
        new = self.new_findings()
        return f"the result would have new findings: {', '.join(sorted(new))}" if new else None

    def _objection(self) -> str | None:
        """What a parser that is not urlset's says against the result."""
        changed = [*((item.loc, item.to) for item in self._renamed), *self._respelled.items()]
        edited = (self._edits.offsets, self._edits.ends())
        named = ReportedUrls([item.loc for item in self._removed], changed, edited)
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
        fixes = [fix for each in self._passes for fix in made(each.fixes, each.buffer)]
        return Blame(self._document, self._present, self._buffer, fixes)

    def _new(self) -> list[New]:
        """The additional findings; compared by place, because a code may have had findings before."""
        codes = self.new_findings()
        old = {(rule.code, problem.place.offset) for rule, problem, _ in self._problems(self._document, codes)}
        new = [
            New(rule, problem, self._buffer.origin(problem.place.offset))
            for rule, problem, _ in self._problems(self._present, codes)
        ]
        return [each for each in new if (each.rule.code, each.origin) not in old] or new

    def _problems(self, document: Document, codes: Collection[str]) -> list[tuple[AnyRule, Problem, LateFinding]]:
        """One by one, because the collected_fixes does not keep them: only used if the result must not be used."""
        rules = [rule for rule in self._rules if rule.code in codes]
        return run(document, rules, self._context, cap=None).problems if rules else []

    def _count_alone(self, rule: AnyRule, rows: Sequence[int]) -> int:
        document = self._read(alone(self._present, rows))
        return sum(problem.count for _, problem, _ in run(document, [rule], self._context, cap=None).problems)

    def new_findings(self) -> dict[str, int]:
        new = new_findings(
            self._document, self._counts_before, self._collected_fixes.counts, self._rules, self._context.engines
        )
        places: dict[str, list[Place]] = {code: [] for code in new.keys() & _IN_THE_BYTES}
        for rule, problem, _ in self._problems(self._present, places):
            places[rule.code].append(problem.place)
        revealed = {code: self._buffer.count_original(there) for code, there in places.items()}
        return {code: count for code, count in new.items() if count > revealed.get(code, 0)}

    def _apply(self, chosen: Fixes, edits: Edits) -> None:
        """The bytes of the pass before are gone when those of the next are written."""
        before, columns = Columns(), self._present.columns
        before.locs, before.marks = columns.locs, columns.marks
        before.starts, before.ends = columns.starts, columns.ends
        earlier = UnchangedRows(self._collected_fixes.known, self._present, before, edits)
        self._passes.append(FixPass(chosen, before.locs, self._buffer.snapshot()))
        self._removed += removals(chosen, self._present)
        del self._collected_fixes, self._present, self._data, columns
        gc.collect(1)  # what is new: findings know their collector, and subjects of rules each other
        self._buffer.apply(edits)
        self._data = self._buffer.data
        self._present = self._read(self._data)
        earlier.find_in(self._present)
        after = self._present.columns
        respelled = respellings(before.locs, after.locs)
        if respelled is None:
            self._same_pages = False
            self._renamed += renamings(chosen, edits, before, after, self._respelled)
        else:
            after.locs = [old if old == new else new for old, new in zip(before.locs, after.locs, strict=True)]
            self._respelled.update(respelled)
        self._collected_fixes = self._judge(earlier=earlier)

    def _read(self, data: bytes) -> Document:
        return _as_written(self._document, data, recoded=bool(self._recoding))

    def left(self) -> list[Left]:
        """What remains: without a fix, with a fix that was not selected, or with a harmful fix."""
        recoded_by = {item.code for item in self._recoding}
        collected_fixes = self._collected_fixes
        if len(collected_fixes.fixes):
            collected_fixes = self._judge(unfit=collected_fixes.rows)
        return [each for each in collected_fixes.remains.left() if each.code not in recoded_by]
