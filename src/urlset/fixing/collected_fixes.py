"""Rules × one document → the fixes to apply, the rest by reason, and the fixes that made a result worse."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat
from operator import contains
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import FindingCollector, LateFinding
from urlset.checking.fixability import TAGS, is_other, row_behind, why_incomplete
from urlset.findings.card import Severity
from urlset.findings.finding import Fix, Problem, Safety
from urlset.findings.fix_result import Left
from urlset.fixing.choose import Fixes, FixOptions, Rows, moves_of
from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.prove import is_about_addresses, without_scheme
from urlset.model.address import Address
from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Columns, EditParts, Edits, Mark, parts_of
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.spec.lazy_pattern import lazy_pattern

# A fix → the content it would remove although its finding is not about it, or None.
#
# A URL is not all that a file holds: an edit may take texts, attributes and elements along. A safe fix may remove no
# more of them than the finding shows, an unsafe one only the elements that the finding is in. An entry may go with
# all that is in it if its page is no longer listed. If another entry of that page stays, that entry must have what is
# removed.

_HINT = lazy_pattern(rb"<((?:[\w.-]+:)?(?:lastmod|changefreq|priority))\b[^<>]*+>[^<]*+</\1\s*+>")
"""dates and hints are what the rules about them, and about duplicates, decide about"""
_NAME = lazy_pattern(rb"\s*+<([^\s<>/]++)")
_PIECE = lazy_pattern(
    rb"<[!?/][^>]*+>?|<[^\s<>\"']*+(?P<inside>(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>|(?P<text>[^<>]++)"
)
_ATTRIBUTE = lazy_pattern(rb"(?P<name>[\w:.-]++)\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')")
_EXTENSION_OF = {"H": b"xhtml:", "M": b"image:", "V": b"video:", "N": b"news:"}
"""the elements that the rules of a family are about"""
_WORD = lazy_pattern(rb"\w|[\x80-\xff]")
_HAS_MORE = Mark.EXTENDED | Mark.ODD | Mark.SALVAGED


class ContentCheck:
    """What fixes take out of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._pieces: dict[str, Counter[bytes]] = {}
        """for each page that duplicates were removed of, how many of its entries have each text"""

    def taken_along(self, rule: AnyRule, problem: Problem, edits: Sequence[EditParts], safety: Safety) -> str | None:
        """The first text or value that would be lost with what the finding is about."""
        data = self._document.data
        removals = [
            number
            for number, (offset, length, text) in enumerate(edits)
            if length and not text.strip() and data.find(b"<", offset, offset + length) >= 0
        ]
        moves = moves_of(data, edits) if removals else {}
        removals = [number for number in removals if number not in moves]
        if not removals:
            return None
        ranges = _joined(Place(*edits[number][:2]) for number in removals)
        own = {_name(data, place) for place in _about(problem, ranges)} | {_EXTENSION_OF.get(rule.card.family, b":")}
        rows = [row for place in ranges for row in self._rows_in(place)]
        lost = self._of_rows(rows)
        for place in ranges:
            if not self._rows_in(place) and (safety is Safety.SAFE or not _name(data, place).startswith(tuple(own))):
                lost |= _content(place.cut(data)) - _content(problem.place.cut(data))
        for _, _, text in edits if lost else ():
            lost -= _content(text)
        return min(lost)[:80].decode("utf-8", "replace") if lost else None

    def _rows_in(self, place: Place) -> range:
        """The entries that are completely inside."""
        columns = self._document.columns
        first = bisect_left(columns.starts, place.offset)
        last = first
        while last < len(columns) and columns.ends[last] <= place.end:
            last += 1
        return range(first, last)

    def _of_rows(self, rows: Iterable[int]) -> set[bytes]:
        """What entries have that the remaining entries of the same pages do not have."""
        document = self._document
        marks, locs = document.columns.marks, document.columns.locs
        taken: dict[str, list[int]] = {}
        for row in rows:
            taken.setdefault(without_scheme((locs[row] or "").strip()), []).append(row)
        lost = set[bytes]()
        for page, gone in taken.items():
            has_more = document.kind.is_feed or any(marks[row] & _HAS_MORE for row in gone)
            if has_more and len(gone) < len(self._by_page.get(page, ())):
                lost |= self._not_in_others(page, self._unlike_first(page, gone))
        return lost

    def _unlike_first(self, page: str, gone: Sequence[int]) -> list[int]:
        """Those that are not the same bytes as the first entry of the page that stays, as most duplicates are."""
        data, place, without = self._document.data, self._document.place, set(gone)
        kept = next((place(row).cut(data) for row in self._by_page[page] if row not in without), b"")
        return [row for row in gone if place(row).cut(data) != kept]

    def _not_in_others(self, page: str, gone: Sequence[int]) -> set[bytes]:
        if not gone:
            return set()
        pieces = self._pieces.get(page)
        if pieces is None:
            pieces = self._pieces[page] = Counter(
                piece for row in self._by_page[page] for piece in self._content_of(row)
            )
        own = Counter(piece for row in gone for piece in self._content_of(row))
        return {piece for piece, number in own.items() if pieces[piece] <= number}

    def _content_of(self, row: int) -> set[bytes]:
        """Without its URL."""
        document = self._document
        return _content(document.place(row).cut(document.data)) - {(document.columns.locs[row] or "").strip().encode()}

    @cached_property_unlocked
    def _by_page(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, loc in enumerate(self._document.columns.locs):
            if loc:
                found.setdefault(without_scheme(loc), []).append(row)
        return found


def _name(data: bytes, place: Place) -> bytes:
    """The name of the element that is removed; empty if the bytes do not begin with one."""
    found = _NAME.match(data, place.offset, place.end)
    return b"" if found is None else found[1]


def _joined(places: Iterable[Place]) -> list[Place]:
    """In order, those inside others left out."""
    found: list[Place] = []
    for place in sorted(places, key=lambda each: (each.offset, -each.end)):
        if not found or place.end > found[-1].end:
            found.append(place)
    return found


def _about(problem: Problem, ranges: Sequence[Place]) -> Iterator[Place]:
    """The ranges that hold a place of the problem."""
    starts = [place.offset for place in ranges]
    for each in (problem.place, *(problem.places or ())):
        at = bisect_right(starts, each.offset) - 1
        if at >= 0 and each.end <= ranges[at].end:
            yield ranges[at]


def _content(data: bytes) -> set[bytes]:
    return {text for text in map(bytes.strip, _texts(_HINT.sub(b"", data))) if _WORD.search(text)}


def _texts(data: bytes) -> Iterator[bytes]:
    """Texts and values of attributes, without declarations of namespaces; data may begin inside a tag."""
    for piece in _PIECE.finditer(data):
        if piece["text"] is not None:
            yield piece["text"]
        elif piece["inside"]:
            for attribute in _ATTRIBUTE.finditer(piece["inside"]):
                if not attribute["name"].startswith(b"xmlns"):
                    yield attribute["double"] or attribute["single"] or b""


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


LeftKey = tuple[str, Severity, str]
"""the code of a rule, the severity of the finding, and the reason why it is not fixed"""


class LeftInRow(msgspec.Struct, frozen=True, eq=False):
    """A finding that the options decide about, so it stays while its entry does not change; one for all alike."""

    key: LeftKey
    count: int


# What a pass found in entries → what the next pass need not look for again.
#
# A rule on entries looks at nothing but the entry, what the root declares, and the context; rules on the document run
# in each pass. Many files have a fault in each entry that no safe fix is known for: 50,000 relative URLs took 0.40 of
# 1.05 s to find again after the root tag was fixed.


_DECLARED = lazy_pattern(rb"xmlns")
_REMEMBERED = 20
"""findings of one entry; one with more is looked at again"""


class KnownRows:
    """The signals of the entries of a document, and what is left in them."""

    def __init__(self) -> None:
        self.signals: Sequence[int] = ()
        self._found: dict[int, tuple[LeftInRow, ...] | None] = {}
        self._same: dict[tuple[LeftInRow, ...], tuple[LeftInRow, ...]] = {}

    def note(self, row: int | None, item: LeftInRow | None) -> None:
        """None for a finding that the next pass has to look at."""
        if row is None:
            return
        found = self._found.get(row, ())
        if item is None or found is None or len(found) == _REMEMBERED:
            self._found[row] = None
        else:
            found = (*found, item)
            self._found[row] = self._same.setdefault(found, found)

    def of(self, row: int) -> tuple[LeftInRow, ...] | None:
        return self._found.get(row, ())


class UnchangedRows:
    """The entries of a document that edits did not touch, by their rows in the result."""

    def __init__(self, known: KnownRows, before: Document, old: Columns, edits: Edits) -> None:
        """The edits are those to the document, apart and by place; what is kept of it is in `old`."""
        self._known, self._edits, self._old, self._rows = known, edits, old, array("q")
        is_known = bool(known.signals) and not before.directives and not _declares(before, edits)
        self._frame = (before.kind, before.root) if is_known else None

    def find_in(self, after: Document) -> None:
        """In the document after the edits."""
        self._rows = array("q", [-1]) * len(after)
        if not self._is_same_frame(after):
            return
        old, new, starts, ends = self._old, after.columns, self._old.starts, self._old.ends
        first = end = shift = 0
        for offset, length, text in chain(self._edits.triples(), [(1 << 62, 0, b"")]):
            while first < len(starts) and starts[first] < end:
                first += 1
            if first < len(ends) and ends[first] <= offset:
                last = bisect_right(ends, offset, first)
                at = bisect_left(new.starts, starts[first] + shift)
                here, there = slice(first, last), slice(at, at + last - first)
                if old.marks[here] == new.marks[there] and all(
                    array("Q", map(shift.__add__, was[here])) == now[there]
                    for was, now in ((starts, new.starts), (ends, new.ends))
                ):
                    self._rows[there] = array("q", range(first, last))
                first = last
            end, shift = offset + length, shift + len(text) - length
        self._edits = Edits()

    def of(self, row: int, signals: int) -> tuple[LeftInRow, ...] | None:
        """What is left in it; None if that is not known."""
        was = self._rows[row]
        return None if was < 0 or self._known.signals[was] != signals else self._known.of(was)

    def _is_same_frame(self, after: Document) -> bool:
        """Whether names in entries mean the same, and what else rules on entries may ask of the document."""
        if self._frame is None or (len(self._old) == 1) != (len(after) == 1) or self._frame[0] is not after.kind:
            return False
        old, new = self._frame[1], after.root
        if old is None or new is None:
            return old is new
        is_same = (old.namespace, old.local, old.synthetic) == (new.namespace, new.local, new.synthetic)
        return is_same and new.declared.items() <= old.declared.items()


def _declares(document: Document, edits: Edits) -> bool:
    """Whether one of the edits behind the root tag writes or removes a declaration of a namespace."""
    start = document.root.place.end if document.root is not None else len(document.data)
    inside = edits.part(bisect_left(edits.offsets, start), len(edits))
    offsets, ends = inside.offsets, inside.ends()
    return any(map(contains, inside.texts, repeat(b"xmlns"))) or any(
        (at := bisect_right(offsets, found.start()) - 1) >= 0 and found.end() <= ends[at]
        for found in _DECLARED.finditer(document.data, start)
    )


class Remains:
    """Remaining findings by rule, severity and reason: their number, and the first of each."""

    def __init__(self) -> None:
        self._counts: Counter[LeftKey] = Counter()
        self._first: dict[LeftKey, tuple[AnyRule, LateFinding, str]] = {}
        self._singly: Counter[str] = Counter()

    def add(self, item: LeftInRow, rule: AnyRule, finding: LateFinding, *, singly: bool) -> None:
        code, severity, reason = key = item.key
        if singly:
            self._singly[code] += 1
            key = (code, severity, f"{min(self._singly[code], _NAMED_SINGLY)}")
        self._first.setdefault(key, (rule, finding, reason))
        self._counts[key] += item.count

    def knows(self, item: LeftInRow) -> bool:
        """Whether one like it has been found."""
        return item.key in self._counts

    def count_more(self, item: LeftInRow) -> bool:
        """Count one like those before; False if there is none."""
        if item.key not in self._counts:
            return False
        self._counts[item.key] += item.count
        return True

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
        skipped_fixes: Mapping[Key, str] = MappingProxyType({}),
        unfit: Rows | None = None,
        earlier: UnchangedRows | None = None,
    ) -> None:
        super().__init__(document, context, overrides={}, cap=None)
        self._options = options
        self._kinds: dict[tuple[str, Severity, Safety | None, int], tuple[LeftInRow | None, bool]] = {}
        """for findings of the same kind, how they are left, None if they have a fix to apply; whether it is XML"""
        self._whole, self._fixable = self._fixable, False  # a fix does not report what a check could fix
        self._other = is_other(document)
        self._skipped_fixes = skipped_fixes
        self._origin = origin
        self._unfit = unfit
        """set when no more fixes are applied: they are then counted as well"""
        self._earlier = earlier
        """None if nothing is known, or a comment may suppress findings"""
        self.known = KnownRows()
        self._content = ContentCheck(document)
        self.rows = Rows(document)
        self.fixes = Fixes()
        self.remains = Remains()

    def rows_to_judge(self, rows: Iterable[int], signals: Sequence[int]) -> Iterator[int]:
        """Not those of which an earlier pass knows all."""
        self.known.signals = signals
        for row in rows:
            found = None if self._earlier is None else self._earlier.of(row, signals[row])
            if found is None or not all(map(self.remains.knows, found)):
                yield row
                continue
            for item in found:
                self.counts[item.key[0]] += 1
                self.remains.count_more(item)
                self.known.note(row, item)
        self._earlier = None

    def _keep(self, rule: AnyRule, problem: Problem, severity: Severity, row: int | None) -> None:
        code, fix, singly = rule.card.code, problem.fix, ""
        kind = (code, severity, None if fix is None else fix.safety, problem.count)
        if (known := self._kinds.get(kind)) is None:
            reason = self._obstacle(rule, fix)
            left = None if reason is None else LeftInRow((code, severity, reason), problem.count)
            known = self._kinds[kind] = left, rule.card.family == "X"
        item, is_xml = known
        if is_xml and self._whole:
            self.fixability.note(rule.card, problem, row)
        if self._skipped_fixes:
            singly = self._skipped_fixes.get((code, self._origin(problem.place.offset)), "")
        if code in TAGS and (item is not None or singly):
            self.rows.hold(problem.place.offset)
        if singly or item is None:
            reason = singly or self._add(rule, problem, row, is_xml=is_xml)
            self.known.note(row, None)
            if reason is None:
                return
            item = LeftInRow((code, severity, reason), problem.count)
        else:
            self.known.note(row, item)
        if singly or not self.remains.count_more(item):
            self.remains.add(item, rule, LateFinding(self, rule, problem, severity, row), singly=bool(singly))

    def _add(self, rule: AnyRule, problem: Problem, row: int | None, *, is_xml: bool) -> str | None:
        """Note a fix that may be applied; otherwise the reason why not."""
        fix = problem.fix
        assert fix is not None
        if row is not None and not is_xml and self.rows.is_broken(row):
            return self._broken_reason(rule, problem, row)
        edits, doctype = parts_of(fix.edits), self._document.prolog.doctype
        if doctype is not None and rule.card.code != _REMOVES_DOCTYPE:  # it has its own grammar and its own rule
            start, end = doctype.offset, doctype.end
            if any(offset < end and offset + length > start for offset, length, _ in edits):
                return "it is in the DOCTYPE; remove that first"
        if not edits:
            return _undecided(rule)
        if self._unfit is not None:
            overlap = any(one[0] + max(1, one[1]) > other[0] for one, other in pairwise(edits))
            is_put_off = overlap or self._unfit.puts_off(rule, [offset for offset, _, _ in edits])
            return self._broken_reason(rule, problem, row) if is_put_off else UNSETTLED
        if (lost := self._content.taken_along(rule, problem, edits, fix.safety)) is not None:
            return f"its fix would also remove {lost!r}"
        self.fixes.add(rule, fix, problem.place.offset, -1 if row is None else row, edits, problem.subject)
        return None

    def add_unplaced(self, rule: AnyRule, number: int) -> None:
        super().add_unplaced(rule, number)
        self.remains.add_unplaced(rule, number)

    def _obstacle(self, rule: AnyRule, fix: Fix | None) -> str | None:
        """Why a problem is not fixed, regardless of its fix; None if it may be."""
        options, code = self._options, rule.code
        if self._other:
            return _undecided(rule)
        if not self._whole:
            return why_incomplete(self._document)
        if fix is not None and options.allows(code, fix.safety):
            return None
        given = self._context.timezone if code == "D003" else self._context.base_url
        if code in _CONTEXT_MISSING and options.names(code) and given is None:
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


def _undecided(rule: AnyRule) -> str:
    return "no safe fix is known" if rule.card.fixable else "needs manual review"


_MOST_FILES = 32
"""attempts to separate guilty fixes from the others; whatever is left after them is skipped together"""
CountAlone = Callable[[AnyRule, Sequence[int]], int]
"""how many entries a rule reports in a file with only these rows of the result"""


class Made(msgspec.Struct, frozen=True):
    """A fix that was applied; `spans` are the bytes of the original that it touched, first and last."""

    key: Key
    spans: tuple[tuple[int, int], ...]


class New(msgspec.Struct, frozen=True):
    """A finding in the result that the original did not have."""

    rule: AnyRule
    problem: Problem
    origin: int
    """its position in the original"""


def made(fixes: Fixes, buffer: EditBuffer) -> Iterator[Made]:
    """The applied fixes, in bytes of the original; `buffer` as it was before them."""
    origin, edits = buffer.origin, fixes.edits
    for number, offset in enumerate(fixes.offsets):
        spans = tuple(
            (origin(edits.offsets[at]), origin(edits.offsets[at] + edits.lengths[at])) for at in fixes.span(number)
        )
        yield Made((fixes.title(number).rule.code, origin(offset)), spans)


class Blame:
    """Finds the fix behind a problem: at its place, at its URL, in its entry.

    A problem that no single fix explains, such as a file that lost its last entry, is not attributed.
    """

    def __init__(self, before: Document, after: Document, buffer: EditBuffer, fixes: Sequence[Made]) -> None:
        self._before = before
        self._after = after
        self._buffer = buffer
        self._by_row: dict[int | None, list[tuple[int, int, Made]]] = {}
        """in the order of application; None for bytes between entries"""
        self._cover: dict[int | None, Cover[Made]] = {}
        for fix in fixes:
            for start, end in fix.spans:
                for row in self._rows(start, end):
                    self._by_row.setdefault(row, []).append((start, end, fix))

    def for_lost(self, addresses: Iterable[str]) -> dict[Key, str]:
        lost = set(addresses)
        found: dict[Key, str] = {}
        for row, raw in enumerate(self._before.columns.locs if lost else ()):
            loc = (raw or "").strip()
            if loc in lost and row in self._by_row:
                for fix in self._together(self._by_row[row][-1][-1]):
                    found.setdefault(fix.key, f"its fix would remove the URL {loc!r}")
        return found

    def for_new(self, findings: Iterable[New], count_alone: CountAlone) -> dict[Key, str]:
        found: dict[Key, str] = {}
        by_rule: dict[str, list[New]] = {}
        for new in findings:
            by_rule.setdefault(new.rule.code, []).append(new)
            fix = self._behind(new)
            if fix is None or fix.key in found:  # fixes applied together with it are found as well
                continue
            words = f"its fix would introduce {self.describe(new)}"
            for each in self._together(fix):
                found.setdefault(each.key, words)
        for first, *others in by_rule.values():
            if any(new.problem.count > 1 for new in (first, *others)):
                message = f"{first.rule.code} {first.rule.name}" if others else self.describe(first)
                for kin in self._kin(first.rule, count_alone):
                    found.setdefault(kin.key, f"its fix would introduce {message}")
        return found

    def _together(self, fix: Made) -> list[Made]:
        """Fixes for malformed tags in one entry are applied together or not at all."""
        if fix.key[0] not in TAGS:
            return [fix]
        rows = {row for start, end in fix.spans for row in self._rows(start, end)} - {None}
        return [fix, *(each for row in rows for _, _, each in self._by_row[row] if each.key[0] in TAGS)]

    def describe(self, new: New) -> str:
        line = self._before.lines.at(new.origin).line
        return f"{new.rule.code} {new.rule.name} at line {line}: {new.problem.message}"

    def _rows(self, start: int, end: int) -> Sequence[int | None]:
        columns = self._before.columns
        return range(bisect_left(columns.ends, start), bisect_right(columns.starts, end)) or (None,)

    def _row(self, origin: int) -> int | None:
        columns = self._before.columns
        row = bisect_right(columns.starts, origin) - 1
        return row if row >= 0 and origin < columns.ends[row] else None

    def _behind(self, new: New) -> Made | None:
        """The latest fix, if there are several candidates."""
        row = self._row(new.origin)
        if row is None:
            row = row_behind(self._before, self._buffer.origin(new.problem.place.end))
        here = self._by_row.get(row, [])
        if row not in self._cover:
            self._cover[row] = Cover(here)
        covering = self._cover[row].at(new.origin)
        if covering is not None:
            return covering
        namesake = self._namesakes.get(self._address(new))
        if namesake is not None:
            return namesake
        return here[-1][-1] if here and row is not None else None

    def _address(self, new: New) -> str:
        columns, offset = self._after.columns, new.problem.place.offset
        row = bisect_right(columns.starts, offset) - 1
        inside = row >= 0 and offset < columns.ends[row]
        return Address.parse((columns.locs[row] or "").strip()).key if inside else ""

    @cached_property
    def _namesakes(self) -> dict[str, Made]:
        """Normalized URL → the fix that inserted it."""
        locs = self._after.columns.locs
        return {Address.parse((locs[row] or "").strip()).key: fix for row, fix in self._readdressed.items()}

    @cached_property
    def _readdressed(self) -> dict[int, Made]:
        """Rows of the result with another URL than before → the fix that changed it."""
        found: dict[int, Made] = {}
        before, after = self._before.columns, self._after.columns
        origins = map(self._buffer.origin, after.starts)
        last = {
            row: fix for row, fixes in self._by_row.items() for _, _, fix in fixes if is_about_addresses(fix.key[0])
        }
        for row, origin in enumerate(origins):
            was = self._row(origin)
            fix = last.get(was)
            if was is not None and fix and (before.locs[was] or "").strip() != (after.locs[row] or "").strip():
                found[row] = fix
        return found

    def _kin(self, rule: AnyRule, count_alone: CountAlone) -> Iterator[Made]:
        """All fixes behind a finding that covers many entries and shows only the first.

        Found by bisection over the sorted URLs, which quickly separates different hosts or folders. Each group is
        tested in a separate file, together with an entry whose URL no fix changed.
        """
        columns = self._after.columns
        beside = [row for row in range(len(columns)) if row not in self._readdressed][:1]
        before = count_alone(rule, beside) if beside else 0
        groups = [sorted(self._readdressed, key=lambda row: columns.locs[row] or "")]
        files = 0
        while groups:
            rows = groups.pop()
            files += 1
            if files > _MOST_FILES:
                yield from (self._readdressed[row] for row in rows)
                continue
            minded = count_alone(rule, [*beside, *rows]) - before if rows else 0
            if 0 < minded < len(rows):
                middle = len(rows) // 2
                groups += [rows[:middle], rows[middle:]]
            elif minded > 0:
                yield from (self._readdressed[row] for row in rows)


def alone(document: Document, rows: Sequence[int]) -> bytes:
    """A file with only these entries."""
    columns, data = document.columns, document.data
    entries = b"\n".join(data[columns.starts[row] : columns.ends[row]] for row in rows)
    return data[: columns.starts[0]] + entries + data[columns.ends[-1] :]


# Ranges in order of creation → the latest one that covers a point.

Owner = TypeVar("Owner")


class Cover(Generic[Owner]):
    """Ranges include both ends. Built once in n log n, queried in log n, for any number of overlaps."""

    def __init__(self, ranges: Sequence[tuple[int, int, Owner]]) -> None:
        self._points = sorted({point for start, end, _ in ranges for point in (start, end)})
        self._owners: list[Owner | None] = [None] * (2 * len(self._points))
        """owners of the points at even indexes, and of the gaps after them at odd indexes"""
        skip = list(range(len(self._owners) + 1))  # to the next free index
        for start, end, owner in reversed(ranges):
            place = _free(skip, 2 * bisect_left(self._points, start))
            last = 2 * bisect_left(self._points, end)
            while place <= last:
                self._owners[place] = owner
                skip[place] = place + 1
                place = _free(skip, place)

    def at(self, point: int) -> Owner | None:
        number = bisect_left(self._points, point)
        if number < len(self._points) and self._points[number] == point:
            return self._owners[2 * number]
        return self._owners[2 * number - 1] if number else None


def _free(skip: list[int], place: int) -> int:
    while skip[place] != place:
        skip[place] = skip[skip[place]]
        place = skip[place]
    return place
