"""A sitemap with errors in single entries → the same without them, so no page blocks the others of its set.

An error is corrected where `fix` is certain of the value. Otherwise the field is omitted, then the image, video, news
or link around it, then all of these of the entry. The page itself is always listed, with the same address.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from html import unescape

from urlset.building.candidate import TAGS_OF_RULES, Corrected, EntryFault
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.model.document import Document
from urlset.spec.lazy_pattern import lazy_pattern

# As `writing.urlset` indents them. No text has a `<`, so such a line is always a tag.
_ENTRY = lazy_pattern(rb"^  <url>\n.*?^  </url>\n", re.MULTILINE | re.DOTALL)
_CHILD = lazy_pattern(rb"^    <(?P<tag>[^/\s>]+)", re.MULTILINE)
_FIELD = lazy_pattern(rb"^      <(?P<tag>[^/\s>]+)", re.MULTILINE)
_GROUP_END = lazy_pattern(rb"^    </", re.MULTILINE)
_LOC = lazy_pattern(rb"^    <loc>.*?</loc>\n", re.MULTILINE | re.DOTALL)
_FIX, _FIELDS, _ELEMENTS, _MORE_ELEMENTS, _EVERYTHING, _NOTHING_LEFT = range(6)
"""what is tried with an entry, one step each time it is found faulty"""
KEPT_FAULTS = 1000

Read = Callable[[bytes], Document]


def without_faults(data: bytes, read: Read, rules: Sequence[AnyRule], context: Context) -> Corrected:
    """`read` makes a document of bytes that have the form of `data`. Errors outside entries stay."""
    return _Correction(data, read, rules, context).run()


class _Correction:
    def __init__(self, data: bytes, read: Read, rules: Sequence[AnyRule], context: Context) -> None:
        self._data, self._read, self._rules, self._context = data, read, rules, context
        self._steps: Counter[int] = Counter()
        """by entry; entries keep their order"""
        self._faults: list[EntryFault] = []
        self._count = 0

    def run(self) -> Corrected:
        while True:
            spans = [found.span() for found in _ENTRY.finditer(self._data)]
            faulty = {
                entry: found for entry, found in self._errors(spans).items() if self._steps[entry] < _NOTHING_LEFT
            }
            if not faulty:
                return Corrected(self._data, tuple(self._faults), self._count)
            entries = {entry: self._data[slice(*spans[entry])] for entry in faulty}
            entries |= self._fixed({entry: entries[entry] for entry in faulty if self._steps[entry] == _FIX}, faulty)
            for entry, errors in faulty.items():
                if self._steps[entry] > _FIX:
                    places = [(error, offset - spans[entry][0]) for error, offset in errors]
                    entries[entry] = self._without(entries[entry], places, self._steps[entry])
                self._steps[entry] += 1
            pieces, done = [], 0
            for number in sorted(entries):
                start, end = spans[number]
                pieces += [self._data[done:start], entries[number]]
                done = end
            self._data = b"".join((*pieces, self._data[done:]))

    def _errors(self, spans: list[tuple[int, int]]) -> dict[int, list[tuple[Finding, int]]]:
        """By entry, each with its place in the file."""
        tally = run(self._read(self._data), self._rules, self._context, cap=None)
        starts = [start for start, _ in spans]
        found: dict[int, list[tuple[Finding, int]]] = {}
        for finding in tally.findings():
            if finding.severity is Severity.ERROR:
                for offset in (finding.offset, *(spot.offset for spot in finding.places)):
                    entry = bisect_right(starts, offset) - 1 if offset is not None else -1
                    if offset is not None and entry >= 0 and offset < spans[entry][1]:
                        found.setdefault(entry, []).append((finding, offset))
        return found

    # corrections

    def _fixed(self, entries: dict[int, bytes], faulty: dict[int, list[tuple[Finding, int]]]) -> dict[int, bytes]:
        """Entries as `fix` would write them: what is certain, and what only takes something away."""
        if not entries:
            return {}
        codes = {error.code for entry in entries for error, _ in faulty[entry]}
        safe = self._fixed_at_once(entries, codes, unsafe=False)
        cut = self._fixed_at_once(safe, codes, unsafe=True)
        for entry, before in safe.items():
            if not _is_part_of(cut[entry], before):
                cut[entry] = before
        for entry, before in entries.items():
            for error, _ in faulty[entry] if cut[entry] != before else ():
                if error.fix is not None:
                    self._note(before, error, "corrected")
        return cut

    def _fixed_at_once(self, entries: dict[int, bytes], codes: set[str], *, unsafe: bool) -> dict[int, bytes]:
        first = self._data[: self._data.find(b"  <url>\n")]
        last = self._data[self._data.rfind(b"  </url>\n") + len(b"  </url>\n") :]
        document = self._read(b"".join((first, *entries.values(), last)))
        rules = [rule for rule in self._rules if rule.code in codes]
        options = FixOptions(unsafe=unsafe, only=tuple(sorted(codes)))
        fixed = _ENTRY.findall(fix_document(document, rules, self._context, options).data)
        if len(fixed) != len(entries):
            return entries
        return {
            entry: after if _loc(after) == _loc(before) else before
            for (entry, before), after in zip(entries.items(), fixed, strict=True)
        }

    # omissions

    def _without(self, entry: bytes, errors: list[tuple[Finding, int]], step: int) -> bytes:
        parts = _Parts(entry)
        gone: set[tuple[int, int]] = set()
        for error, offset in errors:
            ranges = parts.to_omit(error, offset, step)
            for start, _ in ranges[:1]:
                self._note(entry, error, f"<{_tag(entry, start)}> omitted")
            gone.update(ranges)
        pieces, done = [], 0
        for start, end in sorted(gone):
            if end > done:
                pieces.append(entry[done : max(start, done)])
                done = end
        return b"".join((*pieces, entry[done:]))

    def _note(self, entry: bytes, error: Finding, outcome: str) -> None:
        self._count += 1
        if len(self._faults) < KEPT_FAULTS:
            self._faults.append(EntryFault(error.subject or _loc(entry), f"{error.message} ({error.code}); {outcome}"))


class _Parts:
    """The elements of an entry, each with its lines."""

    def __init__(self, entry: bytes) -> None:
        self._entry = entry
        self._children = _elements(_CHILD, entry, 0, entry.rindex(b"  </url>"))
        self._fields: dict[int, list[tuple[int, int]]] = {}
        self._with_prefix: dict[bytes, list[tuple[int, int]]] = {}

    def to_omit(self, error: Finding, offset: int, step: int) -> list[tuple[int, int]]:
        """What to take away for an error at that place."""
        if step == _EVERYTHING:
            return self._named(b":")
        inside = _at(self._children, offset)
        if inside is not None and _tag(self._entry, inside[0]) != "loc":
            return [self._field(inside, offset) or inside] if step == _FIELDS else [inside]
        # an error of the entry as a whole, such as a missing link to itself
        return self._named(TAGS_OF_RULES.get(error.code[0], b"?"))

    def _named(self, part: bytes) -> list[tuple[int, int]]:
        """Elements whose name has that part."""
        if part not in self._with_prefix:
            names = ((each, _tag(self._entry, each[0]).encode()) for each in self._children)
            self._with_prefix[part] = [each for each, name in names if part in name]
        return self._with_prefix[part]

    def _field(self, group: tuple[int, int], offset: int) -> tuple[int, int] | None:
        """The one at that place in an image, a video or news."""
        if group[0] not in self._fields:
            closing = _GROUP_END.search(self._entry, *group)
            found = _elements(_FIELD, self._entry, group[0], closing.start()) if closing is not None else []
            self._fields[group[0]] = found
        return _at(self._fields[group[0]], offset)


def _elements(pattern: re.Pattern[bytes], entry: bytes, start: int, end: int) -> list[tuple[int, int]]:
    starts = [found.start() for found in pattern.finditer(entry, start, end)]
    return list(zip(starts, [*starts[1:], end], strict=True))


def _at(elements: list[tuple[int, int]], offset: int) -> tuple[int, int] | None:
    """The one that has the place."""
    number = bisect_right(elements, (offset, len(elements) and elements[-1][1])) - 1
    return elements[number] if number >= 0 and offset < elements[number][1] else None


def _tag(entry: bytes, start: int) -> str:
    found = _CHILD.match(entry, start) or _FIELD.match(entry, start)
    return found["tag"].decode() if found is not None else ""


def _loc(entry: bytes) -> str:
    found = _LOC.search(entry)
    return unescape(found.group()[len("    <loc>") : -len("</loc>\n")].decode()) if found is not None else ""


def _is_part_of(short: bytes, long: bytes) -> bool:
    """Whether one text is the other with something taken away."""
    rest = iter(long)
    return len(short) <= len(long) and all(byte in rest for byte in short)
