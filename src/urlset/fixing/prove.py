"""Before and after → the pages that were traced, and the reason not to use the result."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, compress
from operator import ne, sub
from types import MappingProxyType

from urlset.checking.declare import AnyRule
from urlset.findings.card import Severity
from urlset.findings.fix_result import Removed, Renamed
from urlset.fixing.choose import Fixes, takes_out
from urlset.model.address import key_of
from urlset.model.columns import Columns, Edits
from urlset.model.document import Document
from urlset.model.trouble import TroubleKind
from urlset.spec.engines import Engine

_ABOUT_ALL_DATES = frozenset({"D016", "D017", "D018", "N018"})
"""problems of all dates in a file: a fix makes dates readable, or removes empty ones, and so uncovers them"""


def lost_addresses(
    before: Document,
    after: Iterable[Document],
    removed: Sequence[Removed],
    renamed: Sequence[Renamed],
    respelled: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """URLs that were lost unintentionally; compared in normal form, because a fix may rewrite them."""
    kept = {loc.strip() for document in after for loc in document.columns.locs if loc}
    kept.update(item.loc for item in removed)
    listed = {loc.strip() for loc in before.columns.locs if loc and loc.strip()}
    missing = {loc for loc in listed - kept if _spelling(loc, respelled) not in kept}
    if renamed:
        spellings = {**respelled, **{item.loc: item.to for item in renamed}}
        missing = {loc for loc in missing if _spelling(loc, spellings) not in kept}
    if not missing:
        return []
    now = {page_of(item.loc): item.to for item in renamed}
    pages = set(map(page_of, kept - listed))
    lost = [loc for loc in missing if not _leads_to(loc, now, pages)]
    if lost:
        pages.update(map(page_of, kept))
    return sorted(loc for loc in lost if not _leads_to(loc, now, pages))


def _spelling(loc: str, respelled: Mapping[str, str]) -> str:
    """The text of a URL after all passes."""
    for _ in range(len(respelled)):
        if loc not in respelled:
            break
        loc = respelled[loc]
    return loc


def _leads_to(loc: str, now: Mapping[str, str], pages: set[str]) -> bool:
    """Follow a URL through its replacements to one that still exists."""
    for _ in range(len(now) + 1):
        page = page_of(loc)
        if page in pages:
            return True
        if page not in now:
            return False
        loc = now[page]
    return False


def too_many_removed(document: Document, after: Document, removed: Sequence[Removed]) -> dict[str, str]:
    """The rule that removes most, and why it must not, if more than half of the pages would no longer be listed."""
    half = len(document) // 2
    if len(removed) <= half:
        return {}
    was, listed = ({without_scheme(loc) for loc in each.columns.locs if loc} for each in (document, after))
    counts = Counter(item.code for item in removed if without_scheme(item.loc) in was - listed)
    if counts.total() <= half:
        return {}
    [(code, count)] = counts.most_common(1)
    return {code: f"it would remove {count:,} of {len(document):,} entries; use --allow-shrink to apply it"}


def without_scheme(loc: str) -> str:
    """The page of a URL, whether it is listed with http or https."""
    return page_of(loc.strip()).partition("://")[2]


def new_findings(
    document: Document,
    before: Mapping[str, int],
    after: Mapping[str, int],
    rules: Sequence[AnyRule],
    engines: tuple[Engine, ...],
) -> dict[str, int]:
    """Codes with more findings than before; notes do not count, because fixes change them, nor what fixes uncover."""
    more = {code: count - before.get(code, 0) for code, count in after.items() if count > before.get(code, 0)}
    for rule in rules if more else ():
        if rule.code in more and (rule.card.severity_for(engines) or rule.card.severity) is Severity.INFO:
            del more[rule.code]
    exempt = _ABOUT_ALL_DATES
    if not more.keys().isdisjoint(exempt) and all(each is None for each in document.columns.lastmods):
        exempt = frozenset()  # there was no date that could be made readable, or removed
    return {code: count for code, count in more.items() if code not in exempt}


# The text of a URL → the page it identifies, normalized as servers do.


@lru_cache(1 << 12)
def page_of(loc: str) -> str:
    """Cached: a URL is needed several times if it is listed twice or renamed again."""
    return key_of(loc)


# The fixes of one pass, and the document before and after → removed entries and entries with a new URL.

_LOC = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?loc\b[^<>]*>?\s*+([^<\s]++)", re.IGNORECASE)
_ABOUT_ADDRESSES = frozenset("XSLIHA")
"""families whose fixes may change a loc"""
_STRUCTURE = "S"
"""the family whose fixes mostly move elements"""


def removals(fixes: Fixes, document: Document) -> Iterator[Removed]:
    """Entries that an edit removes completely, and remains of unreadable entries."""
    columns = document.columns
    lost = [trouble.place for trouble in document.troubles.of([TroubleKind.ENTRY_LOST])]
    lost_starts = [place.offset for place in lost]
    least = 1 if lost else min(map(sub, columns.ends, columns.starts), default=len(document.data))
    if max(fixes.edits.lengths, default=0) < least:
        return
    deletions = sorted(
        (offset, offset + length, fixes.title(number).rule.code)
        for number, offset, length, text in fixes.numbered_edits()
        if length >= least and takes_out(length, text)  # a shorter one removes no entry
    )
    for start, end, code in deletions:
        row = bisect_left(columns.starts, start)
        while row < len(columns) and columns.ends[row] <= end:
            loc = (columns.locs[row] or "").strip()
            if loc:
                yield Removed(loc, code)
            row += 1
        for place in lost[bisect_left(lost_starts, start) : bisect_left(lost_starts, end)]:
            if place.end <= end:
                remains = _LOC.search(document.data, place.offset, place.end)
                yield Removed(remains[1].decode("utf-8", "replace") if remains else "", code)


def is_about_addresses(code: str) -> bool:
    """Whether a fix of this rule may change a URL; rules of packages are assumed to."""
    return code[0] in _ABOUT_ADDRESSES or code[:2].isalpha()


def respellings(old: Sequence[str | None], new: Sequence[str | None]) -> list[tuple[str, str]] | None:
    """The URLs with a new spelling, if each row has the same page as before; None if that is not certain."""
    if len(old) != len(new):
        return None
    changed = list(map(ne, old, new))
    was, now = (list(map(str.strip, filter(None, compress(locs, changed)))) for locs in (old, new))
    if not len(was) == len(now) == sum(changed):  # an entry has no URL
        return None
    pairs = list(compress(zip(was, now, strict=True), map(ne, was, now)))
    if not all(map(all, pairs)) or any((key := key_of(old)) != new and key != key_of(new) for old, new in pairs):
        return None
    return pairs


def renamings(
    fixes: Fixes, edits: Edits, before: Columns, after: Columns, respelled: dict[str, str]
) -> Iterator[Renamed]:
    """Entries whose URL is another page now; `respelled` collects equivalent spellings.

    `edits` are the edits of the fixes, by place.
    """
    rows = _touched(fixes, before)
    if not rows:
        return
    shifts = _Shifts(edits)
    locs_now = dict(zip(after.starts, after.locs, strict=True))
    locs, starts, ends = before.locs, before.starts, before.ends
    for row, code in rows.items():
        loc = (locs[row] or "").strip()
        if shifts.removes(starts[row], ends[row]):
            continue  # the entry that begins there now is another one
        now = next((locs_now[moved] or "" for moved in shifts.at(starts[row]) if moved in locs_now), "").strip()
        if not loc or not now or now == loc:
            continue
        if page_of(loc) == page_of(now):
            respelled[loc] = now
        else:
            yield Renamed(loc, now, code)


def _touched(fixes: Fixes, columns: Columns) -> dict[int, str]:
    """Rows with an edit, and the code of the first fix that may affect their URL; one of the structure if no other."""
    starts, ends = columns.starts, columns.ends
    codes = [title.rule.code if is_about_addresses(title.rule.code) else None for title in fixes.titles]
    rows: dict[int, str] = {}
    for number, offset, _, _ in fixes.numbered_edits():
        code = codes[fixes.title_numbers[number]]
        if code is None:
            continue
        row = bisect_left(starts, offset + 1) - 1
        if row >= 0 and offset < ends[row] and (row not in rows or code[0] != _STRUCTURE == rows[row][0]):
            rows[row] = code
    return rows


class _Shifts:
    """How far edits shift bytes."""

    def __init__(self, edits: Edits) -> None:
        self._edits = edits
        self._ends = edits.ends()
        self._sums = array("q", accumulate(map(sub, map(len, edits.texts), edits.lengths), initial=0))

    def removes(self, start: int, end: int) -> bool:
        """Whether one edit leaves nothing of these bytes."""
        edits = self._edits
        last = bisect_left(edits.offsets, start + 1) - 1
        return last >= 0 and self._ends[last] >= end and takes_out(edits.lengths[last], edits.texts[last])

    def at(self, offset: int) -> tuple[int, int]:
        """After the text inserted at that position, and before it."""
        return (
            offset + self._sums[bisect_left(self._ends, offset + 1)],
            offset + self._sums[bisect_left(self._ends, offset)],
        )
