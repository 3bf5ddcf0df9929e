"""Pages of folders under git → the evidence of the commit that gave each its present content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.evidence import doubt, evidence_of
from urlset.building.git_evidence import GitCommit, GitDates
from urlset.building.ledger import LedgerRow
from urlset.reading.fingerprint import has_moved, unpack

_BATCH = 400
Known = Callable[[list[str]], Mapping[str, LedgerRow]]


class GitPages:
    """Takes pages as they come, and corrects their dates when the whole site is known."""

    def __init__(self, order: Sequence[EvidenceKind], now: datetime) -> None:
        self.notes: list[str] = []
        rank = order.index(EvidenceKind.GIT) if EvidenceKind.GIT in order else 0
        self._better = frozenset(order[:rank])
        self._now = now
        self._waiting: dict[str, tuple[GitDates, str]] = {}
        """the address of a page whose date rests on git → where its history is"""
        self._corrected: dict[str, GitCommit | None] = {}

    def offer(self, git: GitDates, page: Candidate) -> Candidate:
        """The page with the commit that left its present bytes as evidence."""
        found = git.evidence(page.origin)
        if found is None:
            return page
        if page.blocks is not None and not self._has_better(page):
            self._waiting[page.loc] = git, page.origin
        return msgspec.structs.replace(page, evidence=(*page.evidence, found))

    def settle(self, pages: Iterable[Candidate], known: Known, page_count: int, boilerplate: Collection[int]) -> None:
        """Look further back for the pages that need it; `pages` are all that wait to be dated."""
        if not self._waiting:
            return
        by_history: dict[int, dict[str, tuple[int, ...]]] = {}
        histories: dict[int, GitDates] = {}
        batch: list[Candidate] = []

        def sort() -> None:
            rows = known([page.loc for page in batch])
            for page in batch:
                if page.blocks is None or self._is_settled(page.blocks, rows.get(page.loc), boilerplate):
                    continue
                git, path = self._waiting[page.loc]
                histories[id(git)] = git
                by_history.setdefault(id(git), {})[path] = page.blocks
            batch.clear()

        for page in pages:
            if page.loc in self._waiting:
                batch.append(page)
                if len(batch) == _BATCH:
                    sort()
        sort()
        if not by_history:
            return
        from urlset.building.git_content import dates_by_content  # reads HTML, which no list needs

        unsettled = 0
        for number, asked in by_history.items():
            found = dates_by_content(histories[number], asked, page_count, boilerplate)
            unsettled += len(found.unsettled)
            for loc, (git, path) in self._waiting.items():
                if git is histories[number] and path in asked:
                    self._corrected[loc] = found.commits.get(path)
        if unsettled:
            pages_said = f"{unsettled:,} page{'s' if unsettled != 1 else ''}"
            self.notes.append(f"no date from git for {pages_said}: too many commits changed only repeated text")

    def corrected(self, page: Candidate) -> Candidate:
        if page.loc not in self._corrected:
            return page
        commit = self._corrected[page.loc]
        evidence = [each for each in page.evidence if each.kind is not EvidenceKind.GIT]
        if commit is not None:
            evidence.append(commit.evidence())
        return msgspec.structs.replace(page, evidence=tuple(evidence))

    def _has_better(self, page: Candidate) -> bool:
        return any(each.kind in self._better and doubt(each, self._now) is None for each in evidence_of(page))

    def _is_settled(self, blocks: tuple[int, ...], row: LedgerRow | None, boilerplate: Collection[int]) -> bool:
        """A page whose content is that of the last build keeps a date as good as one from git."""
        before = row.evidence if row is not None else None
        if row is None or before is None or row.blocks is None:
            return False
        is_as_good = before.kind is EvidenceKind.GIT or before.kind in self._better
        return is_as_good and has_moved(unpack(row.blocks), blocks, boilerplate) is False
