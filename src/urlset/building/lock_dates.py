"""The pages of a run and a lock → what changed since, the date of each page, and the lines of the new lock.

    dates = LockedDates(read_lock(path), LockPaths(locs), now=…)
    dates.compare(pages, counter)      # all of them, before the first is dated
    for page in pages: dates.decide(page)
    dates.lines                        # of the new lock

A page whose fingerprint is that of its line has not changed. Where nearly all pages of a site change at once, its
template has: then only those count whose sentences changed, and where these changed everywhere too, none does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum

import msgspec

from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.evidence import DEFAULT_ORDER, decide, doubt
from urlset.building.ledger_rows import LedgerRow
from urlset.building.lock import FIRST_SEEN_DETAIL, Conflict, Lock, LockedPage, LockPaths
from urlset.model.moment import Moment
from urlset.model.page import DateOrigin
from urlset.model.shown import amount
from urlset.reading.fingerprint import (
    PageFingerprint,
    RepeatedBlocks,
    is_same_content,
    page_fingerprint,
)
from urlset.spec.page_facets import DATED_BY, Facet

TEMPLATE = 0.8
"""of the pages that can be compared; so many changes at once are the template's"""
_MANY = 20
"""pages of a site from which new sentences on nearly all of them are the template's too"""
_NOTHING = page_fingerprint((), ()).content


class PageChange(Enum):
    NEW = "not in the lock"
    UNSEEN = "not comparable"
    SAME = "unchanged"
    MOVED = "changed"
    TEMPLATE = "changed by the template"


_NO_LINE = LockedPage()


class _Seen(msgspec.Struct, frozen=True, gc=False):
    change: PageChange
    fingerprint: PageFingerprint | None
    line: LockedPage
    """what the lock says about the page, or said under its old path"""


class LockedDates:
    def __init__(
        self,
        lock: Lock,
        paths: LockPaths,
        *,
        now: datetime,
        counted: Collection[Facet] = DATED_BY,
        order: Sequence[EvidenceKind] = DEFAULT_ORDER,
        first_seen: bool = False,
    ) -> None:
        self._lock, self._paths = lock, paths
        self._now, self._counted, self._order, self._first_seen = now, counted, order, first_seen
        self._seen: dict[str, _Seen] = {}
        self._stamps = BuildStamps(now)
        self.lines: dict[str, LockedPage] = {}
        self.renamed: dict[str, str] = {}
        """new path → old path"""
        self.notes: list[str] = []
        self._is_comparable = set(counted) == set(lock.counted)
        if not self._is_comparable:
            said = ", ".join(facet.value for facet in lock.counted)
            self.notes.append(
                f"the lock counts other changes ({said}); its dates are kept and its fingerprints renewed"
            )

    @property
    def now(self) -> datetime:
        return self._now

    def compare(self, pages: Iterable[Candidate], repeated: RepeatedBlocks) -> None:
        """`pages`: all that are listed, as often as needed; some may have no content."""
        for page in pages:
            path = self._paths.of(page.loc)
            if path is not None and path not in self._seen:
                self._seen[path] = self._compared(path, page.blocks, repeated)
                self._stamps.add(page)
        self._find_renamed()
        self._find_template_change()

    def _compared(self, path: str, blocks: tuple[int, ...] | None, repeated: RepeatedBlocks) -> _Seen:
        conflict = self._lock.conflicts.get(path)
        line = self._believed(self._lock.pages.get(path))
        if blocks is None:
            if conflict is not None:
                line = conflict.newest
            return _Seen(PageChange.UNSEEN if line else PageChange.NEW, None, line or LockedPage())
        found = page_fingerprint(blocks, repeated.boilerplate, self._counted)
        if conflict is not None:
            return self._settled(path, conflict, found, blocks, repeated)
        if line is None:
            return _Seen(PageChange.NEW, found, _NO_LINE)
        if line.fingerprint is None or not self._is_comparable:
            return _Seen(PageChange.UNSEEN, found, line)
        same = self._is_same(line, found, blocks, repeated)
        return _Seen(PageChange.SAME if same else PageChange.MOVED, found, line)

    def _is_same(
        self, line: LockedPage, found: PageFingerprint, blocks: tuple[int, ...], repeated: RepeatedBlocks
    ) -> bool:
        known = line.fingerprint
        return known is not None and (
            known.content == found.content or is_same_content(known.content, blocks, repeated, self._counted)
        )

    def _settled(
        self,
        path: str,
        conflict: Conflict,
        found: PageFingerprint,
        blocks: tuple[int, ...],
        repeated: RepeatedBlocks,
    ) -> _Seen:
        """A page of which two branches say different things: what its content confirms, else the newest."""
        holding = [side for side in conflict.sides if self._is_same(side, found, blocks, repeated)]
        if holding:
            line = Conflict(tuple(holding)).newest
            why = "its content is that of this line"
        else:
            line = conflict.newest
            why = "both branches changed the page" if conflict.is_of_both else "the page changed again"
        change = PageChange.SAME if holding or conflict.is_of_both else PageChange.MOVED
        if len({side.lastmod for side in conflict.sides}) > 1:
            dates = " or ".join(sorted({side.lastmod or "no date" for side in conflict.sides}))
            self.notes.append(f"merged {path}: {dates}; {line.lastmod or 'no date'} is used, {why}")
        return _Seen(change, found, self._believed(line) or LockedPage())

    def _believed(self, line: LockedPage | None) -> LockedPage | None:
        """Without a date that cannot be, such as one in the future."""
        if line is None or line.lastmod is None:
            return line
        evidence = line.evidence
        return (
            line
            if evidence is not None and doubt(evidence, self._now) is None
            else LockedPage(None, "-", line.fingerprint)
        )

    def _find_renamed(self) -> None:
        """A page that is gone and a new one with its very content are one page under another path."""
        gone = Counter(
            line.fingerprint.content
            for path, line in self._lock.pages.items()
            if path not in self._seen and line.fingerprint is not None
        )
        if not gone or not self._is_comparable:
            return
        new = Counter(
            each.fingerprint.content
            for each in self._seen.values()
            if each.change is PageChange.NEW and each.fingerprint is not None
        )
        pairs = {content for content, count in gone.items() if count == 1 == new.get(content) and content != _NOTHING}
        old = {
            line.fingerprint.content: path
            for path, line in self._lock.pages.items()
            if path not in self._seen and line.fingerprint is not None and line.fingerprint.content in pairs
        }
        for path, seen in self._seen.items():
            if seen.change is PageChange.NEW and seen.fingerprint is not None and seen.fingerprint.content in old:
                self.renamed[path] = old[seen.fingerprint.content]
                line = self._believed(self._lock.pages[self.renamed[path]]) or LockedPage()
                self._seen[path] = _Seen(PageChange.SAME, seen.fingerprint, line)

    def _find_template_change(self) -> None:
        """A site of one page shows no difference between its template and its text."""
        known = [each for each in self._seen.values() if each.change in (PageChange.SAME, PageChange.MOVED)]
        moved = [path for path, each in self._seen.items() if each.change is PageChange.MOVED]
        if not moved or len(moved) < TEMPLATE * len(known) or len(known) == 1:
            return
        rewritten = set()
        for path in moved:
            before, after = self._seen[path].line.fingerprint, self._seen[path].fingerprint
            if before is None or after is None or before.prose != after.prose:
                rewritten.add(path)
        kept = [path for path in moved if path not in rewritten]
        how = "changed at once, and not in their own text"
        if len(known) >= _MANY and len(rewritten) >= TEMPLATE * len(known):
            kept, how = moved, "have new text at once"
        for path in kept:
            self._seen[path] = msgspec.structs.replace(self._seen[path], change=PageChange.TEMPLATE)
        if kept:
            self.notes.append(
                f"{amount(len(kept), 'page')} of {len(known):,} {how}: taken for a change of the template, "
                "so their dates stay"
            )

    def change_of(self, loc: str) -> PageChange:
        path = self._paths.of(loc)
        return self._seen[path].change if path in self._seen else PageChange.NEW

    def line_before(self, loc: str) -> LockedPage | None:
        """What the lock says of the page."""
        path = self._paths.of(loc)
        return self._seen[path].line if path in self._seen and self.change_of(loc) is not PageChange.NEW else None

    def decide(self, page: Candidate) -> Evidence | None:
        """The evidence for its date, which is also written down."""
        path = self._paths.of(page.loc)
        seen = self._seen.get(path) if path is not None else None
        if path is None or seen is None:
            return None
        before = seen.line.evidence
        known = None
        if seen.change is not PageChange.NEW:
            known = LedgerRow(page.loc, "", lastmod=seen.line.lastmod)
            if before is not None:
                known = msgspec.structs.replace(
                    known, evidence_kind=before.kind.value, evidence_detail=before.detail or None
                )
        changed: tuple[Facet, ...] | None = ()
        if seen.change is PageChange.UNSEEN:
            changed = None
        elif seen.change is PageChange.MOVED:
            changed = (Facet.TEXT,)
        found = decide(self._stamps.without(page), known, changed, now=self._now, order=self._order)
        if found is None and self._first_seen and seen.change is PageChange.NEW and not self._lock.is_new:
            found = Evidence(EvidenceKind.OBSERVED, self._now.date().isoformat(), FIRST_SEEN_DETAIL)
        line = LockedPage.of(found, seen.fingerprint or seen.line.fingerprint)
        self.lines[path] = seen.line if line == seen.line else line
        return found

    def removed(self) -> Iterator[str]:
        """Paths of the lock that are not listed any more."""
        old = set(self.renamed.values())
        return (path for path in self._lock.pages if path not in self._seen and path not in old)


_WRITTEN_BY_PEOPLE = frozenset({DateOrigin.FRONT_MATTER_MODIFIED, DateOrigin.FRONT_MATTER_PUBLISHED})
_JUST_NOW = timedelta(minutes=15)
_LEAST_STAMPED = 4


class BuildStamps:
    """Dates that pages state and that are the clock of the generator: recent, and on most of the pages the same day."""

    def __init__(self, now: datetime) -> None:
        self._now = now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)
        self._recent = {(self._now - timedelta(days=days)).date().isoformat() for days in (-1, 0, 1)}
        self._days: Counter[str] = Counter()
        self._pages = self._just_now = 0

    def add(self, page: Candidate) -> None:
        days = {each.lastmod[:10] for each in page.evidence if _is_of_template(each)}
        self._pages += bool(days)
        self._days.update(days & self._recent)
        self._just_now += any(self._is_now(each) for each in page.evidence if _is_of_template(each))

    def without(self, page: Candidate) -> Candidate:
        if not self._days:
            return page
        kept = tuple(each for each in page.evidence if not self._is_stamp(each))
        return page if len(kept) == len(page.evidence) else msgspec.structs.replace(page, evidence=kept)

    def _is_stamp(self, evidence: Evidence) -> bool:
        if not _is_of_template(evidence):
            return False
        count = self._days[evidence.lastmod[:10]]
        if count >= _LEAST_STAMPED:
            return count > self._pages / 2
        return self._just_now == self._pages and self._is_now(evidence)

    def _is_now(self, evidence: Evidence) -> bool:
        if "T" not in evidence.lastmod or evidence.lastmod[:10] not in self._recent:
            return False
        interval = Moment.parse(evidence.lastmod).interval()
        return interval is not None and abs(interval[0] - self._now) < _JUST_NOW


def _is_of_template(evidence: Evidence) -> bool:
    return evidence.kind is EvidenceKind.PAGE and evidence.detail not in _WRITTEN_BY_PEOPLE
